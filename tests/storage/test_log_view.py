"""The logs of a real store as a screen shows them, through all that befalls them (REC-5, REC-9, TUI-5)."""

from __future__ import annotations

import json
import os
import threading

import pytest

from rotifer_store import (
    AuditRecord,
    Gene,
    LogChange,
    LogFilter,
    LogNotice,
    LogNoticeKind,
    MemoryAccessDenied,
    MemoryInvalidInput,
    MemoryStorageError,
    TelemetryRecord,
    UnreadableLine,
)
from storage.stage import AUDIT, FOREIGN, OURS, TELEMETRY, folder_of, make_store, open_at_start

MIB = 1 << 20


@pytest.fixture
def project(tmp_path):
    return make_store(tmp_path)


@pytest.fixture
def store(project):
    with open_at_start(project) as opened:
        yield opened


@pytest.fixture
def view(store):
    """A view of the audit log that has counted what there is: five lines."""
    with store.audit_view() as opened:
        assert opened.is_behind
        assert opened.poll() == LogChange(5, 0)
        assert not opened.is_behind
        yield opened


@pytest.fixture
def log(project):
    return folder_of(project) / AUDIT


def write(store, key="k", gene=OURS):
    store.gene_memory("main", gene).write_memory(key, b"", "CACHE")


def shown(view):
    """Sequence numbers of records and sizes of unreadable lines, of all lines."""
    return [
        record.seq if isinstance(record, AuditRecord) else f"{record.size_bytes} bytes"
        for record in view.records(0, view.line_count)
    ]


def polled(view):
    """Polls until nothing is left to look at; the kinds of what befell the log."""
    kinds = [notice.kind for notice in view.poll().notices]
    while view.is_behind:
        kinds += [notice.kind for notice in view.poll().notices]
    return kinds


def found(view, wanted, **bounds):
    """The lines of a whole search, newest first."""
    return [line for part in view.matches(wanted, **bounds) for line in part.lines]


# Following


def test_what_is_written_is_there_after_a_poll(store, view):
    write(store, "a")
    assert view.line_count == 5
    assert view.poll() == LogChange(1, 5)
    assert (view.line_count, view.poll()) == (6, LogChange())
    (record,) = view.records(5, 10)
    assert (record.seq, record.key) == (6, "a")


def test_a_rotation_changes_no_line(store, view):
    """REC-9: rotated files come first."""
    before = view.records(0, 5)
    write(store)
    closed = store.rotate_audit()
    write(store)
    assert view.poll() == LogChange(3, 5, False, (LogNotice(closed.name, LogNoticeKind.ROTATED),))
    assert shown(view) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert view.records(0, 5) == before
    assert (view.raw(5).file, view.raw(5).line_number) == (closed.name, 6)
    assert (view.raw(6).file, view.raw(6).line_number) == (AUDIT, 1)
    assert view.raw(8) is None


def test_rotated_files_of_before_are_counted_too(store):
    for _ in range(3):
        write(store)
        store.rotate_audit()
    with store.audit_view() as view:
        assert polled(view) == []
        assert shown(view) == list(range(1, 12))


def test_a_log_that_was_cut_has_the_lines_that_it_has_now(store, view, log):
    """Complaint: truncate and copytruncate; no line twice."""
    write(store)
    store.rotate_audit()
    polled(view)
    os.truncate(log, 0)
    write(store)
    change = view.poll()
    assert change == LogChange(1, 6, True, (LogNotice(AUDIT, LogNoticeKind.CUT),))
    assert shown(view) == [1, 2, 3, 4, 5, 6, 8]


def test_a_log_that_was_cut_and_grew_back_to_its_size_is_read_anew(store, view, log):
    """Complaint: shrink and regrow; neither its size nor its times need to show it."""
    lines = log.read_bytes().split(b"\n")
    times = log.stat()
    with log.open("r+b") as file:
        file.truncate()
        file.write(b"\n".join([lines[1], lines[0], *lines[3:1:-1], lines[4], b""]))
    os.utime(log, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert log.stat().st_size == times.st_size
    if lines[4] in log.read_bytes()[-len(lines[4]) - 1 :]:  # its end alone is the same
        with log.open("r+b") as file:
            file.seek(-2, os.SEEK_END)
            file.write(b"]")
    assert view.poll().restarted
    assert shown(view)[:4] == [2, 1, 4, 3]


def test_a_deleted_log_is_shown_until_another_comes(store, view, log):
    """TUI-5: deletion is told, and what was on the screen stays."""
    log.unlink()
    assert view.poll() == LogChange(notices=(LogNotice(AUDIT, LogNoticeKind.GONE),))
    assert view.poll() == LogChange()
    assert shown(view) == [1, 2, 3, 4, 5]
    write(store)
    assert view.poll() == LogChange(1, 0, True, (LogNotice(AUDIT, LogNoticeKind.REPLACED),))
    assert shown(view) == [6]


def test_a_log_that_another_tool_moved_away_leaves_the_view(store, view, log):
    """Complaint: rename and new."""
    write(store, "a")
    log.rename(log.with_name("audit.jsonl.1"))
    write(store, "b")
    assert polled(view) == [LogNoticeKind.REPLACED]
    assert shown(view) == [7]


def test_no_log_is_an_empty_one(store, log):
    """Complaint: absent at start."""
    log.unlink()
    with store.audit_view() as view:
        assert view.newest(5) == []
        assert view.poll() == LogChange()
        assert (view.is_behind, view.line_count, view.records(0, 5), view.raw(0)) == (False, 0, [], None)
        assert found(view, LogFilter()) == []
        write(store)
        assert view.poll() == LogChange(1, 0)


@pytest.mark.parametrize("put", [lambda path: path.mkdir(), lambda path: path.symlink_to("/dev/zero")])
def test_what_is_no_file_is_an_error_until_it_has_gone(store, view, log, put):
    """Complaint: a directory in its place; REC-7: a link is not followed. What is known stays readable."""
    moved = log.rename(log.with_name("kept"))
    put(log)
    for _ in range(2):
        with pytest.raises(MemoryStorageError):
            view.poll()
        assert not view.is_behind
    assert shown(view) == [1, 2, 3, 4, 5]
    assert [record.seq for record in view.newest(2)] == [4, 5]
    log.rmdir() if log.is_dir() and not log.is_symlink() else log.unlink()
    moved.rename(log)
    assert view.poll() == LogChange()
    write(store)
    assert view.poll() == LogChange(1, 5)


def test_half_a_line_counts_once(store, view, log):
    """Complaint: half a line, later the rest, is one line; meanwhile it is told apart."""
    with log.open("ab") as file:
        file.write(b'{"seq":6,"key":"\xe3')
    assert (view.poll(), view.begun_bytes) == (LogChange(1, 5), 17)
    assert shown(view)[5:] == ["17 bytes"]
    assert [part.unreadable for part in view.matches(LogFilter())] == [[]]
    with log.open("ab") as file:
        file.write(b'\x81\x82"}')
    assert (view.poll(), view.begun_bytes) == (LogChange(0, 5), 21)
    assert shown(view)[5:] == [6]  # it may be that nobody will write its newline
    with log.open("ab") as file:
        file.write(b"\n")
    assert (view.poll(), view.begun_bytes) == (LogChange(0, 5), 0)
    assert (shown(view)[5:], view.records(5, 1)[0].key) == ([6], "あ")


def test_a_long_log_is_counted_in_parts(store, log):
    """TUI-5: a screen shows that the count grows, and the newest lines before it has."""
    with log.open("ab") as file:
        for number in range(90):
            file.write(b'{"seq":%d,"key":"' % (number + 6) + b"x" * MIB + b'"}\n')
    with store.audit_view() as view:
        assert [record.seq for record in view.newest(2)] == [94, 95]
        counts = []
        while view.is_behind:
            assert [record.seq for record in view.newest(1)] == [95]
            counts.append(view.poll().added)
            assert view.counted_bytes + view.uncounted_bytes == log.stat().st_size
        assert sum(counts) == view.line_count == 95
        assert len(counts) > 2
        assert view.uncounted_bytes == 0
        assert [record.seq for record in view.newest(2)] == [94, 95]


def test_a_view_beside_writers_and_rotations_has_every_line_once(project, store):
    """REC-9: whenever it looks."""
    done = threading.Event()

    def work():
        with open_at_start(project) as other:
            for number in range(60):
                write(other, f"k{number % 7}")
                if number % 5 == 0:
                    other.rotate_audit()
        done.set()

    worker = threading.Thread(target=work)
    with store.audit_view() as view:
        worker.start()
        while not done.is_set():
            assert not view.poll().restarted
            seqs = shown(view)
            assert seqs == list(range(1, len(seqs) + 1))
        worker.join()
        polled(view)
        assert shown(view) == list(range(1, 5 + 60 + 12 + 1))


def test_a_view_keeps_one_file_open_and_lets_go_of_it(project, store):
    store.rotate_audit()
    store.close()
    with open_at_start(project, read_only=True) as reader, reader.audit_view() as view:
        assert open_logs(project) == []
        polled(view)
        assert len(open_logs(project)) == 1
        assert shown(view) == [1, 2, 3, 4, 5, 6]
        assert len(open_logs(project)) == 2
        view.poll()
        assert len(open_logs(project)) == 1
        shown(view)
    assert open_logs(project) == []


def open_logs(project):
    """The log files that this process holds open."""
    folder = f"/proc/{os.getpid()}/fd"
    held = [
        os.readlink(f"{folder}/{number}")
        for number in os.listdir(folder)
        if os.path.exists(f"{folder}/{number}")
    ]
    return [path for path in held if path.startswith(str(folder_of(project))) and ".jsonl" in path]


# Reading


def test_a_rotated_file_that_has_gone_leaves_a_gap_and_then_none(store, view):
    """TUI-5: what can be had is had, under its number; the next poll leaves the rest out."""
    closed = store.rotate_audit()
    write(store)
    polled(view)
    closed.unlink()
    gap = [UnreadableLine(closed.name, number, 0) for number in range(1, 6)]
    assert view.records(0, 5) == gap
    assert view.raw(2) is None
    assert [record.seq for record in view.records(5, 9)] == [6, 7]
    change = view.poll()
    assert change == LogChange(2, 0, True, (LogNotice(closed.name, LogNoticeKind.GONE),))
    assert shown(view) == [6, 7]


def test_a_line_that_was_cut_away_since_the_last_poll_is_told_as_gone(view, log):
    size_bytes = log.stat().st_size
    os.truncate(log, size_bytes - 10)
    assert shown(view)[:4] == [1, 2, 3, 4]
    assert shown(view)[4:] == ["0 bytes"]
    assert view.raw(4) is None
    os.truncate(log, 0)
    assert shown(view) == ["0 bytes"] * 5


@pytest.mark.parametrize(
    ("line", "size"),
    [
        (b"\n", 0),
        (b"\r\n", 1),
        (b"\xef\xbb\xbf{}\n", 5),
        (b"null\n", 4),
        (b"[]", 2),
        (b"1", 1),
        (b"\x00" * 9, 9),
        (b'{"key":"\xff\xfe"}\n', 12),
        (b"{" * 5000, 5000),
    ],
)
def test_what_is_no_object_is_told_and_harms_no_other(store, view, log, line, size):
    """REC-5, complaints: blank, CRLF, BOM, garbage, NULs, invalid UTF-8; with or without a newline."""
    with log.open("ab") as file:
        file.write(line)
    write(store)
    polled(view)
    assert shown(view) == [1, 2, 3, 4, 5, f"{size} bytes", 6]
    assert view.raw(5).data == line.rstrip(b"\n")
    assert [part.unreadable for part in view.matches(LogFilter(action="memory_write"))] == [[5]]


def test_an_object_without_our_members_is_a_record(view, log):
    """Complaint: `{}` and CRLF are no garbage."""
    with log.open("ab") as file:
        file.write(b'{}\r\n{"seq":"7","action":"theirs","more":[{}]}\n')
    polled(view)
    empty, theirs = view.records(5, 2)
    assert (empty.action, theirs.action, theirs.seq) == (None, "theirs", None)
    assert [part.unreadable for part in view.matches(LogFilter())] == [[]]
    assert found(view, LogFilter(action="theirs")) == [6]


def test_a_long_line_is_a_record_and_its_beginning_is_shown(view, log):
    """Complaint: one line of 5 MiB."""
    line = b'{"seq":6,"key":"' + b"x" * (5 * MIB) + b'"}'
    with log.open("ab") as file:
        file.write(line + b"\n" + line.replace(b"6", b"7") + b"\n{}\n")
    polled(view)
    assert [record.seq for record in view.records(5, 3)] == [6, 7, None]
    raw = view.raw(6)
    assert (raw.size_bytes, raw.is_cut, len(raw.data)) == (len(line), True, 1 << 16)
    assert raw.data == line.replace(b"6", b"7")[: 1 << 16]
    assert not view.raw(7).is_cut
    assert found(view, LogFilter(text="}"), first=5) == [7, 6, 5]


def test_a_line_beyond_every_bound_is_told_by_its_size(view, log):
    size_bytes = 17 * MIB
    with log.open("ab") as file:
        file.write(b'{"key":"' + b"x" * (size_bytes - 10) + b'"}\n{"seq":7}\n')
    polled(view)
    assert shown(view)[4:] == [5, f"{size_bytes} bytes", 7]


def test_reads_outside_the_log_bring_what_there_is(view):
    assert [record.seq for record in view.records(-3, 5)] == [1, 2]
    assert [record.seq for record in view.records(3, 100)] == [4, 5]
    assert view.records(5, 1) == view.records(0, 0) == view.records(0, -1) == []
    assert (view.raw(-1), view.raw(5)) == (None, None)
    assert [record.seq for record in view.newest(100)] == [1, 2, 3, 4, 5]
    assert view.newest(0) == []


@pytest.mark.parametrize("is_counted", [True, False])
def test_the_newest_lines_are_there_at_once(store, is_counted):
    """TUI-5: over the borders of files, before anything is counted."""
    store.rotate_audit()
    write(store)
    store.rotate_audit()
    with store.audit_view() as view:
        if is_counted:
            polled(view)
        for count in range(10):
            seqs = [record.seq for record in view.newest(count)]
            assert seqs == list(range(1, 9))[8 - min(8, count) :]


def test_newest_lines_that_are_far_from_the_end_wait_for_the_count(store, log):
    """What is looked at for them is bounded."""
    with log.open("ab") as file:
        file.write(b"x" * (17 * MIB) + b'\n{"seq":7}\n')
    with store.audit_view() as view:
        assert [record.seq for record in view.newest(3)] == [7]
        polled(view)
        assert [record.seq for record in view.newest(3)[::2]] == [5, 7]


# Searching


@pytest.fixture
def crowd(store):
    """Some more records: of three genes, two agents, and keys of every kind."""
    store.create_agent("other")
    late = Gene("v2:" + "c" * 64, "formatter", name="ours")  # two genes may have one name
    for key in ("plain", "É", "あ", 'a"b\\c', "a/b", "tab\t", "\x7f", "😀", "{x", "straße"):
        write(store, key)
        write(store, key, late)
    store.gene_memory("other", OURS).write_memory("plain", b"", "PATTERN")
    with pytest.raises(MemoryAccessDenied):
        store.gene_memory("main", FOREIGN).read_memory("plain")
    store.rotate_audit()
    return store


def number_of(store):
    """Where each record stands."""
    return {record: line for line, record in enumerate(store.audit_records())}


ASKED = [
    {},
    {"action": "memory_update"},
    {"action": "audit_checkpoint"},
    {"action": "nothing"},
    {"key": "plain"},
    {"key": "É"},
    {"key": "é"},
    {"key": "あ"},
    {"key": 'a"b\\c'},
    {"key": "a/b"},
    {"key": "tab\t"},
    {"key": "\x7f"},
    {"key": "😀"},
    {"key": "lain"},
    {"gene": OURS.id},
    {"gene": "ours"},
    {"gene": "foreign"},
    {"gene": "nobody"},
    {"since": "2026-01-01T00:00:00Z"},
    {"since": "2026-01-01T00:00:01Z"},
    {"action": "memory_update", "key": "plain", "gene": "ours"},
    {"action": "memory_write", "key": "plain", "gene": "foreign"},
]


@pytest.mark.parametrize("asked", ASKED, ids=repr)
@pytest.mark.parametrize("agent", [None, "other"])
def test_a_search_finds_what_the_log_is_asked_for(crowd, asked, agent):
    """TUI-5: the records of `audit_records`, newest first, in whatever slices."""
    numbers = number_of(crowd)
    expected = [numbers[record] for record in crowd.audit_records(agent, **asked)]
    agent_id = None if agent is None else crowd.agent(agent).id
    with crowd.audit_view() as view:
        polled(view)
        assert found(view, LogFilter(agent_id=agent_id, **asked)) == expected[::-1]
        assert found(view, LogFilter(agent_id=agent_id, **asked), first=3, last=12) == [
            line for line in reversed(expected) if 3 <= line < 12
        ]


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("PLAIN", {"plain"}),
        ("é", {"É"}),
        ("É", {"É"}),
        ("あ", {"あ"}),
        ('a"B', {'a"b\\c'}),
        ("a/B", {"a/b"}),
        ("\t", {"tab\t"}),
        ("STRASSE", {"straße"}),
        ("{x", {"{x"}),
        ('"KEY":"plain"', {"plain"}),
        ("nowhere", set()),
    ],
)
def test_a_text_is_found_whatever_its_case_or_escape(crowd, text, keys):
    """TUI-5: in the line as it stands, and in what its strings mean."""
    with crowd.audit_view() as view:
        polled(view)
        lines = found(view, LogFilter(text=text))
        assert {view.records(line, 1)[0].key for line in lines} == keys
        assert len(lines) == len([r for r in crowd.audit_records() if r.key in keys])
        assert found(view, LogFilter(text=text, action="agent_create")) == []
        assert found(view, LogFilter(text="", action="agent_create")) == [5, 0]


@pytest.mark.parametrize(
    "line",
    [
        b'{"action":"memory_write","key":"\xc3\xa9/x"}',
        b'{ "key" : "\\u00E9\\/x" , "action" : "memory_write" }',
        b'{"action":"\\u006demory_write","key":"\\u00e9\\u002fx"}',
        b'{"action":"memory\\u005Fwrite","key":"\\u00e9\\u002Fx"}',
    ],
)
def test_other_writers_lines_are_found_in_whatever_form(view, log, line):
    """REC-5: JSON may write one text in many ways."""
    with log.open("ab") as file:
        file.write(line + b"\n")
    polled(view)
    assert view.records(5, 1)[0].key == "é/x"
    for wanted in (LogFilter(key="é/x"), LogFilter(key="é/x", action="memory_write"), LogFilter(text="É/X")):
        assert found(view, wanted) == [5]


def test_a_text_is_found_in_what_is_no_record(view, log):
    with log.open("ab") as file:
        file.write(b"torn MIDDLE\xff\n")
    polled(view)
    (part,) = view.matches(LogFilter(text="middle\N{REPLACEMENT CHARACTER}"))
    assert (part.first, part.lines, part.unreadable) == (0, [5], [5])
    (part,) = view.matches(LogFilter(text="middle", action="memory_write"))
    assert (part.first, part.lines, part.unreadable) == (0, [], [5])
    assert found(view, LogFilter()) == [5, 4, 3, 2, 1, 0]


@pytest.mark.parametrize("wanted", ["late", "v2:" + "c" * 64])
def test_a_gene_is_known_by_its_name_as_soon_as_it_acts(store, view, wanted):
    """AGT-10."""
    write(store, "x", Gene("v2:" + "c" * 64, "formatter", name="late"))
    polled(view)
    assert found(view, LogFilter(gene=wanted)) == [5]


@pytest.mark.parametrize("wanted", [LogFilter(key=""), LogFilter(key="\ud800"), LogFilter(since="now")])
def test_a_filter_of_another_form_is_refused_at_once(view, wanted):
    """INP-1, AGT-4."""
    with pytest.raises(MemoryInvalidInput):
        view.matches(wanted)


def test_a_search_in_slices_ends_where_lines_were_lost(view, log):
    """TUI-5: numbers of before mean nothing after it."""
    with log.open("ab") as file:
        file.write((b'{"key":"' + b"x" * 1000 + b'"}\n') * 5000)
    polled(view)
    search = view.matches(LogFilter(text="xxx"))
    newest = next(search)
    assert newest.lines[0] == 5004
    assert newest.first > 2500
    with log.open("ab") as file:
        file.write(b"{}\n")
    polled(view)
    assert next(search).lines[0] == newest.first - 1
    os.truncate(log, 0)
    with log.open("ab") as file:
        file.write((b'{"key":"' + b"x" * 1001 + b'"}\n') * 5000)
    polled(view)
    assert list(search) == []


def test_telemetry_is_viewed_too(store, project):
    """REC-4: an event is an action of the log; it never holds a key."""
    with store.telemetry_view() as view:
        assert view.poll() == LogChange()
        for _ in range(2):
            with pytest.raises(MemoryAccessDenied):
                store.gene_memory("main", FOREIGN).read_memory("wish")
        assert view.poll() == LogChange(2, 0)
        events = view.records(0, 2)
        assert [(type(event), event.operation) for event in events] == [(TelemetryRecord, "read")] * 2
        agent_id = store.agent("main").id
        for wanted in (
            LogFilter(action="memory_access_denied"),
            LogFilter(gene="foreign"),
            LogFilter(gene=FOREIGN.id, agent_id=agent_id, since="2026-01-01T00:00:00Z"),
            LogFilter(text="DENIED"),
        ):
            assert found(view, wanted) == [1, 0]
        for wanted in (LogFilter(key="wish"), LogFilter(gene="ours"), LogFilter(action="read")):
            assert found(view, wanted) == []
        assert json.loads(view.raw(0).data)["event"] == "memory_access_denied"
        (folder_of(project) / TELEMETRY).unlink()
        assert polled(view) == [LogNoticeKind.GONE]
