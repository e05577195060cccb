"""The v2 id of a gene: what identifies the code that acts on memory (GEN-2).

Pure: the caller reads the folder (`gene_folder.py`) and passes the phenotype and the digests of the files
that can run. The formula, every part prefixed by its length as eight big-endian bytes:

    "v2:" + SHA-256( "rotifer-gene-v2"
                     , the phenotype without `irHash` as canonical JSON (RFC 8785)
                     , then for each file by sorted path: the path in UTF-8, the file's SHA-256 as 32 bytes )
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

import rfc8785

_TAG: Final = b"rotifer-gene-v2"
_NOT_IDENTIFYING: Final = "irHash"
_MAX_EXACT_INTEGER: Final = 2**53 - 1


def v2_id(phenotype: Mapping[str, Any], files: Sequence[tuple[str, bytes | str]]) -> str:
    """The gene's v2 id: `v2:` and 64 lower-case hex digits (GEN-2).

    `files` are relative paths with `/`, each with its SHA-256 as 32 bytes or 64 hex digits, in any order.

    Raises:
        ValueError: the phenotype has no canonical form, a path is not Unicode text or named twice, or a
            digest is not a SHA-256.
    """
    digest_of = {path.encode(): _digest_bytes(digest) for path, digest in files}
    if len(digest_of) != len(files):
        raise ValueError("a file is named twice")
    whole = hashlib.sha256()
    for part in (_TAG, _canonical_json(phenotype)):
        _add_part(whole, part)
    for path in sorted(digest_of):
        _add_part(whole, path)
        _add_part(whole, digest_of[path])
    return f"v2:{whole.hexdigest()}"


def _add_part(whole: hashlib._Hash, part: bytes) -> None:
    whole.update(len(part).to_bytes(8, "big"))
    whole.update(part)


def _digest_bytes(digest: bytes | str) -> bytes:
    raw = bytes.fromhex(digest) if isinstance(digest, str) else digest
    if len(raw) != hashlib.sha256().digest_size:
        raise ValueError("a digest is not a SHA-256")
    return raw


def _canonical_json(phenotype: Mapping[str, Any]) -> bytes:
    members = {name: value for name, value in phenotype.items() if name != _NOT_IDENTIFYING}
    try:
        return rfc8785.dumps(_as_doubles(members))
    except (OverflowError, RecursionError) as error:
        raise ValueError("the phenotype has no canonical form") from error


def _as_doubles(value: Any) -> Any:
    # RFC 8785 knows no number but the double: 9223372036854775807, a usual bound in a schema, is canonical
    # as the double that every JSON reader of the JavaScript kind makes of it.
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > _MAX_EXACT_INTEGER:
        return float(value)
    if isinstance(value, Mapping):
        return {name: _as_doubles(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_as_doubles(item) for item in value]
    return value
