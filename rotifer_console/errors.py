"""Errors of the console that concern neither memory nor the store's agents (CLI-2)."""

from __future__ import annotations

from rotifer_store import RotiferStoreError


class ProjectNotFound(RotiferStoreError):
    """No folder from here up to the root holds a `rotifer.json` (GEN-1)."""

    code = "PROJECT_NOT_FOUND"


class ProjectExists(RotiferStoreError):
    """The folder is a project already."""

    code = "PROJECT_EXISTS"


class GeneFailed(RotiferStoreError):
    """A gene did not come to an output: it raised, refused its input, or gave what is not JSON."""

    code = "GENE_FAILED"
