"""What the library costs beside bare SQLite and other stores: `python -m bench` (docs/performance.md)."""
