"""SIGKILL at each step of a change, alone and beside seven writers: all of it or nothing, and its lines."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
from itertools import chain

import pytest

from crash.doomed import (
    APPLIED,
    BEFORE_COMMIT,
    BEFORE_LINES,
    COMMITTED,
    KINDS,
    LINES_WRITTEN,
    LOCKED,
    OURS,
    START_US,
    STEPS,
    UNSAVED_STEPS,
    change_and_die,
    held_after,
    make_store,
    open_and_die,
    prepare,
    prepared_actions,
    rotate_and_die,
    successor,
    write_and_tell,
    write_until_stopped,
)
from property.log_replay import LogReplay
from rotifer_store import FixedClock, open_store

IN_FULL = bool(os.environ.get("CI"))
ROUNDS = 200 if IN_FULL else 10
"""How many die at each step."""
ROUNDS_OF_A_STORE = 20


def victims_of(step):
    """The victims' names and what each dies of: every kind of change in turn, another first for each step."""
    kinds, first = list(KINDS.values()), STEPS.index(step)
    return {f"victim-{number}": kinds[(number + first) % len(kinds)] for number in range(ROUNDS)}


def batched(items, size):
    """Lists of `size` items, the last one shorter."""
    items = list(items)
    return [items[start : start + size] for start in range(0, len(items), size)]


def prepare_all(project, victims):
    prepare(project, [(name, kind.name) for name, kind in victims.items()])


def committed_end(project):
    """The chain's end as the database has it, read by no code of ours."""
    uri = (project / ".rotifer" / "playground.db").as_uri()
    connection = sqlite3.connect(f"{uri}?mode=ro", uri=True)
    try:
        return connection.execute("SELECT seq, hash FROM rotifer_state").fetchone()
    finally:
        connection.close()


def held_by(store, name):
    """What an agent holds; its counters must say the same (QUO-1)."""
    rows = store.browse_memory(name, limit=1_000).rows
    usage = store.memory_usage(name)
    assert usage.used_bytes == sum(row.size_bytes for row in rows) <= usage.quota_bytes
    for category, part in usage.by_category.items():
        sizes = [row.size_bytes for row in rows if row.category == category]
        assert (part.entries, part.bytes) == (len(sizes), sum(sizes))
    return {row.key: (row.category, row.size_bytes) for row in rows}


def assert_all_or_nothing(store, kind, name, *, is_saved):
    """The agent holds what it held before the change, or what the change makes of it."""
    assert held_by(store, name) == (kind.after if is_saved else kind.before)
    names = {agent.name for agent in store.agents()}
    assert (successor(name) in names) == (is_saved and kind.name == "new agent")


def assert_log_replays_to(store, replay):
    """REC-3: what the log implies is what the store holds, of every agent."""
    implied = {
        place: (line["category"], len(place[1].encode()) + line["bytes"])
        for place, line in replay.entries.items()
    }
    held = {
        (agent.id, row.key): (row.category, row.size_bytes)
        for agent in store.agents()
        for row in store.browse_memory(agent, limit=1_000).rows
    }
    assert implied == held


def actions(records):
    return [record["action"] for record in records]


def assert_revoked_first(records, unsaved, operation):
    """REC-3: the one line that revokes comes before any other, and names the dead change's txn."""
    if not unsaved:
        assert "memory_aborted" not in actions(records)
        return
    first = records[0]
    assert (first["action"], first["actor"], first["operation"]) == ("memory_aborted", "system", operation)
    assert first["txn"] == unsaved[0]["txn"] == unsaved[0]["seq"]
    assert {line["txn"] for line in unsaved} == {first["txn"]}
    assert "memory_aborted" not in actions(records[1:])


class LoneStore:
    """A store that a survivor holds open while victims die beside it, and what its log has said so far."""

    def __init__(self, project, victims):
        project.mkdir()
        make_store(project)
        prepare_all(project, victims)
        self.project = project
        self.clock = FixedClock(START_US)
        self.survivor = open_store(project, clock=self.clock)
        self.replay = LogReplay(project / ".rotifer" / "audit.jsonl")
        self.replay.catch_up()

    def close(self):
        assert_log_replays_to(self.survivor, self.replay)
        self.survivor.close()

    def look_at_the_dead(self, step, kind):
        """The unsaved lines. What is saved and what is told must be what the step makes of them."""
        records = self.replay.catch_up()
        seq, digest = committed_end(self.project)
        saved = [record for record in records if record["seq"] <= seq]
        unsaved = [record for record in records if record["seq"] > seq]
        assert actions(unsaved) == (list(kind.told) if step in UNSAVED_STEPS else [])
        assert actions(saved) == (list(kind.told) if step == COMMITTED else [])
        if not unsaved:
            assert (self.replay.last_seq, self.replay.last_hash) == (seq, digest), "a change without its line"
        return unsaved

    def go_on_by_opening(self, unsaved):
        with open_store(self.project, clock=self.clock):
            records = self.replay.catch_up()
        assert_revoked_first(records, unsaved, "open")
        assert len(records) == (1 if unsaved else 0)

    def go_on_by_a_change(self, unsaved):
        self.survivor.gene_memory("main", OURS).write_memory("s", b"s", "PATTERN")
        records = self.replay.catch_up()
        assert_revoked_first(records, unsaved, "write")
        assert len(records) == (2 if unsaved else 1)
        assert actions(records)[-1] in ("memory_write", "memory_update")


@pytest.mark.parametrize("step", STEPS)
def test_a_process_killed_at_a_step_leaves_all_of_its_change_or_nothing(tmp_path, processes, step):
    """REC-2, REC-3, QUO-1: the next opening, or the next change, revokes the dead one's lines first."""
    for number, victims in enumerate(batched(victims_of(step).items(), ROUNDS_OF_A_STORE)):
        lone = LoneStore(tmp_path / str(number), dict(victims))
        for turn, (name, kind) in enumerate(victims, STEPS.index(step)):
            answer = processes.run(change_and_die, lone.project, step, name, kind.name)
            assert answer.signal == signal.SIGKILL, (kind, answer.trouble)

            unsaved = lone.look_at_the_dead(step, kind)
            if turn % 2:
                lone.go_on_by_opening(unsaved)
            else:
                lone.go_on_by_a_change(unsaved)
            assert_all_or_nothing(lone.survivor, kind, name, is_saved=step == COMMITTED)
            assert lone.survivor.verify() == [], kind
        lone.close()


@pytest.mark.parametrize("step", STEPS)
def test_seven_writers_go_on_while_others_die_beside_them(tmp_path, processes, step):
    """REC-2, REC-3: whoever gets the lock next revokes first; no writer sees an error or loses a change."""
    victims = victims_of(step)
    make_store(tmp_path)
    prepare_all(tmp_path, victims)
    stop = tmp_path / "stop"
    writers = [processes.start(write_until_stopped, tmp_path, worker, stop) for worker in range(7)]

    for wave in batched(victims.items(), 8):
        pids = [processes.start(change_and_die, tmp_path, step, name, kind.name) for name, kind in wave]
        for pid, (_, kind) in zip(pids, wave, strict=True):
            answer = processes.wait(pid)
            assert answer.signal == signal.SIGKILL, (kind, answer.trouble)
    stop.touch()
    ended = [processes.wait(writer) for writer in writers]

    with open_store(tmp_path, clock=FixedClock(START_US)) as store:
        assert store.verify() == []
        replay = LogReplay(tmp_path / ".rotifer" / "audit.jsonl")
        records = replay.catch_up()
        assert_log_replays_to(store, replay)
        for name, kind in victims.items():
            assert_told_and_held(store, records, step, kind, name)
    for worker, answer in enumerate(ended):
        assert answer.trouble is None
        keys = [record["key"] for record in records if str(record["key"]).startswith(f"w{worker}/")]
        assert keys == [f"w{worker}/{count % 20}" for count in range(answer.result)]
        assert keys, "the writer wrote nothing meanwhile"


def assert_told_and_held(store, records, step, kind, name):
    """One victim among others: its lines, the line that revokes them next to the last, and what it holds."""
    own = [record for record in records if record["agent"] in (name, successor(name))]
    told = [] if step not in {*UNSAVED_STEPS, COMMITTED} else list(kind.told)
    revoked = ["memory_aborted"] if step in UNSAVED_STEPS else []
    assert actions(own) == prepared_actions(kind) + told + revoked
    if revoked:
        doomed = own[-1 - len(told) : -1]
        assert {record["txn"] for record in own[-1 - len(told) :]} == {doomed[0]["seq"]}
        seqs = [record["seq"] for record in own[-1 - len(told) :]]
        assert seqs == list(range(seqs[0], seqs[0] + len(seqs))), "another's line came before it was revoked"
    assert_all_or_nothing(store, kind, name, is_saved=step == COMMITTED)


@pytest.mark.parametrize("second", [LOCKED, BEFORE_LINES, LINES_WRITTEN, BEFORE_COMMIT, COMMITTED])
def test_a_process_killed_while_it_revokes_leaves_one_revoking_line(tmp_path, processes, second):
    """REC-3: those who come after finish what it began and do not revoke twice."""
    victims = {kind.name.replace(" ", "-").replace("'", ""): kind for kind in KINDS.values()}
    lone = LoneStore(tmp_path / "project", victims)
    for name, kind in victims.items():
        processes.run(change_and_die, lone.project, BEFORE_COMMIT, name, kind.name)
        unsaved = lone.look_at_the_dead(BEFORE_COMMIT, kind)

        assert processes.run(open_and_die, lone.project, second).signal == signal.SIGKILL

        lone.survivor.gene_memory("main", OURS).write_memory("s", b"s", "PATTERN")
        records = lone.replay.catch_up()
        assert_revoked_first(records, unsaved, "write" if second in (LOCKED, BEFORE_LINES) else "open")
        assert len(records) == 2
        assert_all_or_nothing(lone.survivor, kind, name, is_saved=False)
        assert lone.survivor.verify() == []
    lone.close()


@pytest.mark.parametrize("step", [step for step in STEPS if step != APPLIED])
def test_a_log_whose_rotation_was_cut_short_goes_on(tmp_path, processes, step):
    """REC-9, REC-3: renamed or not, with or without its checkpoint, the chain goes on from file to file."""
    make_store(tmp_path)
    for _ in range(20 if IN_FULL else 2):
        assert processes.run(rotate_and_die, tmp_path, step).signal == signal.SIGKILL
        with open_store(tmp_path, clock=FixedClock(START_US)) as store:
            store.gene_memory("main", OURS).write_memory("k", b"1", "PATTERN")
            assert store.verify() == []
            seqs = [record.seq for record in store.audit_records()]
            assert seqs == list(range(1, len(seqs) + 1))


def test_changes_that_returned_survive_a_kill_at_any_moment(tmp_path, processes):
    """REC-2, python-api: in normal durability a crash of the process loses nothing that was promised."""
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    dice = random.Random(seed)
    make_store(tmp_path)
    for number in range(60 if IN_FULL else 20):
        name, pipe = f"victim-{number}", tmp_path / f"told-{number}"
        os.mkfifo(pipe)
        pid = processes.start(write_and_tell, tmp_path, name, pipe)
        with open(pipe, "rb", buffering=0) as told:
            returned = len(told.read(1))
            while returned < dice.randrange(1, 40):
                returned += len(told.read(1))
            os.kill(pid, signal.SIGKILL)
            returned += sum(len(more) for more in iter(lambda told=told: told.read(4096), b""))
        assert processes.wait(pid).signal == signal.SIGKILL

        with open_store(tmp_path, clock=FixedClock(START_US)) as store:
            assert held_by(store, name) in (held_after(returned), held_after(returned + 1))
    with open_store(tmp_path, clock=FixedClock(START_US)) as store:
        assert store.verify() == []
        replay = LogReplay(tmp_path / ".rotifer" / "audit.jsonl")
        assert set(actions(replay.catch_up())) >= {"memory_write", "memory_update", "memory_delete"}
        assert_log_replays_to(store, replay)


def test_every_kind_of_change_has_its_own_lines():
    """The kinds cover every action that changes an entry, so no test above can be about nothing."""
    told = set(chain.from_iterable(kind.told for kind in KINDS.values()))
    puts_or_removes = {"memory_write", "memory_update", "memory_delete", "memory_evict", "memory_expire"}
    assert told >= {*puts_or_removes, "memory_import"}
