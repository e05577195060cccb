"""The error classes of the library.

    RotiferStoreError
    |- AgentMemoryError(code, message)
    |  |- MemoryNotFound | MemoryAccessDenied | MemoryQuotaExceeded | MemoryInvalidInput | MemoryStorageError
    |- AgentExists, InvalidAgent (also ValueError), AgentNotFound (also LookupError)
    |- InvalidGene (also ValueError), GeneNotFound (also LookupError)
    `- ResponseTooLarge

Every one has a `code`; a message is one sentence that never holds a value (REC-1). Standard library only,
so gene authors can import the classes without the store (`rotifer_store.typing`).
"""

from __future__ import annotations

from typing import ClassVar

from rotifer_store.tables import ErrorCode


class RotiferStoreError(Exception):
    """The base of everything the library raises on purpose; `code` names the kind of refusal."""

    code: str


class AgentMemoryError(RotiferStoreError):
    """A memory call that failed with one of the page's codes (ERR)."""

    code: ErrorCode

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    def __reduce__(self) -> tuple[object, ...]:
        """Survives pickling, so that it can cross a process pool."""
        return (memory_error, (self.code, self.message))


class _CodedMemoryError(AgentMemoryError):
    fixed_code: ClassVar[ErrorCode]

    def __init__(self, message: str) -> None:
        super().__init__(self.fixed_code, message)


class MemoryNotFound(_CodedMemoryError):
    """The entry does not exist."""

    fixed_code = ErrorCode.MEMORY_NOT_FOUND


class MemoryAccessDenied(_CodedMemoryError):
    """A scope, a policy or a missing v2 id forbids the call."""

    fixed_code = ErrorCode.MEMORY_ACCESS_DENIED


class MemoryQuotaExceeded(_CodedMemoryError):
    """There is no room even after cleanup; nothing was evicted or written."""

    fixed_code = ErrorCode.MEMORY_QUOTA_EXCEEDED


class MemoryInvalidInput(_CodedMemoryError):
    """An argument is not of the form the call takes."""

    fixed_code = ErrorCode.MEMORY_INVALID_INPUT


class MemoryStorageError(_CodedMemoryError):
    """The store or its audit log failed; memory never falls back to another store."""

    fixed_code = ErrorCode.MEMORY_STORAGE_ERROR


_CLASS_OF: dict[ErrorCode, type[_CodedMemoryError]] = {
    cls.fixed_code: cls
    for cls in (
        MemoryNotFound,
        MemoryAccessDenied,
        MemoryQuotaExceeded,
        MemoryInvalidInput,
        MemoryStorageError,
    )
}


def memory_error(code: ErrorCode, message: str) -> AgentMemoryError:
    """The error of the class that belongs to `code`."""
    return _CLASS_OF[code](message)


class AgentExists(RotiferStoreError, ValueError):
    """The store has an agent of that name or id already (AGT-2)."""

    code = "AGENT_EXISTS"


class InvalidAgent(RotiferStoreError, ValueError):
    """A name, id, quota, policy or genome that no agent can have (AGT-2, QUO-2, POL-2)."""

    code = "AGENT_INVALID"


class AgentNotFound(RotiferStoreError, LookupError):
    """The store has no agent of that name."""

    code = "AGENT_NOT_FOUND"


class InvalidGene(RotiferStoreError, ValueError):
    """A gene's folder, name, domain or phenotype is not one a gene can have (GEN-1)."""

    code = "GENE_INVALID"


class GeneNotFound(RotiferStoreError, LookupError):
    """There is no gene folder of that name (GEN-1)."""

    code = "GENE_NOT_FOUND"


class ResponseTooLarge(RotiferStoreError):
    """The JSON answer would not fit what the caller allows; nothing has happened (HST-7)."""

    code = "RESPONSE_TOO_LARGE"
