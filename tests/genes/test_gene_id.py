"""The v2 id: its formula, what it depends on, and vectors that other programs can check themselves by."""

from __future__ import annotations

import hashlib

import pytest

from rotifer_store.gene_id import v2_id

PHENOTYPE = {
    "domain": "formatter",
    "inputSchema": {"type": "object"},
    "outputSchema": {"type": "object"},
    "version": "1.0.0",
}
CANONICAL = (
    b'{"domain":"formatter","inputSchema":{"type":"object"},'
    b'"outputSchema":{"type":"object"},"version":"1.0.0"}'
)
INDEX = b"def express(input, ctx):\n    return input\n"
HELPER = b"WIDTH = 2\n"


def digest(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()


def by_hand(canonical: bytes, *files: tuple[bytes, bytes]) -> str:
    """GEN-2 written out once more, from the rule alone; `files` are in the order in which they count."""
    parts = [b"rotifer-gene-v2", canonical]
    for path, content in files:
        parts += [path, digest(content)]
    whole = b"".join(len(part).to_bytes(8, "big") + part for part in parts)
    return "v2:" + hashlib.sha256(whole).hexdigest()


def test_the_id_is_the_digest_that_the_rule_describes() -> None:
    """GEN-2."""
    files = [("index.py", digest(INDEX)), ("lib/helper.py", digest(HELPER))]
    assert v2_id(PHENOTYPE, files) == by_hand(CANONICAL, (b"index.py", INDEX), (b"lib/helper.py", HELPER))


@pytest.mark.parametrize(
    ("phenotype", "files", "expected"),
    [
        pytest.param(
            {},
            {},
            "v2:775b47da0c73c883202f2aa4f61e23f9c0ae5b034744667e4c48f52a2ca9d833",
            id="an empty phenotype and no file",
        ),
        pytest.param(
            PHENOTYPE,
            {"index.py": INDEX},
            "v2:b26f3478e180dbda4e561923041a358bbe471f1947236d0f21cb7432073318da",
            id="a Python gene",
        ),
        pytest.param(
            PHENOTYPE,
            {"lib/helper.py": HELPER, "index.py": INDEX},
            "v2:606589968e3bbd2de21501920e043d047b0f18ad57bfe3f76102582b18a3b67e",
            id="two files",
        ),
        pytest.param(
            PHENOTYPE | {"name": "é\u2028", "limit": 1.0},
            {"gene.wasm": b"\0asm"},
            "v2:15da97af5bbd10d39151b727927d7c204d08a4cb49e1d9986a0bc505b3721108",
            id="a WASM gene",
        ),
    ],
)
def test_published_vectors_hold(phenotype: dict[str, object], files: dict[str, bytes], expected: str) -> None:
    """GEN-2: these are published; an id that changed would cut genes off from what they wrote."""
    assert v2_id(phenotype, [(path, digest(content)) for path, content in files.items()]) == expected


@pytest.mark.parametrize(
    ("members", "canonical"),
    [
        ({"b": 1, "a": 2}, b'{"a":2,"b":1}'),
        ({"a": 1.0}, b'{"a":1}'),
        ({"a": 1e21}, b'{"a":1e+21}'),
        ({"a": -0.0}, b'{"a":0}'),
        ({"a": "\u20ac\x0f\n"}, '{"a":"€\\u000f\\n"}'.encode()),
        ({"\ue000": 1, "\U0001f600": 2}, '{"\U0001f600":2,"\ue000":1}'.encode()),
        ({"a": 2**63 - 1}, b'{"a":9223372036854776000}'),
        ({"a": [True, None, {}]}, b'{"a":[true,null,{}]}'),
    ],
)
def test_a_phenotype_counts_in_its_canonical_form(members: dict[str, object], canonical: bytes) -> None:
    """GEN-2, RFC 8785: keys by UTF-16 units, numbers as doubles."""
    assert v2_id(members, []) == by_hand(canonical)


def test_ir_hash_does_not_count() -> None:
    """GEN-2: compiling must not change who the gene is."""
    assert v2_id(PHENOTYPE | {"irHash": "abc"}, []) == v2_id(PHENOTYPE, [])


def test_ir_hash_below_the_top_counts() -> None:
    assert v2_id({"a": {"irHash": "abc"}}, []) != v2_id({"a": {}}, [])


@pytest.mark.parametrize(
    ("phenotype", "files"),
    [
        (PHENOTYPE | {"version": "1.0.1"}, {"index.py": INDEX}),
        (PHENOTYPE | {"anything": None}, {"index.py": INDEX}),
        (PHENOTYPE, {"index.py": INDEX + b"#"}),
        (PHENOTYPE, {"indey.py": INDEX}),
        (PHENOTYPE, {"index.py": INDEX, "helper.py": b""}),
        (PHENOTYPE, {}),
    ],
)
def test_anything_that_can_change_what_runs_changes_the_id(
    phenotype: dict[str, object], files: dict[str, bytes]
) -> None:
    """GEN-2."""
    original = v2_id(PHENOTYPE, [("index.py", digest(INDEX))])
    assert v2_id(phenotype, [(path, digest(content)) for path, content in files.items()]) != original


def test_files_count_in_the_order_of_their_paths_whatever_order_they_come_in() -> None:
    """GEN-2."""
    files = [(f"{name}.py", digest(name.encode())) for name in ("a", "b/a", "b", "é", "z")]
    assert v2_id({}, files) == v2_id({}, files[::-1])


def test_a_digest_may_be_given_in_hex() -> None:
    assert v2_id({}, [("a.py", digest(INDEX).hex())]) == v2_id({}, [("a.py", digest(INDEX))])


@pytest.mark.parametrize(
    ("phenotype", "files"),
    [
        pytest.param({"a": float("nan")}, [], id="NaN"),
        pytest.param({"a": float("inf")}, [], id="infinity"),
        pytest.param({"a": 10**400}, [], id="an integer beyond every double"),
        pytest.param({"a": "\ud800"}, [], id="a lone surrogate"),
        pytest.param({}, [("a.py", b"short")], id="a digest that is none"),
        pytest.param({}, [("a.py", bytes(32)), ("a.py", bytes(32))], id="a file named twice"),
        pytest.param({}, [("\udcff.py", bytes(32))], id="a path that is not Unicode"),
    ],
)
def test_what_has_no_canonical_form_has_no_id(
    phenotype: dict[str, object], files: list[tuple[str, bytes]]
) -> None:
    """GEN-2."""
    with pytest.raises(ValueError):
        v2_id(phenotype, files)


def test_a_phenotype_nested_beyond_reason_has_no_id() -> None:
    nested: dict[str, object] = {}
    for _ in range(10_000):
        nested = {"a": nested}
    with pytest.raises(ValueError, match="canonical"):
        v2_id(nested, [])
