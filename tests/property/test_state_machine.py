"""Random histories of a store on disk, held against the naive model of reference.py after every step."""

from __future__ import annotations

import hashlib
import tempfile
from datetime import timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from property.forms import (
    BAD_CALLS,
    GENES,
    GENES_WITHOUT_ID,
    GOOD_CALLS,
    access_form,
    at,
    days_of,
    gene_of,
    retention_form,
    seen_by_deployer,
    seen_by_gene,
    told_to_deployer,
    told_to_gene,
)
from property.log_replay import LogReplay, events
from property.reference import LEFT_OUT, ReferenceStore, Refused, may
from rotifer_store import DataPolicy, FixedClock, MemoryFilter, RotiferStoreError, open_store

START_US = 1_767_225_600_000_000  # 2026-01-01T00:00:00Z
INDIA = timezone(timedelta(hours=5, minutes=30))
AGENT_IDS = {
    "main": "11111111-1111-4111-8111-111111111111",
    "other": "22222222-2222-4222-8222-222222222222",
}
KEYS = ["k", "l", "m", "formatter/indent", "linter/é", "%_*"]
VALUES = [b"", b"1", b"2", b"a" * 8, b"b" * 8, b"c" * 19, b"d" * 33, b"e" * 90]
SECONDS = [0.000001, 1, 3_600, 43_200, -0.000001, -1, -3_600, -43_200, -172_800]

doors = st.booleans()
who_of_two = st.sampled_from([0, 0, 0, 1])
genes = st.sampled_from(["a", "a", "b", "b", "o"])
keys = st.sampled_from(KEYS)
values = st.sampled_from(VALUES)
categories = st.sampled_from(["PREFERENCE", "PATTERN", "CONTEXT", "CACHE", "CACHE"])
quotas = st.sampled_from([20, 45, 45, 70, 70, 120, 400])
scopes = st.sampled_from(["CREATOR_GENE_ONLY", "SAME_DOMAIN", "SAME_DOMAIN", "ALL_GENES", "ALL_GENES"])
shares = st.sampled_from(["PRIVATE", "PRIVATE", "PRIVATE", "ANONYMIZED_SHARE", "KNOWLEDGE_GENE"])
accesses = (
    st.just(LEFT_OUT)
    | st.just(("SAME_DOMAIN", "SAME_DOMAIN", "PRIVATE"))
    | st.tuples(scopes, scopes, shares)
    | st.just(("DEPLOYER_CONFIGURED", "ALL_GENES", "PRIVATE"))
)
day_policies = st.tuples(st.sampled_from([None, 1, 1, 2, 3]), st.booleans(), st.booleans())
data_policies = st.just((None, False, False)) | day_policies
retentions = st.just(LEFT_OUT) | st.none() | day_policies
plain_writes = st.tuples(genes, keys, values, categories)
near_an_update = st.none() | st.tuples(st.integers(0, 4), st.sampled_from([-1, 0, 1]))


class MemoryHistories(RuleBasedStateMachine):
    """One history. Two handles on one store take turns, so nothing may live in a handle alone."""

    boxes = Bundle("boxes")

    def __init__(self):
        super().__init__()
        self.clock = FixedClock(START_US)
        self.root = tempfile.TemporaryDirectory(prefix="rotifer-history-")
        self.folders = 0
        self.files = 0
        self.begin_in_a_new_folder()

    # --- the store under test and its model ----------------------------------------------------

    def begin_in_a_new_folder(self):
        self.folders += 1
        self.project = Path(self.root.name) / f"project-{self.folders}"
        self.project.mkdir()
        self.model = ReferenceStore()
        self.replay = LogReplay(self.project / ".rotifer" / "audit.jsonl")
        self.digests = {}
        self.told = 0
        self.denials = 0
        self.open_both()

    def open_both(self):
        self.stores = [open_store(self.project, clock=self.clock) for _ in range(2)]
        self.memories = {}

    def close_both(self):
        for store in self.stores:
            store.close()

    def teardown(self):
        try:
            assert self.stores[0].verify() == []
        finally:
            self.close_both()
            self.root.cleanup()

    @property
    def now_us(self):
        return self.clock.now_us()

    def name_of(self, who):
        names = sorted(self.model.agents)
        return names[who % len(names)]

    def memory(self, door, name, gene):
        """The four calls as a gene, kept as a host would keep them, for as long as the store is open."""
        place = (door, name, gene)
        if place not in self.memories:
            self.memories[place] = self.stores[door].gene_memory(name, gene_of(gene))
        return self.memories[place]

    def compare(self, expected, actual):
        """The answers of model and store; both refuse with one code, or neither does. Lines must agree."""
        want = got = expected_code = None
        try:
            want = expected()
        except Refused as refusal:
            expected_code = refusal.code
        if expected_code is None:
            got = actual()
        else:
            with pytest.raises(RotiferStoreError) as refused:
                actual()
            assert refused.value.code == expected_code
        self.compare_lines()
        return want, got

    def compare_lines(self):
        """REC-1: exactly the lines the model expects, in order, under one transaction number."""
        records = self.replay.catch_up()
        expected = self.model.lines[self.told :]
        self.told = len(self.model.lines)
        assert [record["action"] for record in records] == [line["action"] for line in expected]
        for record, line in zip(records, expected, strict=True):
            shown = {member: record[member] for member in line if member != "reason names"}
            assert shown == {member: line[member] for member in shown}
            if "reason names" in line:
                assert any(name in (record["reason"] or "") for name in line["reason names"])
            assert record["txn"] == records[0]["seq"]
            assert record["action"] != "memory_evict" or record["category"] != "PREFERENCE"
        denied = [r for r in records if r["action"] == "memory_access_denied" and r["actor"] == "gene"]
        self.denials += len(denied)

    # --- agents and their settings -------------------------------------------------------------

    @initialize(settings=st.tuples(quotas, data_policies), others=st.tuples(quotas, data_policies))
    def begin(self, settings, others):
        self.create("main", *settings)
        self.create("other", *others)

    @precondition(lambda self: len(self.model.agents) < len(AGENT_IDS))
    @rule(quota=quotas, data_policy=data_policies)
    def create_the_missing_agent(self, quota, data_policy):
        for name in AGENT_IDS:
            self.create(name, quota, data_policy)  # the one that is there is AGENT_EXISTS

    def create(self, name, quota, data_policy):
        self.compare(
            lambda: self.model.create_agent(
                name, AGENT_IDS[name], genes=["a"], quota=quota, data_policy=data_policy
            ),
            lambda: self.stores[0].create_agent(
                name,
                genes=[gene_of("a")],
                memory_quota_bytes=quota,
                data_policy=DataPolicy(*data_policy),
                agent_id=AGENT_IDS[name],
            ),
        )

    @rule(door=doors, who=who_of_two, setting=st.sampled_from(["policy", "quota", "genome"]), data=st.data())
    def change_a_setting(self, door, who, setting, data):
        name, store = self.name_of(who), self.stores[door]
        if setting == "policy":
            policy = data.draw(data_policies, label="data policy")
            self.compare(
                lambda: self.model.set_data_policy(name, policy, now_us=self.now_us),
                lambda: store.set_data_policy(name, retention_form(policy, as_json=door, kind=DataPolicy)),
            )
        elif setting == "quota":
            quota = data.draw(quotas, label="quota")
            self.compare(
                lambda: self.model.set_quota(name, quota, now_us=self.now_us),
                lambda: store.set_memory_quota(name, quota),
            )
        else:
            self.change_the_genome(store, name, data.draw(st.lists(genes, max_size=2, unique=True)))

    def change_the_genome(self, store, name, genome):
        """AGT-9: memory stays, and the entries left without a reader are known."""
        held = self.model.live(name, now_us=self.now_us)
        unread = [e["key"] for e in held if not any(may(e["access"][0], GENES[gene], e) for gene in genome)]
        resolved = [gene_of(gene) for gene in genome]
        assert sorted(info.key for info in store.orphans(name, resolved)) == sorted(unread)
        self.compare(
            lambda: self.model.set_genome(name, genome, now_us=self.now_us),
            lambda: store.set_genome(name, resolved),
        )
        assert list(store.agent(name).genes) == genome

    # --- the four calls ------------------------------------------------------------------------

    @rule(
        door=doors,
        who=who_of_two,
        plain=plain_writes,
        access=accesses,
        retention=retentions,
    )
    def write(self, door, who, plain, access, retention):
        self.write_one(door, self.name_of(who), *plain, access, retention)

    @rule(door=doors, who=who_of_two, writes=st.lists(plain_writes, min_size=2, max_size=5))
    def write_several(self, door, who, writes):
        for plain in writes:
            self.write_one(door, self.name_of(who), *plain, LEFT_OUT, LEFT_OUT)

    @rule(
        door=doors,
        who=who_of_two,
        writes=st.lists(plain_writes, min_size=2, max_size=4),
        days=st.sampled_from([1, 1, 1, 2, None]),
    )
    def write_several_that_expire(self, door, who, writes, days):
        for plain in writes:
            self.write_one(door, self.name_of(who), *plain, LEFT_OUT, (days, False, False))

    @rule(door=doors, who=who_of_two, gene=genes, key=keys, value=values)
    def rewrite_as_it_stands(self, door, who, gene, key, value):
        """ACC-5: repeating the stored policies is no change, whoever does it."""
        held = self.model.agents[self.name_of(who)]["entries"].get(key)
        if held is not None:
            policies = (held["access"], held["retention"])
            self.write_one(door, self.name_of(who), gene, key, value, held["category"], *policies)

    def write_one(self, door, name, gene, key, value, category, access, retention):
        policies = {}
        if access is not LEFT_OUT:
            policies["access_policy"] = access_form(access, as_json=door)
        if retention is not LEFT_OUT:
            policies["retention_policy"] = retention_form(retention, as_json=door)
        used_before = self.model.used_bytes(name, now_us=self.now_us)
        want, got = self.compare(
            lambda: self.model.write(
                name, GENES[gene], key, value, category, access, retention, now_us=self.now_us
            ),
            lambda: self.memory(door, name, gene).write_memory(key, value, category, **policies),
        )
        if want is None:
            return
        assert seen_by_gene(got) == told_to_gene(want)
        usage = self.stores[door].memory_usage(name)
        assert usage.used_bytes <= max(usage.quota_bytes, used_before), "QUO-5: a write ended over the quota"
        seen = {told.gene_id: told for told in self.stores[door].genes_seen(name)}
        assert (seen[GENES[gene][0]].name, seen[GENES[gene][0]].domain) == (gene, GENES[gene][1]), "AGT-10"

    @rule(door=doors, who=who_of_two, gene=genes, key=keys, category=st.none() | categories)
    def read(self, door, who, gene, key, category):
        name = self.name_of(who)
        want, got = self.compare(
            lambda: self.model.read(name, GENES[gene], key, category, now_us=self.now_us),
            lambda: self.memory(door, name, gene).read_memory(key, category),
        )
        if want is None:
            assert got is None
        else:
            assert seen_by_gene(got) == told_to_gene(want)

    @rule(
        door=doors,
        who=who_of_two,
        gene=genes,
        category=st.none() | categories,
        prefix=st.none() | st.sampled_from(["", "k", "formatter/", "linter/é", "%", "_", "zz", "\0"]),
        since=near_an_update,
        until=near_an_update,
        limit=st.none() | st.sampled_from([1, 2, 3, 1000]),
    )
    def query(self, door, who, gene, category, prefix, since, until, limit):
        name = self.name_of(who)
        since_us, until_us = self.bound_us(name, since), self.bound_us(name, until)
        given = {
            "category": category,
            "keyPrefix": prefix,
            "since": None if since_us is None else at(since_us).isoformat().replace("+00:00", "z"),
            "until": None if until_us is None else at(until_us).astimezone(INDIA).isoformat(),
            "limit": limit,
        }
        if door:
            asked = {member: value for member, value in given.items() if value is not None}
        else:
            asked = MemoryFilter(*given.values())
        want, got = self.compare(
            lambda: self.model.query(
                name,
                GENES[gene],
                category=category,
                prefix=prefix or "",
                since_us=since_us,
                until_us=until_us,
                limit=limit or 100,
                now_us=self.now_us,
            ),
            lambda: self.memory(door, name, gene).query_memory(asked),
        )
        assert [seen_by_gene(entry) for entry in got] == [told_to_gene(entry) for entry in want]

    def bound_us(self, name, near):
        """An instant on, just before or just after an entry's last update."""
        held = sorted(entry["updated"] for entry in self.model.agents[name]["entries"].values())
        if near is None or not held:
            return None
        return held[near[0] % len(held)] + near[1]

    @rule(door=doors, who=who_of_two, gene=genes, key=keys)
    def delete(self, door, who, gene, key):
        name = self.name_of(who)
        self.compare(
            lambda: self.model.delete(name, GENES[gene], key, now_us=self.now_us),
            lambda: self.memory(door, name, gene).delete_memory(key),
        )

    @rule(door=doors, who=who_of_two, gene=genes, bad=st.sampled_from(list(BAD_CALLS)))
    def refuse_bad_input(self, door, who, gene, bad):
        """ACC-8: bad input changes nothing and leaves no line, not even of an expiry."""
        with pytest.raises(RotiferStoreError) as refused:
            BAD_CALLS[bad](self.memory(door, self.name_of(who), gene))
        assert refused.value.code == "MEMORY_INVALID_INPUT"
        self.compare_lines()

    @rule(
        door=doors,
        who=who_of_two,
        gene=st.sampled_from(list(GENES_WITHOUT_ID)),
        call=st.sampled_from([*GOOD_CALLS.values(), *BAD_CALLS.values()]),
    )
    def refuse_a_gene_without_an_id_first(self, door, who, gene, call):
        """ACC-7: before the input is looked at, with one line, and nothing expires by it."""
        name = self.name_of(who)
        self.compare(lambda: self.model.call_without_id(name), lambda: call(self.memory(door, name, gene)))

    # --- the deployer --------------------------------------------------------------------------

    @rule(door=doors, who=who_of_two, chosen=st.lists(keys, min_size=1, max_size=2, unique=True))
    def deployer_deletes_keys(self, door, who, chosen):
        name = self.name_of(who)
        request = {"keys": chosen} if len(chosen) > 1 else {"key": chosen[0]}
        want, got = self.compare(
            lambda: self.model.deployer_delete(name, keys=chosen, now_us=self.now_us),
            lambda: self.stores[door].delete_memory(name, **request),
        )
        assert got == want

    @rule(door=doors, who=who_of_two, category=categories)
    def deployer_deletes_a_category(self, door, who, category):
        name = self.name_of(who)
        want, got = self.compare(
            lambda: self.model.deployer_delete(name, category=category, now_us=self.now_us),
            lambda: self.stores[door].delete_memory(name, category=category),
        )
        assert got == want

    @rule(door=doors, who=who_of_two, category=st.none() | categories, sweep_first=st.booleans())
    def deployer_lists(self, door, who, category, sweep_first):
        name, store = self.name_of(who), self.stores[door]
        if sweep_first:
            want, got = self.compare(
                lambda: self.model.sweep(name, now_us=self.now_us), lambda: store.sweep(name)
            )
            assert got == want
        want, got = self.compare(
            lambda: self.model.list(name, category, now_us=self.now_us),
            lambda: store.list_memory(name, category),
        )
        policy = self.model.agents[name]["data_policy"]
        assert [seen_by_deployer(info) for info in got] == [told_to_deployer(entry, policy) for entry in want]

    # --- time, reopening, moving ---------------------------------------------------------------

    @rule(seconds=st.sampled_from(SECONDS))
    def move_the_clock(self, seconds):
        self.clock.advance(seconds)

    @rule(days=st.integers(1, 3), seconds=st.sampled_from([-0.000001, 0, 0, 0.000001]))
    def let_days_pass(self, days, seconds):
        self.clock.advance(days * 86_400 + seconds)

    @rule()
    def reopen(self):
        self.close_both()
        self.open_both()
        self.compare_lines()

    @rule(target=boxes, door=doors, who=who_of_two, include_cache=st.booleans())
    def export(self, door, who, include_cache):
        name = self.name_of(who)
        self.files += 1
        path = Path(self.root.name) / f"box-{self.files}.jsonl"
        want, got = self.compare(
            lambda: self.model.export(name, include_cache=include_cache, now_us=self.now_us),
            lambda: self.stores[door].export_memory(name, path, include_cache=include_cache),
        )
        assert got == len(want["entries"])
        return path, want

    @rule(door=doors, who=who_of_two, box=boxes, copy_private=st.booleans(), make_way=st.booleans())
    def import_memory(self, door, who, box, copy_private, make_way):
        name = self.name_of(who)
        path, parcel = box
        held = {entry["key"] for entry in self.model.live(name, now_us=self.now_us)}
        taken = [entry["key"] for entry in parcel["entries"] if entry["key"] in held]
        if make_way and taken:
            self.deployer_deletes_keys(door, who, taken)
        want, got = self.compare(
            lambda: self.model.import_memory(name, parcel, copy_private=copy_private, now_us=self.now_us),
            lambda: self.stores[door].import_memory(name, path, copy_private=copy_private),
        )
        assert got == want

    @rule(door=doors, source=who_of_two, goal=who_of_two, cache=st.booleans(), copy_private=st.booleans())
    def carry_over(self, door, source, goal, cache, copy_private):
        """AGT-6: from one agent straight into the other, or back into itself."""
        self.import_memory(door, goal, self.export(door, source, cache), copy_private, make_way=True)

    @rule(door=doors, box=boxes)
    def bring_the_agent_here(self, door, box):
        """AGT-2: refused where the agent's id or name is taken."""
        self.bring_in(door, box)

    @rule(who=who_of_two, cache=st.booleans())
    def move_to_a_new_store(self, who, cache):
        """AGT-6: the history goes on where the agent went; what is left behind is sound."""
        box = self.export(True, who, cache)
        assert self.stores[1].verify() == []
        self.close_both()
        self.begin_in_a_new_folder()
        self.bring_in(False, box)

    def bring_in(self, door, box):
        path, parcel = box
        want, got = self.compare(
            lambda: self.model.import_agent(parcel, now_us=self.now_us),
            lambda: self.stores[door].import_agent(path),
        )
        if want is None:
            return
        record = parcel["agent"]
        assert (got.id, got.name, got.memory_quota_bytes) == (record["id"], record["name"], record["quota"])
        assert list(got.genes) == record["genes"]
        assert days_of(got.data_policy) == record["data_policy"]

    # --- after every step ----------------------------------------------------------------------

    @invariant()
    def what_is_seen_is_what_the_model_holds(self):
        """POL-5, ENT-7: a look without removal shows the living entries, newest first, with their values."""
        for name, agent in self.model.agents.items():
            live = self.model.live(name, now_us=self.now_us)
            page = self.stores[0].browse_memory(name)
            assert page.total == len(live)
            assert [seen_by_deployer(info) for info in page.rows] == [
                told_to_deployer(entry, agent["data_policy"]) for entry in live
            ]
            for entry in live:
                assert self.stores[1].peek_value(name, entry["key"]) == entry["value"]

    @invariant()
    def counters_equal_a_fresh_sum(self):
        """QUO-1: used bytes and each category's counters equal the sum over what is there."""
        for name, agent in self.model.agents.items():
            usage = self.stores[1].memory_usage(name)
            rows = self.stores[1].browse_memory(name).rows
            assert usage.quota_bytes == agent["quota"]
            assert usage.used_bytes == sum(info.size_bytes for info in rows)
            for category, counted in usage.by_category.items():
                sizes = [info.size_bytes for info in rows if info.category == category]
                assert (counted.entries, counted.bytes) == (len(sizes), sum(sizes))

    @invariant()
    def the_log_replays_to_the_store(self):
        """REC-3: replayed from its first line, the log gives the entries that are stored."""
        assert self.replay.catch_up() == []
        held = {
            (agent["id"], key): entry
            for agent in self.model.agents.values()
            for key, entry in agent["entries"].items()
        }
        assert self.replay.entries.keys() == held.keys()
        for place, told in self.replay.entries.items():
            entry = held[place]
            assert (told["category"], told["bytes"]) == (entry["category"], len(entry["value"]))
            assert told["created_by"] in (None, entry["created_by"])
            self.check_digest(place[0], entry["value"], told["value_hmac"])

    def check_digest(self, agent_id, value, digest):
        """REC-1: within an agent the digest belongs to the value, and is not its bare hash."""
        known = self.digests.setdefault(agent_id, {})
        assert known.setdefault(value, digest) == digest
        assert len(set(known.values())) == len(known)
        assert digest != hashlib.sha256(value).hexdigest()

    @invariant()
    def each_denial_is_one_event(self):
        """REC-4: one telemetry event for each gene that was denied, none for the deployer."""
        assert len(events(self.project / ".rotifer" / "telemetry.jsonl")) == self.denials


TestMemoryHistories = MemoryHistories.TestCase
