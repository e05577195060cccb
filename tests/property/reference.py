"""A naive model of agent memory, written from docs/rules.md: plain dictionaries, no cleverness.

It imports nothing but the standard library, so that a mistake in the store cannot hide in its model.
Every call takes `now_us`, answers or raises `Refused`, and appends the audit lines it expects to `lines`.
A member that the rules leave open is not in an expected line, and the comparison passes over it.
"""

from __future__ import annotations

import hashlib
import re

DAY_US = 86_400 * 1_000_000
DEFAULT_ACCESS = ("SAME_DOMAIN", "SAME_DOMAIN", "PRIVATE")
EVICTION_ORDER = ("CACHE", "PATTERN", "CONTEXT")
CATEGORIES = (*EVICTION_ORDER, "PREFERENCE")
LEFT_OUT = "left out"
BEFORE_EVERYTHING = float("-inf")


class Refused(Exception):
    """A call the rules refuse, by its code."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code


def entry_id_of(agent_id, key):
    """ENT-2: SHA-256 of the agent's id, a NUL and the key."""
    return hashlib.sha256(f"{agent_id}\0{key}".encode()).hexdigest()


def size_of(entry):
    """QUO-1: bytes of the key in UTF-8 plus bytes of the value."""
    return len(entry["key"].encode()) + len(entry["value"])


def expires_at(entry, data_policy):
    """POL-4: the instant from which on the entry is gone, or None."""
    days = data_policy[0] if entry["retention"] is None else entry["retention"][0]
    return None if days is None else entry["updated"] + days * DAY_US


def is_expired(entry, data_policy, now_us):
    at = expires_at(entry, data_policy)
    return at is not None and now_us >= at


def fits_data_policy(access, retention, data_policy):
    """ACC-3 and POL-3, each only where the write passes that policy."""
    if access is not LEFT_OUT and access[2] != "PRIVATE" and not data_policy[2]:
        return False
    if retention is LEFT_OUT or retention is None or data_policy[0] is None:
        return True
    return retention[0] is not None and retention[0] <= data_policy[0]


def may(scope, gene, entry):
    """ACC-2: whether `gene` (v2 id, domain) has the scope on the entry."""
    if scope == "CREATOR_GENE_ONLY":
        return gene[0] == entry["created_by"]
    if scope == "SAME_DOMAIN":
        return gene[1] == entry["creator_domain"]
    return scope == "ALL_GENES"


def check_key(key):
    """INP-1."""
    if not isinstance(key, str) or key == "" or "\0" in key:
        raise Refused("MEMORY_INVALID_INPUT")
    if any("\ud800" <= character <= "\udfff" for character in key) or len(key.encode()) > 1024:
        raise Refused("MEMORY_INVALID_INPUT")


def check_category(category):
    """ENT-6."""
    if category not in CATEGORIES:
        raise Refused("MEMORY_INVALID_INPUT")


class ReferenceStore:
    """The agents of one store, what they remember, and the audit lines that must have been written."""

    def __init__(self):
        self.agents = {}
        self.lines = []
        self.changes = 0

    # --- agents and their settings -------------------------------------------------------------

    def create_agent(self, name, agent_id, *, genes, quota, data_policy):
        if name in self.agents or any(agent["id"] == agent_id for agent in self.agents.values()):
            raise Refused("AGENT_EXISTS")
        self.agents[name] = {
            "id": agent_id,
            "name": name,
            "genes": list(genes),
            "quota": quota,
            "data_policy": data_policy,
            "entries": {},
            "latest": BEFORE_EVERYTHING,
        }
        self._deployer_line(name, "agent_create", "create")

    def set_data_policy(self, name, data_policy, *, now_us):
        """POL-3a: what expired under the old policy goes before the new one counts."""
        self._remove_expired(name, "policy", now_us)
        self.agents[name]["data_policy"] = data_policy
        self._deployer_line(name, "policy_change", "policy")

    def set_quota(self, name, quota, *, now_us):
        self._remove_expired(name, "policy", now_us)
        self.agents[name]["quota"] = quota
        self._deployer_line(name, "policy_change", "policy")

    def set_genome(self, name, genes, *, now_us):
        self._remove_expired(name, "genome", now_us)
        self.agents[name]["genes"] = list(genes)
        self._deployer_line(name, "genome_change", "genome")

    # --- the four calls ------------------------------------------------------------------------

    def write(self, name, gene, key, value, category, access=LEFT_OUT, retention=LEFT_OUT, *, now_us):
        agent = self._enter(name, gene, "write")
        check_key(key)
        check_category(category)
        self._remove_expired(name, "write", now_us)
        old = agent["entries"].get(key)
        if old is not None and not may(old["access"][1], gene, old):
            self._deny(name, gene, "write", key)
        if old is not None and gene[0] != old["created_by"]:
            if access not in (LEFT_OUT, old["access"]):
                self._deny(name, gene, "write", key)
            if retention not in (LEFT_OUT, old["retention"]):
                self._deny(name, gene, "write", key)
        if access is not LEFT_OUT and "DEPLOYER_CONFIGURED" in access[:2]:
            self._deny(name, gene, "write", key)
        if not fits_data_policy(access, retention, agent["data_policy"]):
            self._deny(name, gene, "write", key)
        victims = self._make_room(name, gene, key, value)
        for victim in victims:
            del agent["entries"][victim["key"]]
            self._entry_line(name, "memory_evict", "system", "write", victim, gene_id=gene[0])
        return self._store(name, gene, key, value, category, access, retention, now_us)

    def read(self, name, gene, key, category=None, *, now_us):
        agent = self._enter(name, gene, "read")
        check_key(key)
        if category is not None:
            check_category(category)
        self._remove_expired(name, "read", now_us)
        entry = agent["entries"].get(key)
        if entry is None:
            return None
        if not may(entry["access"][0], gene, entry):
            self._deny(name, gene, "read", key)
        if category is not None and entry["category"] != category:
            return None
        entry["last_accessed_by"] = gene[0]
        return dict(entry)

    def query(self, name, gene, *, category=None, prefix="", since_us=None, until_us=None, limit=100, now_us):
        self._enter(name, gene, "query")
        if category is not None:
            check_category(category)
        if not 1 <= limit <= 1000:
            raise Refused("MEMORY_INVALID_INPUT")
        self._remove_expired(name, "query", now_us)
        found = []
        for entry in self._newest_first(name):
            if not may(entry["access"][0], gene, entry):
                continue
            if category is not None and entry["category"] != category:
                continue
            if not entry["key"].startswith(prefix):
                continue
            if since_us is not None and entry["updated"] < since_us:
                continue
            if until_us is not None and entry["updated"] >= until_us:
                continue
            found.append(dict(entry))
        return found[:limit]

    def call_without_id(self, name):
        """ACC-7: any call, whatever its arguments, by a gene that has no v2 id."""
        self._enter(name, (None, ""), None)

    def delete(self, name, gene, key, *, now_us):
        agent = self._enter(name, gene, "delete")
        check_key(key)
        self._remove_expired(name, "delete", now_us)
        entry = agent["entries"].get(key)
        if entry is None:
            raise Refused("MEMORY_NOT_FOUND")
        if not may(entry["access"][1], gene, entry):
            self._deny(name, gene, "delete", key)
        del agent["entries"][key]
        self._entry_line(name, "memory_delete", "gene", "delete", entry, gene_id=gene[0], gene_domain=gene[1])

    # --- the deployer --------------------------------------------------------------------------

    def list(self, name, category=None, *, now_us):
        if category is not None:
            check_category(category)
        self._remove_expired(name, "list", now_us)
        return [dict(e) for e in self._newest_first(name) if category in (None, e["category"])]

    def sweep(self, name, *, now_us):
        return self._remove_expired(name, "sweep", now_us)

    def deployer_delete(self, name, *, keys=None, category=None, now_us):
        """AGT-4: by keys (all or none) or by category; says how many went."""
        agent = self.agents[name]
        for key in keys or ():
            check_key(key)
        if category is not None:
            check_category(category)
        self._remove_expired(name, "delete", now_us)
        if keys is not None and any(key not in agent["entries"] for key in keys):
            raise Refused("MEMORY_NOT_FOUND")
        chosen = [
            entry
            for entry in self._oldest_first(name)
            if (entry["key"] in keys if keys is not None else entry["category"] == category)
        ]
        for entry in chosen:
            del agent["entries"][entry["key"]]
            self._entry_line(name, "memory_delete", "deployer", "delete", entry, gene_id=None)
        return len(chosen)

    def live(self, name, *, now_us):
        """What a look without removal shows, newest first (POL-5)."""
        policy = self.agents[name]["data_policy"]
        return [dict(e) for e in self._newest_first(name) if not is_expired(e, policy, now_us)]

    def used_bytes(self, name, *, now_us):
        return sum(size_of(entry) for entry in self.live(name, now_us=now_us))

    # --- moving --------------------------------------------------------------------------------

    def export(self, name, *, include_cache=False, now_us):
        """AGT-6: the agent's record and its live entries, in order of update. Removes nothing."""
        agent = self.agents[name]
        entries = [
            dict(entry)
            for entry in self._oldest_first(name)
            if not is_expired(entry, agent["data_policy"], now_us)
            and (include_cache or entry["category"] != "CACHE")
        ]
        record = {member: agent[member] for member in ("id", "name", "genes", "quota", "data_policy")}
        return {"agent": record, "entries": entries}

    def import_memory(self, name, box, *, copy_private=False, now_us):
        agent = self.agents[name]
        foreign = box["agent"]["id"] != agent["id"]
        self._remove_expired(name, "import", now_us)
        if foreign and not copy_private:
            self._refuse_import(name, "memory_access_denied", "MEMORY_ACCESS_DENIED")
        incoming = [e for e in box["entries"] if not is_expired(e, agent["data_policy"], now_us)]
        if any(entry["key"] in agent["entries"] for entry in incoming):
            raise Refused("MEMORY_INVALID_INPUT")
        policy = agent["data_policy"]
        if foreign and not all(fits_data_policy(e["access"], e["retention"], policy) for e in incoming):
            self._refuse_import(name, "memory_access_denied", "MEMORY_ACCESS_DENIED")
        used = sum(size_of(entry) for entry in agent["entries"].values())
        if incoming and used + sum(size_of(entry) for entry in incoming) > agent["quota"]:
            self._refuse_import(name, "memory_quota_refused", "MEMORY_QUOTA_EXCEEDED")
        self._take_in(name, incoming, source=box["agent"] if foreign else None)
        return len(incoming)

    def import_agent(self, box, *, now_us):
        """AGT-6: the whole agent; room is never lacking and its own entries always fit."""
        record = box["agent"]
        self.create_agent(
            record["name"],
            record["id"],
            genes=record["genes"],
            quota=record["quota"],
            data_policy=record["data_policy"],
        )
        self.lines[-1].pop("operation")  # the rules do not say whether it is `create` or `import` here
        incoming = [e for e in box["entries"] if not is_expired(e, record["data_policy"], now_us)]
        self._take_in(record["name"], incoming, source=None)
        return len(incoming)

    # --- inside --------------------------------------------------------------------------------

    def _enter(self, name, gene, operation):
        """ACC-7: a caller without a well-formed v2 id is refused before anything is looked at."""
        if gene[0] is None or not re.fullmatch(r"v2:[0-9a-f]{64}", gene[0]):
            told = {} if operation is None else {"operation": operation}
            self._line(
                name,
                action="memory_access_denied",
                actor="gene",
                gene_id=None,
                code="MEMORY_ACCESS_DENIED",
                bytes=None,
                value_hmac=None,
                **told,
            )
            raise Refused("MEMORY_ACCESS_DENIED")
        return self.agents[name]

    def _deny(self, name, gene, operation, key):
        self._line(
            name,
            action="memory_access_denied",
            actor="gene",
            gene_id=gene[0],
            gene_domain=gene[1],
            key=key,
            operation=operation,
            code="MEMORY_ACCESS_DENIED",
            bytes=None,
            value_hmac=None,
            old_category=None,
        )
        raise Refused("MEMORY_ACCESS_DENIED")

    def _refuse_import(self, name, action, code):
        self._line(
            name,
            action=action,
            actor="deployer",
            gene_id=None,
            gene_domain=None,
            operation="import",
            code=code,
            value_hmac=None,
        )
        raise Refused(code)

    def _make_room(self, name, gene, key, value):
        """QUO-3, QUO-4, QUO-5: the entries to evict, or the refusal."""
        agent = self.agents[name]
        old = agent["entries"].get(key)
        old_size = 0 if old is None else size_of(old)
        new_size = len(key.encode()) + len(value)
        used = sum(size_of(entry) for entry in agent["entries"].values())
        victims = []
        if new_size <= old_size:
            return victims
        excess = used - old_size + new_size - agent["quota"]
        for category in EVICTION_ORDER:
            for entry in self._oldest_first(name):
                if excess > 0 and entry["category"] == category and entry["key"] != key:
                    victims.append(entry)
                    excess -= size_of(entry)
        if excess > 0:
            self._line(
                name,
                action="memory_quota_refused",
                actor="gene",
                gene_id=gene[0],
                gene_domain=gene[1],
                key=key,
                bytes=len(value),
                value_hmac=None,
                operation="write",
                code="MEMORY_QUOTA_EXCEEDED",
            )
            raise Refused("MEMORY_QUOTA_EXCEEDED")
        return victims

    def _store(self, name, gene, key, value, category, access, retention, now_us):
        agent = self.agents[name]
        old = agent["entries"].get(key)
        if old is None:
            entry = {
                "entry_id": entry_id_of(agent["id"], key),
                "key": key,
                "created_by": gene[0],
                "creator_domain": gene[1],
                "created": now_us,
                "access": DEFAULT_ACCESS,
                "retention": None,
            }
        else:
            entry = dict(old)
        entry["value"] = value
        entry["category"] = category
        entry["last_accessed_by"] = gene[0]
        entry["updated"] = max(now_us, entry["created"])
        if access is not LEFT_OUT:
            entry["access"] = access
        if retention is not LEFT_OUT:
            entry["retention"] = retention
        entry["instant"] = agent["latest"] = max(entry["updated"], agent["latest"])
        agent["entries"][key] = entry
        self._entry_line(
            name,
            "memory_write" if old is None else "memory_update",
            "gene",
            "write",
            entry,
            gene_id=gene[0],
            gene_domain=gene[1],
            old_category=None if old is None or old["category"] == category else old["category"],
        )
        entry["change"] = self.changes
        return dict(entry)

    def _take_in(self, name, incoming, source):
        agent = self.agents[name]
        for record in incoming:
            entry = dict(record)
            entry["entry_id"] = entry_id_of(agent["id"], entry["key"])
            entry["instant"] = entry["updated"]
            agent["latest"] = max(agent["latest"], entry["instant"])
            agent["entries"][entry["key"]] = entry
            self._entry_line(
                name, "memory_import", "deployer", "import", entry, gene_id=None, gene_domain=None
            )
            if source is not None:
                self.lines[-1]["reason names"] = (source["id"], source["name"])
            entry["change"] = self.changes

    def _remove_expired(self, name, operation, now_us):
        agent = self.agents[name]
        gone = [e for e in self._oldest_first(name) if is_expired(e, agent["data_policy"], now_us)]
        for entry in gone:
            del agent["entries"][entry["key"]]
            self._entry_line(
                name, "memory_expire", "system", operation, entry, gene_id=None, gene_domain=None
            )
        return len(gone)

    def _oldest_first(self, name):
        """ENT-7."""
        return sorted(self.agents[name]["entries"].values(), key=lambda e: (e["instant"], e["change"]))

    def _newest_first(self, name):
        return self._oldest_first(name)[::-1]

    def _entry_line(self, name, action, actor, operation, entry, **members):
        members.setdefault("old_category", None)
        self._line(
            name,
            action=action,
            actor=actor,
            operation=operation,
            key=entry["key"],
            category=entry["category"],
            entry_id=entry["entry_id"],
            bytes=len(entry["value"]),
            code=None,
            **members,
        )

    def _deployer_line(self, name, action, operation):
        self._line(
            name,
            action=action,
            actor="deployer",
            operation=operation,
            gene_id=None,
            gene_domain=None,
            key=None,
            bytes=None,
            value_hmac=None,
            code=None,
        )

    def _line(self, name, **members):
        self.changes += 1
        self.lines.append({"agent": name, "agent_id": self.agents[name]["id"], **members})
