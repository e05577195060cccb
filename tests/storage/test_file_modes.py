"""Files and folders that the store creates are the owner's alone, whatever the umask (REC-7)."""

from __future__ import annotations

import pytest

from storage import scenes


@pytest.mark.parametrize("umask", [0o022, 0o000, 0o077])
@pytest.mark.parametrize("durability", ["normal", "power-loss"])
def test_every_file_is_0600_and_the_folder_0700_throughout(tmp_path, processes, umask, durability):
    """B23, B82: after the first write, a refused access, evictions, rotation, export, closing, reopening."""
    steps = processes.call(scenes.modes_after_each_step, tmp_path, umask, durability)

    seen = {name for _, modes in steps for name in modes}
    assert seen >= {
        *(".rotifer", "playground.db", "playground.db-wal", "playground.db-shm", "playground.lock"),
        *("audit.jsonl", "telemetry.jsonl", "exported.jsonl"),
    }
    for step, modes in steps:
        expected = {name: "0o700" if name == ".rotifer" else "0o600" for name in modes}
        assert modes == expected, step


def test_files_of_others_keep_their_modes(tmp_path, processes):
    """REC-7: a database that another program made stays as it is; folders above follow the umask."""
    assert processes.call(scenes.modes_beside_another_program, tmp_path) == {
        "not": "0o755",
        "there": "0o755",
        ".rotifer": "0o755",
        "playground.db": "0o644",
        "audit.jsonl": "0o600",
        "playground.lock": "0o600",
    }
