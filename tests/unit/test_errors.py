"""The error classes: one for each code, one base for all, whole after pickling."""

from __future__ import annotations

import builtins
import copy
import pickle

import pytest

import rotifer_store
from rotifer_store import (
    AgentExists,
    AgentMemoryError,
    AgentNotFound,
    ErrorCode,
    GeneNotFound,
    InvalidAgent,
    InvalidGene,
    MemoryAccessDenied,
    MemoryInvalidInput,
    MemoryNotFound,
    MemoryQuotaExceeded,
    MemoryStorageError,
    ResponseTooLarge,
    RotiferStoreError,
    errors,
)
from rotifer_store.errors import memory_error

MEMORY_ERRORS = {
    ErrorCode.MEMORY_NOT_FOUND: MemoryNotFound,
    ErrorCode.MEMORY_ACCESS_DENIED: MemoryAccessDenied,
    ErrorCode.MEMORY_QUOTA_EXCEEDED: MemoryQuotaExceeded,
    ErrorCode.MEMORY_INVALID_INPUT: MemoryInvalidInput,
    ErrorCode.MEMORY_STORAGE_ERROR: MemoryStorageError,
}
OTHER_ERRORS = {
    AgentExists: ("AGENT_EXISTS", ValueError),
    InvalidAgent: ("AGENT_INVALID", ValueError),
    AgentNotFound: ("AGENT_NOT_FOUND", LookupError),
    InvalidGene: ("GENE_INVALID", ValueError),
    GeneNotFound: ("GENE_NOT_FOUND", LookupError),
    ResponseTooLarge: ("RESPONSE_TOO_LARGE", Exception),
}


def test_every_code_has_a_class_of_its_own() -> None:
    """ERR."""
    assert set(MEMORY_ERRORS) == set(ErrorCode)


@pytest.mark.parametrize(("code", "kind"), MEMORY_ERRORS.items())
def test_the_class_follows_from_the_code(code: ErrorCode, kind: type[MemoryNotFound]) -> None:
    """ERR."""
    for error in (memory_error(code, "no"), kind("no")):
        assert type(error) is kind
        assert (error.code, error.message, str(error)) == (code, "no", "no")
        assert isinstance(error.code, ErrorCode)
        assert isinstance(error, AgentMemoryError)


@pytest.mark.parametrize(("kind", "facts"), OTHER_ERRORS.items())
def test_agents_genes_and_answers_have_errors_of_their_own(
    kind: type[RotiferStoreError], facts: tuple[str, type[Exception]]
) -> None:
    """AGT-2, GEN-1, HST-7: they are no memory errors, and builtin handlers catch them too."""
    code, builtin = facts
    error = kind("no")
    assert (error.code, str(error)) == (code, "no")
    assert isinstance(error, builtin)
    assert not isinstance(error, AgentMemoryError)


def test_everything_derives_from_one_base() -> None:
    """python-api: Errors."""
    classes = {
        value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, Exception)
    }
    assert {*MEMORY_ERRORS.values(), *OTHER_ERRORS, AgentMemoryError} < classes
    assert all(issubclass(kind, RotiferStoreError) for kind in classes)


def test_no_builtin_is_shadowed() -> None:
    """GEN-4: Python's MemoryError means something else."""
    assert not [name for name in rotifer_store.__all__ if hasattr(builtins, name)]


@pytest.mark.parametrize(
    "error",
    [
        *(kind("a sentence") for kind in MEMORY_ERRORS.values()),
        *(kind("a sentence") for kind in OTHER_ERRORS),
        AgentMemoryError(ErrorCode.MEMORY_NOT_FOUND, "a sentence"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_survives_pickling_and_copying(error: RotiferStoreError) -> None:
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(error, protocol))
        assert isinstance(again, type(error))
        assert (again.code, str(again)) == (error.code, str(error))
    assert (copy.copy(error).code, str(copy.deepcopy(error))) == (error.code, str(error))
