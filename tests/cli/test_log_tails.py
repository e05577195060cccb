"""`rotifer audit tail` and `rotifer telemetry tail`: following, hostile lines, pipes, signals (REC-9)."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from cli.terminal import shown_at_a_terminal
from rotifer_store import FixedClock

PROGRAM = Path(sys.executable).with_name("rotifer")
HOSTILE = json.loads((Path(__file__).parents[1] / "data" / "hostile.json").read_text(encoding="utf-8"))
DEADLINE_S = 30


class Follower:
    """A running `tail -f`, read a line at a time; what it says on stderr goes the same way."""

    def __init__(self, project: Any, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [PROGRAM, *arguments],
            cwd=project.root,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8"},
        )
        self._read: dict[str, bytes] = {}

    def line(self, stream: str = "stdout") -> str:
        """The next line, which comes within the deadline."""
        pipe, parts = getattr(self.process, stream), [self._read.pop(stream, b"")]
        while b"\n" not in parts[-1]:
            ready, _, _ = select.select([pipe], [], [], DEADLINE_S)
            assert ready, f"nothing came on {stream} after {parts}"
            parts.append(os.read(pipe.fileno(), 1 << 16))
            assert parts[-1], f"{stream} ended after {parts}"
        line, _, self._read[stream] = b"".join(parts).partition(b"\n")
        return line.decode()

    def interrupt(self) -> tuple[int, bytes, bytes]:
        """Ctrl-C: status and what was still to be read."""
        self.process.send_signal(signal.SIGINT)
        stdout, stderr = self.process.communicate(timeout=DEADLINE_S)
        return self.process.returncode, stdout, stderr


@pytest.fixture
def followed(project: Any) -> Iterator[Any]:
    """Starts followers of a project's logs and ends them with the test."""
    project.add_agent()
    started: list[Follower] = []

    def start(*arguments: str) -> Follower:
        started.append(Follower(project, *arguments))
        return started[-1]

    yield start
    for follower in started:
        follower.process.kill()
        follower.process.communicate()


def bytes_of(item: Mapping[str, Any]) -> bytes:
    if "parts" in item:
        return b"".join(bytes_of(part) for part in item["parts"])
    if "hex" in item:
        return bytes.fromhex(item["hex"])
    return bytes.fromhex(item["repeat"]) * int(item["count"])


def unseen_in(text: str) -> set[str]:
    """The characters of a text that could drive a terminal or deceive a reader."""
    return {
        character
        for character in text.replace("\n", "").replace("\t", "")
        if unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
    }


def test_a_record_is_printed_as_it_is_written(project: Any, followed: Any) -> None:
    """REC-9: what is there first, then what comes."""
    follower = followed("audit", "tail", "-f")
    assert "\tagent_create\t" in follower.line()
    project.write(("notes/a", "1", "CACHE"))
    assert re.fullmatch(
        r"\S+Z\t2\tmemory_write\tgene\tmain\tscribe\tCACHE\t1\tnotes/a\t-\t-", follower.line()
    )


def test_a_rotation_is_followed_and_told(project: Any, followed: Any) -> None:
    """REC-9."""
    follower = followed("audit", "tail", "-f", "--json")
    assert json.loads(follower.line())["seq"] == 1
    for number in range(3):
        project.write((f"notes/{number}", "1", "CACHE"))
        assert project.run("audit", "rotate").exit_code == 0
    seen = [json.loads(follower.line()) for _ in range(6)]
    assert [record["seq"] for record in seen] == [2, 3, 4, 5, 6, 7]
    assert {record["action"] for record in seen[1::2]} == {"audit_checkpoint"}
    assert follower.line("stderr").startswith("the log was rotated: what came before is in audit-")


def test_a_log_that_is_cut_or_deleted_is_followed_and_told(project: Any, followed: Any) -> None:
    """REC-9."""
    project.is_sound = False
    follower = followed("audit", "tail", "-f")
    follower.line()
    log = project.root / ".rotifer" / "audit.jsonl"
    os.truncate(log, 0)
    assert follower.line("stderr") == "audit.jsonl was cut short or rewritten: it is read from its beginning"
    project.write(("notes/a", "1", "CACHE"))
    assert "\tnotes/a\t" in follower.line()
    log.unlink()
    assert follower.line("stderr") == "audit.jsonl is gone; waiting for the next one"
    project.write(("notes/b", "1", "CACHE"))
    assert "\tnotes/b\t" in follower.line()
    assert follower.line("stderr") == (
        "another file stands in the log's place: audit.jsonl is read from its beginning"
    )


def test_what_cannot_be_read_meanwhile_is_told_once_and_tried_again(project: Any, followed: Any) -> None:
    """REC-7, REC-9."""
    project.is_sound = False
    follower = followed("audit", "tail", "-f")
    follower.line()
    log = project.root / ".rotifer" / "audit.jsonl"
    kept = log.rename(log.with_name("kept"))
    log.mkdir()
    assert follower.line("stderr") == "audit.jsonl cannot be read: not a regular file; trying again"
    log.rmdir()
    with kept.open("ab") as file:
        file.write(b"garbage\n")
    kept.rename(log)
    assert follower.line("stderr") == "1 line could not be read: audit.jsonl:2"


def test_only_what_matches_is_followed(project: Any, followed: Any) -> None:
    """REC-9: also a gene that acts for the first time while the log is followed."""
    project.add_gene("late", version="2.0.0")
    follower = followed("audit", "tail", "--follow", "--gene", "late", "--json")
    project.write(("notes/a", "1", "CACHE"))
    project.write(("notes/b", "1", "CACHE"), gene="late")
    assert json.loads(follower.line())["key"] == "notes/b"


def test_refusals_are_followed(project: Any, followed: Any) -> None:
    """REC-4."""
    follower = followed("telemetry", "tail", "-f")
    project.write(("notes/a", "1", "CACHE"))
    project.add_gene("stranger", domain="other")
    with pytest.raises(Exception, match="scope"):
        project.write(("notes/a", "2", "CACHE"), gene="stranger")
    assert "\tmemory_access_denied\twrite\tMEMORY_ACCESS_DENIED\t" in follower.line()


@pytest.mark.parametrize("log", ["audit", "telemetry"])
def test_ctrl_c_ends_it_quietly(followed: Any, project: Any, log: str) -> None:
    """CLI-2: with 130."""
    project.add_gene("stranger", domain="other")
    project.write(("notes/a", "1", "CACHE"))
    with pytest.raises(Exception, match="scope"):
        project.write(("notes/a", "2", "CACHE"), gene="stranger")
    follower = followed(log, "tail", "-f")
    follower.line()
    status, _, stderr = follower.interrupt()
    assert (status, stderr) == (130, b"")


@pytest.mark.parametrize("flags", [["-f"], ["-f", "--json"]], ids=" ".join)
def test_it_ends_when_nobody_reads_any_more(project: Any, followed: Any, flags: list[str]) -> None:
    """CLI-2: quietly, and without waiting for a record that would tell it."""
    follower = followed("audit", "tail", *flags)
    follower.line()
    follower.process.stdout.close()
    assert follower.process.wait(timeout=DEADLINE_S) == 0
    assert follower.process.stderr.read() == b""


def test_a_follower_that_waits_takes_no_time(project: Any, followed: Any) -> None:
    """TUI-5: seen as processor time, which no load of the machine adds to."""
    follower = followed("audit", "tail", "-f")
    follower.line()
    ticks = [sum(processor_ticks(follower.process.pid))]
    for number in range(8):  # a record each way: so many polls have passed at least
        project.write((f"notes/{number}", "1", "CACHE"))
        follower.line()
        ticks.append(sum(processor_ticks(follower.process.pid)))
    assert ticks[-1] - ticks[0] <= os.sysconf("SC_CLK_TCK") // 2


def processor_ticks(pid: int) -> list[int]:
    """User and system time of a process, in clock ticks."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return [int(fields[11]), int(fields[12])]


@pytest.fixture(scope="module")
def lines() -> list[tuple[Mapping[str, Any], bytes]]:
    return [(item, bytes_of(item)) for item in HOSTILE["auditLines"]]


@pytest.mark.parametrize("item", HOSTILE["auditLines"], ids=lambda item: item["name"])
def test_a_hostile_line_is_shown_safely_or_counted(project: Any, item: Mapping[str, Any]) -> None:
    """CLI-4, REC-5: for people and as JSON; the records around it stay."""
    project.is_sound = False
    project.add_agent()
    line = bytes_of(item)
    log = project.root / ".rotifer" / "audit.jsonl"
    before = log.read_bytes()
    log.write_bytes(before + line + (b"" if item.get("torn") else b"\n" + before))
    around = 1 if item.get("torn") else 2
    is_record = item["strictJsonObject"]

    piped = project.run("audit", "tail")
    assert piped.exit_code == 0
    assert unseen_in(piped.stdout + piped.stderr) == set()
    rows = piped.stdout.splitlines()
    assert rows[0].split("\t")[2] == "agent_create"
    assert len({row.count("\t") for row in rows}) == 1
    assert max(map(len, rows)) < 10_000
    is_counted = piped.stderr.startswith("1 line could not be read: audit.jsonl:2")
    assert len(rows) + is_counted == around + 1
    if is_record is not None and line:
        assert is_counted is not is_record

    as_json = project.run("audit", "tail", "--json")
    assert as_json.exit_code == 0
    assert as_json.stderr == piped.stderr
    assert unseen_in(as_json.stdout + as_json.stderr) == set()
    records = as_json.json()
    assert len(records) == len(rows)
    if not is_counted:
        told = json.loads(line.decode())
        assert {name: records[1][name] for name in ("key", "action") if isinstance(told.get(name), str)} == {
            name: told[name] for name in ("key", "action") if isinstance(told.get(name), str)
        }


@pytest.mark.parametrize("flags", [[], ["--plain"]], ids=["line", "plain"])
def test_hostile_lines_drive_no_terminal(project: Any, lines: Any, flags: list[str]) -> None:
    """CLI-4: all of them in one log, at a real terminal."""
    project.is_sound = False
    project.add_agent()
    (project.root / ".rotifer" / "audit.jsonl").write_bytes(b"".join(line + b"\n" for _, line in lines))
    status, shown = shown_at_a_terminal([PROGRAM, "audit", "tail", *flags], columns=80, cwd=project.root)
    assert status == 0
    assert unseen_in(re.sub(r"\x1b\[[0-9]*m", "", shown.replace("\r\n", "\n"))) == set()
    assert "lines could not be read: audit.jsonl:" in shown


def test_hostile_lines_are_followed_safely(project: Any, followed: Any, lines: Any) -> None:
    """CLI-4, REC-5: all of them in one log, as JSON a line each."""
    project.is_sound = False
    log = project.root / ".rotifer" / "audit.jsonl"
    with log.open("ab") as file:
        for _, line in lines:
            file.write(line + b"\n")
        file.write(b'{"action":"the end"}\n')
    follower = followed("audit", "tail", "-f", "--json")
    count = 0
    while json.loads(text := follower.line())["action"] != "the end":
        assert unseen_in(text) == set()
        count += 1
    assert count >= sum(item["strictJsonObject"] is True for item, _ in lines)


@pytest.mark.parametrize(
    "item",
    [item for item in HOSTILE["keys"] if item.get("legal")],
    ids=lambda item: item["name"],
)
def test_a_record_is_found_by_any_key(project: Any, item: Mapping[str, Any]) -> None:
    """REC-9, CLI-4: in process, where no argument list alters it."""
    key = item["key"] if isinstance(item["key"], str) else item["key"]["repeat"] * item["key"]["count"]
    project.add_agent()
    project.write((key, "1", "CACHE"), ("other", "1", "CACHE"))
    (record,) = project.run("audit", "tail", f"--key={key}", "--json").json()
    assert record["key"] == key
    outcome = project.run("audit", "tail", f"--key={key}")
    assert len(outcome.stdout.splitlines()) == 1
    assert unseen_in(outcome.stdout + outcome.stderr) == set()


@pytest.mark.parametrize(
    "item",
    [item for item in HOSTILE["keys"] if not item.get("legal")],
    ids=lambda item: item["name"],
)
def test_a_key_that_no_entry_can_have_is_refused(project: Any, item: Mapping[str, Any]) -> None:
    """INP-1, CLI-2."""
    key = item["key"] if isinstance(item["key"], str) else item["key"]["repeat"] * item["key"]["count"]
    project.add_agent()
    outcome = project.run("audit", "tail", f"--key={key}", "--json")
    assert (outcome.exit_code, outcome.error()["code"]) == (2, "MEMORY_INVALID_INPUT")


@pytest.mark.parametrize("item", HOSTILE["rfc3339"]["accepted"], ids=lambda item: ascii(item["text"]))
def test_any_rfc3339_time_is_a_since(project: Any, item: Mapping[str, Any]) -> None:
    """INP-4: as an instant, inclusive."""
    is_leap = bool(item.get("leap"))
    at_us = item["us"]
    if not -62_135_596_800_000_000 < at_us < 253_402_300_000_000_000:
        assert project.run("audit", "tail", "--since", item["text"]).exit_code == 0
        return
    clock = FixedClock(at_us)
    with project.store(clock=clock) as store:
        store.create_agent("at")
        clock.advance(-0.000001)
        store.create_agent("before")
    records = project.run("audit", "tail", "--since", item["text"], "--json").json()
    expected = [] if item.get("beyond") and not is_leap else ["at"]
    assert [record["agent"] for record in records] == expected


@pytest.mark.parametrize(
    "text",
    [item["text"] for item in HOSTILE["rfc3339"]["refused"] if isinstance(item.get("text"), str)],
    ids=ascii,
)
def test_any_other_text_is_no_since(project: Any, text: str) -> None:
    """INP-4, CLI-2."""
    project.add_agent()
    outcome = project.run("audit", "tail", f"--since={text}")
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert unseen_in(outcome.stderr) == set()


@pytest.mark.parametrize("text", ["yesterday", "today", "last night", "2026-11-30"])
def test_the_hint_for_a_since_names_its_forms(project: Any, text: str) -> None:
    """CLI-5: a word with a T in it is no time."""
    hint = project.run("audit", "tail", f"--since={text}", "--json").error()["hint"]
    assert hint == (
        "how long ago, such as 90m or 1d; or a time has a date, a clock with seconds and a zone, "
        "such as 2026-11-30T17:02:21Z"
    )


@pytest.fixture
def tenfold(project: Any) -> Any:
    """Ten entries over three files of the log, which garbage stands in."""
    if not (project.root / ".rotifer").exists():
        project.add_agent()
    for number in range(10):
        project.write((f"notes/{number}", "1", "CACHE" if number % 2 else "CONTEXT"))
        if number in (2, 5):
            project.run("audit", "rotate")
    return project


@pytest.mark.parametrize(
    ("arguments", "keys"),
    [
        (["-n", "3"], [7, 8, 9]),
        (["-n3"], [7, 8, 9]),
        (["--lines=0"], []),
        (["--lines", "999999999999999", "--action=memory_write"], list(range(10))),
        (["-n", "6", "--action", "memory_write"], [4, 5, 6, 7, 8, 9]),
        (["-n", "2", "--key", "notes/3"], [3]),
        (["-n", "2", "--text", "CACHE"], [7, 9]),
        (["-n", "2", "--text", "CoNtExT", "--gene", "scribe", "--agent", "main"], [6, 8]),
        (["-n", "1", "--since", "1h", "--action", "memory_write"], [9]),
        (["-n", "5", "--action", "memory_expire"], []),
        (["-n", "5", "--text", "operation"], []),
    ],
)
def test_the_newest_lines_that_match_come_oldest_first(
    tenfold: Any, arguments: list[str], keys: list[int]
) -> None:
    """REC-9: across rotated files, and just as all of them would end."""
    outcome = tenfold.run("audit", "tail", *arguments, "--json")
    assert [record["key"] for record in outcome.json()] == [f"notes/{number}" for number in keys]
    filters = [word for word in arguments if word not in ("-n3",)]
    for option in ("-n", "--lines"):
        if option in filters:
            filters = filters[:0] + filters[2:]
    everything = tenfold.run("audit", "tail", *[word for word in filters if "--lines" not in word], "--json")
    assert outcome.json() == everything.json()[len(everything.json()) - len(keys) :]
    piped = tenfold.run("audit", "tail", *arguments)
    assert len(piped.stdout.splitlines()) == len(keys)
    assert piped.stderr == ("" if keys else "no records\n")


@pytest.mark.parametrize("text", ["-1", "+5", "1.5", "", "many", "1_0", "٣", "9" * 5000])
@pytest.mark.parametrize("log", ["audit", "telemetry"])
def test_a_number_of_lines_that_is_none_is_refused(project: Any, log: str, text: str) -> None:
    """CLI-2: by itself."""
    project.add_agent()
    outcome = project.run(log, "tail", f"--lines={text}", "--json")
    assert (outcome.exit_code, outcome.stdout, outcome.error()["code"]) == (2, "", "USAGE")


def test_only_what_cannot_be_read_among_the_newest_is_told(tenfold: Any) -> None:
    """REC-5."""
    tenfold.is_sound = False
    log = tenfold.root / ".rotifer" / "audit.jsonl"
    first, *others = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(first + b"old\n" + b"".join(others[:-1]) + b"new\n" + others[-1])
    outcome = tenfold.run("audit", "tail", "-n", "2", "--json")
    assert [record["key"] for record in outcome.json()] == ["notes/8", "notes/9"]
    assert outcome.stderr == f"1 line could not be read: audit.jsonl:{len(others) + 2}\n"


@pytest.mark.parametrize(
    "flags", [["-n", "2"], ["-n", "0"], ["-n", "2", "--action=memory_write"]], ids=" ".join
)
def test_a_follower_begins_with_the_newest_lines(followed: Any, tenfold: Any, flags: list[str]) -> None:
    """REC-9: and goes on with what comes, also over a rotation and a line that is written in two parts."""
    tenfold.is_sound = False
    follower = followed("audit", "tail", "-f", "--json", *flags)
    if "0" not in flags:
        assert [json.loads(follower.line())["key"] for _ in range(2)] == ["notes/8", "notes/9"]
    else:  # what is written before it begins it does not tell: it has begun when it tells of something
        pipe = follower.process.stdout
        while not select.select([pipe], [], [], 0.25)[0]:
            tenfold.write(("begun", "1", "CACHE"))
        assert json.loads(follower.line())["key"] == "begun"
    log = tenfold.root / ".rotifer" / "audit.jsonl"
    with log.open("ab", buffering=0) as file:
        file.write(b'{"action":"memory_write",')
        tenfold.run("audit", "tail", "-n", "1")
        file.write(b'"key":"halves"}\n')
        file.write(b'{"action":"memory_write","key":"next"}\n')
    told = iter(lambda: json.loads(follower.line())["key"], None)
    later = (key for key in told if key != "begun")
    assert [next(later), next(later)] == ["halves", "next"]


def test_a_follower_of_the_newest_lines_goes_over_rotations(project: Any, followed: Any) -> None:
    """REC-9: and knows a gene that acts for the first time."""
    project.write(("notes/a", "1", "CACHE"))
    project.add_gene("late", version="2.0.0")
    follower = followed("audit", "tail", "-n", "1", "-f", "--json")
    assert json.loads(follower.line())["key"] == "notes/a"
    for number in range(3):
        assert project.run("audit", "rotate").exit_code == 0
        assert json.loads(follower.line())["action"] == "audit_checkpoint"
        project.write((f"notes/{number}", "1", "CACHE"), gene="late")
        assert json.loads(follower.line())["key"] == f"notes/{number}"
    assert follower.line("stderr").startswith("the log was rotated: what came before is in audit-")
    follower.process.stdout.close()
    assert follower.process.wait(timeout=DEADLINE_S) == 0


def test_the_newest_events_of_telemetry(project: Any) -> None:
    """REC-4: piped, as JSON and filtered."""
    project.add_agent()
    assert project.run("telemetry", "tail", "-n", "2") == (0, "", "no records\n")
    project.write(("notes/a", "1", "CACHE"))
    for gene in ("one", "two"):
        project.add_gene(gene, domain=gene)
        with pytest.raises(Exception, match="scope"):
            project.write(("notes/a", "2", "CACHE"), gene=gene)
    domains = [
        [event["gene_domain"] for event in project.run("telemetry", "tail", *words, "--json").json()]
        for words in (["-n", "1"], ["-n", "9"], ["-n", "9", "--gene", "one"], ["-n1", "--text", "ONE"])
    ]
    assert domains == [["two"], ["one", "two"], ["one"], ["one"]]


def screen_lines(project: Any, *arguments: str, columns: int) -> list[str]:
    status, shown = shown_at_a_terminal(
        [PROGRAM, *arguments],
        columns=columns,
        cwd=project.root,
        environment={"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "NO_COLOR": "1"},
    )
    assert status == 0
    return shown.replace("\r\n", "\n").splitlines()


@pytest.mark.parametrize("columns", [72, 80, 100])
def test_a_line_at_a_terminal_is_folded_at_blanks(project: Any, columns: int) -> None:
    """CLI-3: under what it goes on with, so that no terminal breaks a word; nothing is lost."""
    project.add_agent()
    project.write(("notes/" + "键" * 60 + " and a tail of words", "1", "CACHE"))
    project.write(("notes/a", "1", "CACHE"))
    project.add_gene("stranger", domain="other")
    with pytest.raises(Exception, match="scope"):
        project.write(("notes/a", "2", "CACHE"), gene="stranger")
    for log in ("audit", "telemetry"):
        lines = screen_lines(project, log, "tail", columns=columns)
        widths = [
            sum(2 if unicodedata.east_asian_width(each) == "W" else 1 for each in line) for line in lines
        ]
        assert max(widths) <= columns
        assert any(line.startswith(" " * 40) for line in lines)
        assert "MEMORY_ACCESS_DENIED" in " ".join(lines)
    text = "".join(line.strip() for line in screen_lines(project, "audit", "tail", columns=columns))
    assert text.count("键") == 60


def test_a_span_is_that_long_ago(project: Any) -> None:
    """CLI-6."""
    project.add_agent()
    assert len(project.run("audit", "tail", "--since", "1h", "--json").json()) == 1
    for text in ("0s", "1", "1 y", "-1d", "1e9d", "NaNd", "1.5.2d", "１d", "1" * 5000 + "d"):
        outcome = project.run("audit", "tail", f"--since={text}", "--json")
        assert (outcome.exit_code, outcome.stdout) == ((0, "[]\n") if text == "0s" else (2, ""))


def test_a_long_log_is_printed_to_its_end(project: Any) -> None:
    """REC-9: it comes in pieces, and the array is one."""
    project.is_sound = False
    project.add_agent()
    line = json.dumps({"action": "memory_write", "key": "k" * 1000}).encode() + b"\n"
    with (project.root / ".rotifer" / "audit.jsonl").open("ab") as file:
        file.write(line * 12_000 + b"garbage\n" * 5)
    outcome = project.program("audit", "tail", "--json")
    assert len(outcome.json()) == 12_001
    assert outcome.stderr == (
        "5 lines could not be read: audit.jsonl:12002, audit.jsonl:12003, audit.jsonl:12004 and 2 more\n"
    )
    assert len(project.program("audit", "tail").stdout.splitlines()) == 12_001


def test_no_value_is_ever_printed(project: Any) -> None:
    """REC-1."""
    project.add_agent()
    project.write(("notes/a", "hunter2", "CACHE"))
    for arguments in (["audit", "tail"], ["audit", "tail", "--json"], ["audit", "verify"], ["doctor"]):
        assert "hunter2" not in "".join(map(str, project.run(*arguments)))
