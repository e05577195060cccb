"""`rotifer agent memory show` and `usage`: one entry and its value on request; what is used, and a mark."""

from __future__ import annotations

from typing import Any

import pytest

from rotifer_console.view.values import shown_value
from rotifer_store import FixedClock, Gene, Store, SystemClock

ONE_DAY = {"maxRetentionDays": 1, "autoDeleteOnTermination": False, "anonymizationSupported": False}
SHOW = ["memory", "show", "main", "--key", "k"]


@pytest.fixture
def filled(project: Any) -> Any:
    project.add_agent("main", memory_quota_bytes=1000)
    project.write(("k", "hunter2", "CONTEXT"))
    return project


def files(project: Any) -> list[bytes]:
    return [(project.root / ".rotifer" / name).read_bytes() for name in ("audit.jsonl", "playground.db")]


@pytest.mark.parametrize("flags", [[], ["--json"], ["--reveal"], ["--reveal", "--json"], ["--raw"]])
def test_looking_changes_nothing(filled: Any, flags: list[str]) -> None:
    """ENT-4, AGT-3: and the value is there only where it was asked for."""
    past = FixedClock(SystemClock().now_us())
    past.advance(-2 * 86_400)
    with filled.store(clock=past) as store:
        gene = Gene.from_folder(filled.root / "genes" / "scribe")
        store.gene_memory("main", gene).write_memory("gone", b"", "CACHE", retention_policy=ONE_DAY)
    before = files(filled)
    shown = filled.raw(*SHOW, *flags)
    assert files(filled) == before
    is_there = b"hunter2" in shown or b"aHVudGVyMg==" in shown
    assert is_there == (flags not in ([], ["--json"]))
    assert filled.run("memory", "show", "main", "--key", "gone").exit_code == 1


def test_the_members_are_those_of_the_list(filled: Any) -> None:
    """CLI-1: and `value` with --reveal alone."""
    (listed,) = filled.run("memory", "list", "main", "--json").json()
    assert filled.run(*SHOW, "--json").json() == listed
    assert filled.run(*SHOW, "--reveal", "--json").json() == {**listed, "value": "aHVudGVyMg=="}


def test_an_entry_that_goes_while_it_is_looked_at_is_not_found(
    filled: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CLI-2: between the value and the rest of it."""
    monkeypatch.setattr(Store, "list_memory", lambda *_: [])
    outcome = filled.run(*SHOW, "--json")
    assert (outcome.exit_code, outcome.error()["code"]) == (1, "MEMORY_NOT_FOUND")


def test_a_crash_shows_no_value(filled: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """CLI-2, REC-1."""

    def broken(value: bytes, at_most_bytes: int) -> None:
        raise RuntimeError(f"{value!r} beyond {at_most_bytes}")

    monkeypatch.setattr("rotifer_console.cli.memory_show.shown_value", broken)
    outcome = filled.run(*SHOW, "--reveal")
    assert outcome == (1, "", "error[INTERNAL]: RuntimeError, which should not have happened\n")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (b"", ("text", "", 0)),
        (b"abc", ("text", "abc", 3)),
        (b"abcd", ("text", "abcd", 4)),
        (b"abcde", ("text", "abcd", 4)),
        ("abcé".encode(), ("text", "abc", 3)),
        ("abé".encode(), ("text", "abé", 4)),
        (b"\xff", ("hex", "ff", 1)),
        (b"\x00\xff\x10\x20\x30", ("hex", "00 ff 10 20", 4)),
        (b"a\x1b[\n", ("text", "a␛[␊", 4)),
        (b"abcd\xff", ("hex", "61 62 63 64", 4)),
    ],
)
def test_a_value_is_shown_up_to_so_many_bytes_and_no_half_character(
    value: bytes, shown: tuple[str, str, int]
) -> None:
    """CLI-4: text where the whole of it is text."""
    beginning = shown_value(value, 4)
    assert beginning == (*shown, len(value))
    assert beginning.is_cut == (shown[2] < len(value))
    assert ("the first" in beginning.remark) == beginning.is_cut


@pytest.mark.parametrize(
    ("mark", "status"), [("0%", 1), ("0.7%", 1), ("0.8%", 1), ("0.801%", 0), ("80%", 0), ("100%", 0)]
)
def test_at_the_mark_or_above_the_status_is_1(filled: Any, mark: str, status: int) -> None:
    """CLI: 8 of 1000 bytes are 0.8 %."""
    outcome = filled.run("memory", "usage", "main", "--warn-at", mark, "--json")
    assert outcome.exit_code == status
    assert outcome.json()["usedBytes"] == 8
    assert (outcome.stderr == "") == (status == 0)
    assert outcome.stderr.startswith("warning: main uses 8 B of 1000 B (0.8%)" if status else "")


def test_above_a_lowered_quota_any_mark_is_passed(filled: Any) -> None:
    """QUO-3."""
    filled.run("agent", "policy", "main", "--memory-quota", "0.004KB")
    outcome = filled.run("memory", "usage", "main", "--warn-at", "199%")
    assert (outcome.exit_code, outcome.stdout.splitlines()[-2]) == (1, "total\t1\t8\t200.0%")


@pytest.mark.parametrize("mark", ["80", "", "-1%", "1000%", "80 %"])
def test_a_mark_of_another_form_is_refused_by_itself(project: Any, mark: str) -> None:
    """CLI-2."""
    outcome = project.run("memory", "usage", "nobody", f"--warn-at={mark}", "--json")
    assert (outcome.exit_code, outcome.stdout, outcome.error()["code"]) == (2, "", "USAGE")
