"""Untrusted arguments to checked values, or MemoryInvalidInput (INP, ACC-1, POL-1).

Pure. Nothing here knows who asks: the caller's v2 id is looked at before (ACC-8), scopes and quota after.
A message names the argument and the limit, never what the argument held.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping, Sequence
from typing import Final, NoReturn

from rotifer_store.errors import InvalidAgent, InvalidGene, MemoryInvalidInput
from rotifer_store.model import (
    UNSET,
    AccessPolicy,
    DataPolicy,
    Gene,
    MemoryFilter,
    Query,
    RetentionPolicy,
    WriteRequest,
    _Unset,
)
from rotifer_store.rfc3339 import parse_rfc3339
from rotifer_store.tables import (
    DEFAULT_QUERY_LIMIT,
    MAX_AGENT_NAME_CHARACTERS,
    MAX_KEY_BYTES,
    MAX_QUERY_LIMIT,
    MAX_QUOTA_BYTES,
    MAX_RETENTION_DAYS,
    MAX_VALUE_BYTES,
    STORED_CATEGORY,
    MemoryCategory,
    Scope,
    SharePolicy,
)

_V2_ID: Final = re.compile(r"v2:[0-9a-f]{64}")
_AGENT_NAME: Final = re.compile(r"[a-z0-9]([a-z0-9._-]*[a-z0-9])?")
_ACCESS_MEMBERS: Final = ("readScope", "writeScope", "sharePolicy")
_RETENTION_MEMBERS: Final = ("maxRetentionDays", "autoDeleteOnTermination", "anonymizationSupported")
_FILTER_MEMBERS: Final = ("category", "keyPrefix", "since", "until", "limit")


def checked_gene_id(gene_id: object) -> str | None:
    """The v2 id, or None for anything that is not `v2:` and 64 lower-case hex digits (ACC-7)."""
    return gene_id if isinstance(gene_id, str) and _V2_ID.fullmatch(gene_id) else None


def is_text(value: object) -> bool:
    """Whether it is text with a UTF-8 form, which a database can hold."""
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def acting_gene(gene: Gene) -> Gene:
    """A gene whose domain, name and version can be stored.

    Raises:
        InvalidGene: one cannot.
    """
    names = (gene.name, gene.version)
    if not is_text(gene.domain) or not all(name is None or is_text(name) for name in names):
        raise InvalidGene("a gene's domain, name and version are text")
    return gene


def key_size_bytes(key: object) -> int:
    """The UTF-8 length of a key that an entry can have (INP-1)."""
    if not isinstance(key, str):
        raise MemoryInvalidInput("the key is not text")
    try:
        size_bytes = len(key.encode())
    except UnicodeEncodeError:
        raise MemoryInvalidInput("the key holds a lone surrogate") from None
    if not 0 < size_bytes <= MAX_KEY_BYTES:
        raise MemoryInvalidInput(f"the key is not of 1 to {MAX_KEY_BYTES} UTF-8 bytes")
    if "\0" in key:
        raise MemoryInvalidInput("the key holds a NUL character")
    return size_bytes


def stored_category(category: object) -> int:
    """The stored number of a category's name, which is upper case (ENT-6)."""
    if isinstance(category, str):
        stored = STORED_CATEGORY.get(category)
        if stored is not None:
            return stored
    raise MemoryInvalidInput(f"the category is none of {', '.join(MemoryCategory)}")


def write_request(
    key: object, value: object, category: object, access_policy: object, retention_policy: object
) -> WriteRequest:
    """The arguments of a write, checked in that order (INP-1, INP-2, ENT-6, ACC-1, POL-1)."""
    key_bytes = key_size_bytes(key)
    if not isinstance(value, bytes):
        if not isinstance(value, bytearray):
            raise MemoryInvalidInput("the value is not bytes")
        value = bytes(value)
    if len(value) > MAX_VALUE_BYTES:
        raise MemoryInvalidInput(f"the value is larger than {MAX_VALUE_BYTES} bytes")
    return WriteRequest(
        key,  # type: ignore[arg-type]  # key_size_bytes has seen that it is text
        value,
        key_bytes + len(value),
        stored_category(category),
        UNSET if access_policy is UNSET else access_policy_of(access_policy),
        retention_policy if isinstance(retention_policy, _Unset) else retention_policy_of(retention_policy),
    )


def access_policy_of(policy: object) -> AccessPolicy:
    """An access policy with exactly its three members (ACC-1, ACC-10)."""
    if isinstance(policy, AccessPolicy):
        read, write, share = policy.read_scope, policy.write_scope, policy.share_policy
    else:
        read, write, share = _members(policy, _ACCESS_MEMBERS, "access policy")  # type: ignore[assignment]
    try:
        return AccessPolicy(Scope(read), Scope(write), SharePolicy(share))
    except ValueError:
        raise MemoryInvalidInput("the access policy names an unknown scope or share policy") from None


def retention_policy_of(policy: object) -> RetentionPolicy | None:
    """A retention policy with exactly its three members, or None (POL-1)."""
    return None if policy is None else RetentionPolicy(*_retention_members(policy, "retention policy"))


def data_policy_of(policy: object) -> DataPolicy:
    """The agent's data policy, with the same members and bounds (POL-2)."""
    return DataPolicy(*_retention_members(policy, "data policy"))


def _retention_members(policy: object, what: str) -> tuple[int | None, bool, bool]:
    if isinstance(policy, RetentionPolicy | DataPolicy):
        days: object = policy.max_retention_days
        auto_delete: object = policy.auto_delete_on_termination
        anonymization: object = policy.anonymization_supported
    else:
        days, auto_delete, anonymization = _members(policy, _RETENTION_MEMBERS, what)
    if not isinstance(auto_delete, bool) or not isinstance(anonymization, bool):
        raise MemoryInvalidInput(f"a member of the {what} is not a boolean")
    if days is None:
        return None, auto_delete, anonymization
    whole = whole_number(days)
    if whole is None or not 1 <= whole <= MAX_RETENTION_DAYS:
        raise MemoryInvalidInput(f"maxRetentionDays is not a whole number from 1 to {MAX_RETENTION_DAYS}")
    return whole, auto_delete, anonymization


def _members(policy: object, names: Sequence[str], what: str) -> list[object]:
    if not isinstance(policy, Mapping) or set(policy) != set(names):
        raise MemoryInvalidInput(f"the {what} does not have exactly the members {', '.join(names)}")
    return [policy[name] for name in names]


def whole_number(value: object) -> int | None:
    """`value` as an int where it is a whole number and no boolean; 1.0 is 1 (POL-1)."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    return int(value) if isinstance(value, float) and value.is_integer() else None


def query_of(filter: object) -> Query:
    """A filter given as MemoryFilter, as a mapping with the page's member names, or as None (INP-3)."""
    if filter is None:
        return Query(None, None, None, None, DEFAULT_QUERY_LIMIT)
    if isinstance(filter, MemoryFilter):
        given: dict[object, object] = {
            name: value
            for name, value in zip(
                _FILTER_MEMBERS,
                (filter.category, filter.key_prefix, filter.since, filter.until, filter.limit),
                strict=True,
            )
            if value is not None
        }
    elif isinstance(filter, Mapping):
        given = dict(filter)
    else:
        raise MemoryInvalidInput("the filter is not an object")
    if not given.keys() <= set(_FILTER_MEMBERS):
        raise MemoryInvalidInput(f"the filter has a member that is none of {', '.join(_FILTER_MEMBERS)}")
    return Query(
        stored_category(given["category"]) if "category" in given else None,
        _key_prefix(given["keyPrefix"]) if "keyPrefix" in given else None,
        bound_us(given["since"], "since") if "since" in given else None,
        bound_us(given["until"], "until") if "until" in given else None,
        _limit(given["limit"]) if "limit" in given else DEFAULT_QUERY_LIMIT,
    )


def _key_prefix(prefix: object) -> str:
    if not isinstance(prefix, str) or not is_text(prefix):
        raise MemoryInvalidInput("keyPrefix is not text, or holds a lone surrogate")
    return prefix


def bound_us(bound: object, name: str) -> int:
    """A bound in time, in microseconds, rounded up where digits lie beyond them (INP-3, INP-4)."""
    if isinstance(bound, str):
        try:
            return parse_rfc3339(bound).ceiling_us()
        except (ValueError, OverflowError):
            pass
    raise MemoryInvalidInput(f"{name} is not an RFC 3339 time with seconds and a zone")


def _limit(limit: object) -> int:
    whole = whole_number(limit)
    if whole is None or not 1 <= whole <= MAX_QUERY_LIMIT:
        raise MemoryInvalidInput(f"limit is not a whole number from 1 to {MAX_QUERY_LIMIT}")
    return whole


def agent_name(name: object) -> str:
    """A name an agent can have (AGT-2).

    Raises:
        InvalidAgent: it is not.
    """
    if (
        not isinstance(name, str)
        or len(name) > MAX_AGENT_NAME_CHARACTERS
        or _AGENT_NAME.fullmatch(name) is None
        or ".." in name
    ):
        raise InvalidAgent(
            "an agent's name has 1 to 100 of a-z, 0-9, '.', '_' and '-', "
            "begins and ends with a letter or digit, and holds no '..'"
        )
    return name


def agent_uuid(agent_id: object) -> str:
    """An agent's id: a UUID of version 4, lower case (AGT-2)."""
    try:
        parsed = uuid.UUID(agent_id) if isinstance(agent_id, str) else _no_uuid()
    except ValueError:
        parsed = _no_uuid()
    if parsed.version != 4 or str(parsed) != agent_id:
        _no_uuid()
    return str(parsed)


def _no_uuid() -> NoReturn:
    raise InvalidAgent("an agent's id is a UUID of version 4 in lower case")


def quota_bytes(quota: object) -> int:
    """A quota in bytes: 1 to 2^53 - 1 (QUO-2)."""
    whole = whole_number(quota)
    if whole is None or not 1 <= whole <= MAX_QUOTA_BYTES:
        raise MemoryInvalidInput(f"a quota is a whole number of bytes from 1 to {MAX_QUOTA_BYTES}")
    return whole
