"""The tables and hot statements as SQLite reads them.

Generated from `schema.py` and `sql.py` by `scripts/make_statements.py`: do not edit.
"""

from __future__ import annotations

from typing import NamedTuple

SCHEMA_VERSION = 1


class Statements(NamedTuple):
    """The SQL text of each hot statement; every dialect has its own."""

    load_state: str
    save_state: str
    load_agent: str
    load_agents: str
    load_head: str
    load_usage: str
    load_entry: str
    touch: str
    insert_entry: str
    rewrite_entry: str
    delete_entry: str
    delete_entries: str
    save_agent_counters: str
    save_gene: str
    load_genes: str
    load_expired: str
    load_evictable: str
    query_newest: str
    query_category: str
    query_prefix_refs: str
    query_prefix_category_refs: str
    load_entries_by_ref: str
    load_held_by_ref: str
    load_value_starts: str
    find_in_keys: str
    find_anywhere: str
    load_by_keys: str
    load_seen: str
    load_category: str
    load_next_expiry: str
    list_entries: str
    list_category: str
    export_entries: str
    load_value: str
    verify_agents: str
    verify_entries: str
    apply_agent_days: str
    lift_agent_days: str


SQLITE = Statements(
    # The schema's version and the committed end of the chain. Binds: nothing.
    load_state="SELECT rotifer_state.schema_version, rotifer_state.seq, rotifer_state.hash FROM rotifer_state",
    # Moves the committed end of the chain. Binds: seq, hash.
    save_state="UPDATE rotifer_state SET seq=?, hash=?",
    # An agent's record by name. Binds: name.
    load_agent="SELECT rotifer_agent.agent_id, rotifer_agent.name, rotifer_agent.genes, rotifer_agent.composition, rotifer_agent.quota_bytes, rotifer_agent.days, rotifer_agent.auto_delete, rotifer_agent.anonymization, rotifer_agent.created_at_us, rotifer_agent.ref FROM rotifer_agent WHERE rotifer_agent.name = ?",
    # Every agent's record, by name. Binds: nothing.
    load_agents="SELECT rotifer_agent.agent_id, rotifer_agent.name, rotifer_agent.genes, rotifer_agent.composition, rotifer_agent.quota_bytes, rotifer_agent.days, rotifer_agent.auto_delete, rotifer_agent.anonymization, rotifer_agent.created_at_us, rotifer_agent.ref FROM rotifer_agent ORDER BY rotifer_agent.name",
    # What a change needs to know: the chain's end, the agent, its next expiry, the entry under a key. Binds: key, agent_ref.
    load_head='SELECT rotifer_state.seq, rotifer_state.hash, rotifer_agent.quota_bytes, rotifer_agent.days, rotifer_agent.anonymization, rotifer_agent.order_us, rotifer_agent.hmac_key, (SELECT min(soon.expires_at_us) AS min_1 FROM rotifer_entry AS soon WHERE soon.agent_ref = rotifer_agent.ref AND soon.expires_at_us IS NOT NULL) AS next_expiry_us, rotifer_agent.cache_entries, rotifer_agent.cache_bytes, rotifer_agent.pattern_entries, rotifer_agent.pattern_bytes, rotifer_agent.context_entries, rotifer_agent.context_bytes, rotifer_agent.preference_entries, rotifer_agent.preference_bytes, rotifer_entry.ref, rotifer_entry."key", rotifer_entry.category, rotifer_entry.size_bytes, rotifer_entry.created_by, rotifer_entry.created_domain, rotifer_entry.last_accessed_by, rotifer_entry.created_at_us, rotifer_entry.updated_at_us, rotifer_entry.read_scope, rotifer_entry.write_scope, rotifer_entry.share_policy, rotifer_entry.own_days, rotifer_entry.own_auto_delete, rotifer_entry.own_anonymization, rotifer_entry.value_hmac FROM rotifer_agent JOIN rotifer_state ON 1 = 1 LEFT OUTER JOIN rotifer_entry ON rotifer_entry.agent_ref = rotifer_agent.ref AND rotifer_entry."key" = ? WHERE rotifer_agent.ref = ?',
    # Quota, next expiry and counters, without taking a lock. Binds: agent_ref.
    load_usage="SELECT rotifer_agent.quota_bytes, rotifer_agent.days, (SELECT min(soon.expires_at_us) AS min_1 FROM rotifer_entry AS soon WHERE soon.agent_ref = rotifer_agent.ref AND soon.expires_at_us IS NOT NULL) AS next_expiry_us, rotifer_agent.cache_entries, rotifer_agent.cache_bytes, rotifer_agent.pattern_entries, rotifer_agent.pattern_bytes, rotifer_agent.context_entries, rotifer_agent.context_bytes, rotifer_agent.preference_entries, rotifer_agent.preference_bytes FROM rotifer_agent WHERE rotifer_agent.ref = ?",
    # A read: next expiry, the entry's own expiry, the creator's domain, the entry with its value. Binds: key, agent_ref.
    load_entry='SELECT (SELECT min(soon.expires_at_us) AS min_1 FROM rotifer_entry AS soon WHERE soon.agent_ref = rotifer_agent.ref AND soon.expires_at_us IS NOT NULL) AS next_expiry_us, rotifer_entry.expires_at_us, rotifer_entry.created_domain, rotifer_entry."key", rotifer_entry.category, rotifer_entry.value, rotifer_entry.created_by, rotifer_entry.last_accessed_by, rotifer_entry.created_at_us, rotifer_entry.updated_at_us, rotifer_entry.read_scope, rotifer_entry.write_scope, rotifer_entry.share_policy, rotifer_entry.own_days, rotifer_entry.own_auto_delete, rotifer_entry.own_anonymization, rotifer_entry.size_bytes FROM rotifer_agent LEFT OUTER JOIN rotifer_entry ON rotifer_entry.agent_ref = rotifer_agent.ref AND rotifer_entry."key" = ? WHERE rotifer_agent.ref = ?',
    # Remembers who read an entry last (ENT-4). Binds: gene_id, agent_ref, key.
    touch='UPDATE rotifer_entry SET last_accessed_by=? WHERE rotifer_entry.agent_ref = ? AND rotifer_entry."key" = ?',
    # A new row. Binds: agent_ref, key, category, size_bytes, created_by, created_domain, last_accessed_by, created_at_us, updated_at_us, order_us, seq, expires_at_us, read_scope, write_scope, share_policy, own_days, own_auto_delete, own_anonymization, value_hmac, value.
    insert_entry='INSERT INTO rotifer_entry (agent_ref, "key", category, size_bytes, created_by, created_domain, last_accessed_by, created_at_us, updated_at_us, order_us, seq, expires_at_us, read_scope, write_scope, share_policy, own_days, own_auto_delete, own_anonymization, value_hmac, value) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    # A row in place of the old one; key, creator and creation stay. Binds: category, size_bytes, last_accessed_by, updated_at_us, order_us, expires_at_us, read_scope, write_scope, share_policy, own_days, own_auto_delete, own_anonymization, value_hmac, value, seq, ref.
    rewrite_entry="UPDATE rotifer_entry SET category=?, size_bytes=?, last_accessed_by=?, updated_at_us=?, order_us=?, expires_at_us=?, read_scope=?, write_scope=?, share_policy=?, own_days=?, own_auto_delete=?, own_anonymization=?, value_hmac=?, value=?, seq=? WHERE rotifer_entry.ref = ?",
    # Removes one row. Binds: ref.
    delete_entry="DELETE FROM rotifer_entry WHERE rotifer_entry.ref = ?",
    # Removes rows, by row number, given as a JSON list. Binds: refs.
    delete_entries="DELETE FROM rotifer_entry WHERE rotifer_entry.ref IN (SELECT value FROM json_each(?))",
    # The agent's last order instant and its counters. Binds: order_us, cache_entries, cache_bytes, pattern_entries, pattern_bytes, context_entries, context_bytes, preference_entries, preference_bytes, agent_ref.
    save_agent_counters="UPDATE rotifer_agent SET order_us=?, cache_entries=?, cache_bytes=?, pattern_entries=?, pattern_bytes=?, context_entries=?, context_bytes=?, preference_entries=?, preference_bytes=? WHERE rotifer_agent.ref = ?",
    # Remembers a gene under the name it has now (AGT-10). Binds: agent_ref, gene_id, name, version, domain.
    save_gene="INSERT OR REPLACE INTO rotifer_gene (agent_ref, gene_id, name, version, domain) VALUES (?, ?, ?, ?, ?)",
    # The genes that acted on an agent's memory. Binds: agent_ref.
    load_genes="SELECT rotifer_gene.gene_id, rotifer_gene.name, rotifer_gene.version, rotifer_gene.domain FROM rotifer_gene WHERE rotifer_gene.agent_ref = ? ORDER BY rotifer_gene.name, rotifer_gene.gene_id",
    # What has expired, in order of update (POL-6). Binds: agent_ref, now_us.
    load_expired='SELECT rotifer_entry.ref, rotifer_entry."key", rotifer_entry.category, rotifer_entry.size_bytes, rotifer_entry.value_hmac FROM rotifer_entry WHERE rotifer_entry.agent_ref = ? AND rotifer_entry.expires_at_us IS NOT NULL AND rotifer_entry.expires_at_us <= ? ORDER BY rotifer_entry.order_us, rotifer_entry.seq',
    # What may be evicted, in eviction order (QUO-4). Binds: agent_ref.
    load_evictable='SELECT rotifer_entry.ref, rotifer_entry."key", rotifer_entry.category, rotifer_entry.size_bytes, rotifer_entry.value_hmac FROM rotifer_entry WHERE rotifer_entry.agent_ref = ? AND rotifer_entry.category <= 2 ORDER BY rotifer_entry.category, rotifer_entry.order_us, rotifer_entry.seq',
    # A query over all categories: walks the newest entries. Binds: agent_ref, now_us, domain, gene_id, since_us, until_us, limit.
    query_newest='SELECT rotifer_entry."key", rotifer_entry.category, rotifer_entry.value, rotifer_entry.created_by, rotifer_entry.last_accessed_by, rotifer_entry.created_at_us, rotifer_entry.updated_at_us, rotifer_entry.read_scope, rotifer_entry.write_scope, rotifer_entry.share_policy, rotifer_entry.own_days, rotifer_entry.own_auto_delete, rotifer_entry.own_anonymization, rotifer_entry.size_bytes FROM rotifer_entry WHERE rotifer_entry.agent_ref = ? AND (rotifer_entry.expires_at_us IS NULL OR rotifer_entry.expires_at_us > ?) AND (rotifer_entry.read_scope = 2 OR rotifer_entry.read_scope = 0 AND rotifer_entry.created_domain = ? OR rotifer_entry.read_scope = 1 AND rotifer_entry.created_by = ?) AND rotifer_entry.updated_at_us >= ? AND rotifer_entry.updated_at_us < ? ORDER BY rotifer_entry.order_us DESC, rotifer_entry.seq DESC LIMIT ?',
    # A query over one category: walks its newest entries. Binds: agent_ref, category, now_us, domain, gene_id, since_us, until_us, limit.
    query_category='SELECT rotifer_entry."key", rotifer_entry.category, rotifer_entry.value, rotifer_entry.created_by, rotifer_entry.last_accessed_by, rotifer_entry.created_at_us, rotifer_entry.updated_at_us, rotifer_entry.read_scope, rotifer_entry.write_scope, rotifer_entry.share_policy, rotifer_entry.own_days, rotifer_entry.own_auto_delete, rotifer_entry.own_anonymization, rotifer_entry.size_bytes FROM rotifer_entry WHERE rotifer_entry.agent_ref = ? AND rotifer_entry.category = ? AND (rotifer_entry.expires_at_us IS NULL OR rotifer_entry.expires_at_us > ?) AND (rotifer_entry.read_scope = 2 OR rotifer_entry.read_scope = 0 AND rotifer_entry.created_domain = ? OR rotifer_entry.read_scope = 1 AND rotifer_entry.created_by = ?) AND rotifer_entry.updated_at_us >= ? AND rotifer_entry.updated_at_us < ? ORDER BY rotifer_entry.order_us DESC, rotifer_entry.seq DESC LIMIT ?',
    # The newest rows under a prefix; sorting row numbers, not rows, keeps this small. Binds: agent_ref, from_key, to_key, now_us, domain, gene_id, since_us, until_us, limit.
    query_prefix_refs='SELECT rotifer_entry.ref, rotifer_entry.size_bytes FROM rotifer_entry WHERE rotifer_entry.agent_ref = ? AND rotifer_entry."key" >= ? AND rotifer_entry."key" < ? AND (rotifer_entry.expires_at_us IS NULL OR rotifer_entry.expires_at_us > ?) AND (rotifer_entry.read_scope = 2 OR rotifer_entry.read_scope = 0 AND rotifer_entry.created_domain = ? OR rotifer_entry.read_scope = 1 AND rotifer_entry.created_by = ?) AND rotifer_entry.updated_at_us >= ? AND rotifer_entry.updated_at_us < ? ORDER BY rotifer_entry.order_us DESC, rotifer_entry.seq DESC LIMIT ?',
    # The newest rows of a category under a prefix. Binds: agent_ref, from_key, to_key, category, now_us, domain, gene_id, since_us, until_us, limit.
    query_prefix_category_refs='SELECT rotifer_entry.ref, rotifer_entry.size_bytes FROM rotifer_entry WHERE rotifer_entry.agent_ref = ? AND rotifer_entry."key" >= ? AND rotifer_entry."key" < ? AND rotifer_entry.category = ? AND (rotifer_entry.expires_at_us IS NULL OR rotifer_entry.expires_at_us > ?) AND (rotifer_entry.read_scope = 2 OR rotifer_entry.read_scope = 0 AND rotifer_entry.created_domain = ? OR rotifer_entry.read_scope = 1 AND rotifer_entry.created_by = ?) AND rotifer_entry.updated_at_us >= ? AND rotifer_entry.updated_at_us < ? ORDER BY rotifer_entry.order_us DESC, rotifer_entry.seq DESC LIMIT ?',
    # Entries by row number, given as a JSON list. Binds: refs.
    load_entries_by_ref='SELECT rotifer_entry.ref, rotifer_entry."key", rotifer_entry.category, rotifer_entry.value, rotifer_entry.created_by, rotifer_entry.last_accessed_by, rotifer_entry.created_at_us, rotifer_entry.updated_at_us, rotifer_entry.read_scope, rotifer_entry.write_scope, rotifer_entry.share_policy, rotifer_entry.own_days, rotifer_entry.own_auto_delete, rotifer_entry.own_anonymization, rotifer_entry.size_bytes FROM rotifer_entry WHERE rotifer_entry.ref IN (SELECT value FROM json_each(?))',
    # Entries without their values, by row number, given as a JSON list. Binds: refs.
    load_held_by_ref='SELECT rotifer_entry.ref, rotifer_entry."key", rotifer_entry.category, rotifer_entry.size_bytes, rotifer_entry.created_by, rotifer_entry.created_domain, rotifer_entry.last_accessed_by, rotifer_entry.created_at_us, rotifer_entry.updated_at_us, rotifer_entry.read_scope, rotifer_entry.write_scope, rotifer_entry.share_policy, rotifer_entry.own_days, rotifer_entry.own_auto_delete, rotifer_entry.own_anonymization, rotifer_entry.value_hmac FROM rotifer_entry WHERE rotifer_entry.ref IN (SELECT value FROM json_each(?))',
    # The key and the first bytes of the value of rows, given as a JSON list, for a review. Binds: at_most_bytes, refs.
    load_value_starts='SELECT rotifer_entry.ref, rotifer_entry."key", substr(rotifer_entry.value, 1, ?) AS substr_1 FROM rotifer_entry WHERE rotifer_entry.ref IN (SELECT value FROM json_each(?))',
    # All live entries whose key holds a text, newest first, without values. Binds: agent_ref, text, now_us.
    find_in_keys='SELECT rotifer_entry.ref, rotifer_entry."key", rotifer_entry.category, rotifer_entry.size_bytes, rotifer_entry.created_by, rotifer_entry.created_domain, rotifer_entry.last_accessed_by, rotifer_entry.created_at_us, rotifer_entry.updated_at_us, rotifer_entry.read_scope, rotifer_entry.write_scope, rotifer_entry.share_policy, rotifer_entry.own_days, rotifer_entry.own_auto_delete, rotifer_entry.own_anonymization, rotifer_entry.value_hmac FROM rotifer_entry WHERE rotifer_entry.agent_ref = ? AND instr(rotifer_entry."key", ?) > 0 AND (rotifer_entry.expires_at_us IS NULL OR rotifer_entry.expires_at_us > ?) ORDER BY rotifer_entry.order_us DESC, rotifer_entry.seq DESC',
    # All live entries whose key holds a text or whose value its bytes, newest first, without values. Binds: agent_ref, text, text_bytes, now_us.
    find_anywhere='SELECT rotifer_entry.ref, rotifer_entry."key", rotifer_entry.category, rotifer_entry.size_bytes, rotifer_entry.created_by, rotifer_entry.created_domain, rotifer_entry.last_accessed_by, rotifer_entry.created_at_us, rotifer_entry.updated_at_us, rotifer_entry.read_scope, rotifer_entry.write_scope, rotifer_entry.share_policy, rotifer_entry.own_days, rotifer_entry.own_auto_delete, rotifer_entry.own_anonymization, rotifer_entry.value_hmac FROM rotifer_entry WHERE rotifer_entry.agent_ref = ? AND (instr(rotifer_entry."key", ?) > 0 OR instr(rotifer_entry.value, ?) > 0) AND (rotifer_entry.expires_at_us IS NULL OR rotifer_entry.expires_at_us > ?) ORDER BY rotifer_entry.order_us DESC, rotifer_entry.seq DESC',
    # The live entries of the keys in a JSON list, in order of update (AGT-4). Binds: agent_ref, keys, now_us.
    load_by_keys='SELECT rotifer_entry.ref, rotifer_entry."key", rotifer_entry.category, rotifer_entry.size_bytes, rotifer_entry.value_hmac FROM rotifer_entry WHERE rotifer_entry.agent_ref = ? AND rotifer_entry."key" IN (SELECT value FROM json_each(?)) AND (rotifer_entry.expires_at_us IS NULL OR rotifer_entry.expires_at_us > ?) ORDER BY rotifer_entry.order_us, rotifer_entry.seq',
    # What tells whether entries are those that were seen: of the keys in a JSON list (AGT-4). Binds: agent_ref, keys, now_us.
    load_seen='SELECT rotifer_entry."key", rotifer_entry.created_by, rotifer_entry.created_at_us, rotifer_entry.updated_at_us FROM rotifer_entry WHERE rotifer_entry.agent_ref = ? AND rotifer_entry."key" IN (SELECT value FROM json_each(?)) AND (rotifer_entry.expires_at_us IS NULL OR rotifer_entry.expires_at_us > ?)',
    # The live entries of a category, in order of update (AGT-4). Binds: agent_ref, category, now_us.
    load_category='SELECT rotifer_entry.ref, rotifer_entry."key", rotifer_entry.category, rotifer_entry.size_bytes, rotifer_entry.value_hmac FROM rotifer_entry WHERE rotifer_entry.agent_ref = ? AND rotifer_entry.category = ? AND (rotifer_entry.expires_at_us IS NULL OR rotifer_entry.expires_at_us > ?) ORDER BY rotifer_entry.order_us, rotifer_entry.seq',
    # When the agent's next entry expires; one look into an index (POL-6). Binds: agent_ref.
    load_next_expiry="SELECT min(rotifer_entry.expires_at_us) AS min_1 FROM rotifer_entry WHERE rotifer_entry.agent_ref = ? AND rotifer_entry.expires_at_us IS NOT NULL",
    # All live entries of an agent, newest first, without values (AGT-3). Binds: agent_ref, now_us.
    list_entries='SELECT rotifer_entry.ref, rotifer_entry."key", rotifer_entry.category, rotifer_entry.size_bytes, rotifer_entry.created_by, rotifer_entry.created_domain, rotifer_entry.last_accessed_by, rotifer_entry.created_at_us, rotifer_entry.updated_at_us, rotifer_entry.read_scope, rotifer_entry.write_scope, rotifer_entry.share_policy, rotifer_entry.own_days, rotifer_entry.own_auto_delete, rotifer_entry.own_anonymization, rotifer_entry.value_hmac FROM rotifer_entry WHERE rotifer_entry.agent_ref = ? AND (rotifer_entry.expires_at_us IS NULL OR rotifer_entry.expires_at_us > ?) ORDER BY rotifer_entry.order_us DESC, rotifer_entry.seq DESC',
    # All live entries of one category, newest first, without values (AGT-3). Binds: agent_ref, category, now_us.
    list_category='SELECT rotifer_entry.ref, rotifer_entry."key", rotifer_entry.category, rotifer_entry.size_bytes, rotifer_entry.created_by, rotifer_entry.created_domain, rotifer_entry.last_accessed_by, rotifer_entry.created_at_us, rotifer_entry.updated_at_us, rotifer_entry.read_scope, rotifer_entry.write_scope, rotifer_entry.share_policy, rotifer_entry.own_days, rotifer_entry.own_auto_delete, rotifer_entry.own_anonymization, rotifer_entry.value_hmac FROM rotifer_entry WHERE rotifer_entry.agent_ref = ? AND rotifer_entry.category = ? AND (rotifer_entry.expires_at_us IS NULL OR rotifer_entry.expires_at_us > ?) ORDER BY rotifer_entry.order_us DESC, rotifer_entry.seq DESC',
    # All live entries with their values, in order of update (AGT-6). Binds: agent_ref, now_us.
    export_entries='SELECT rotifer_entry.created_domain, rotifer_entry."key", rotifer_entry.category, rotifer_entry.value, rotifer_entry.created_by, rotifer_entry.last_accessed_by, rotifer_entry.created_at_us, rotifer_entry.updated_at_us, rotifer_entry.read_scope, rotifer_entry.write_scope, rotifer_entry.share_policy, rotifer_entry.own_days, rotifer_entry.own_auto_delete, rotifer_entry.own_anonymization, rotifer_entry.size_bytes FROM rotifer_entry WHERE rotifer_entry.agent_ref = ? AND (rotifer_entry.expires_at_us IS NULL OR rotifer_entry.expires_at_us > ?) ORDER BY rotifer_entry.order_us, rotifer_entry.seq',
    # A live entry's value, for the deployer. Binds: agent_ref, key, now_us.
    load_value='SELECT rotifer_entry.value FROM rotifer_entry WHERE rotifer_entry.agent_ref = ? AND rotifer_entry."key" = ? AND (rotifer_entry.expires_at_us IS NULL OR rotifer_entry.expires_at_us > ?)',
    # What the self-check compares of every agent. Binds: nothing.
    verify_agents="SELECT rotifer_agent.ref, rotifer_agent.agent_id, rotifer_agent.days, rotifer_agent.hmac_key, rotifer_agent.order_us, rotifer_agent.cache_entries, rotifer_agent.cache_bytes, rotifer_agent.pattern_entries, rotifer_agent.pattern_bytes, rotifer_agent.context_entries, rotifer_agent.context_bytes, rotifer_agent.preference_entries, rotifer_agent.preference_bytes FROM rotifer_agent",
    # What the self-check compares of every entry, expired ones too. Binds: nothing.
    verify_entries='SELECT rotifer_entry.agent_ref, rotifer_entry.order_us, rotifer_entry.seq, rotifer_entry.expires_at_us, rotifer_entry.value, rotifer_entry.ref, rotifer_entry."key", rotifer_entry.category, rotifer_entry.size_bytes, rotifer_entry.created_by, rotifer_entry.created_domain, rotifer_entry.last_accessed_by, rotifer_entry.created_at_us, rotifer_entry.updated_at_us, rotifer_entry.read_scope, rotifer_entry.write_scope, rotifer_entry.share_policy, rotifer_entry.own_days, rotifer_entry.own_auto_delete, rotifer_entry.own_anonymization, rotifer_entry.value_hmac FROM rotifer_entry',
    # Moves the expiry of entries that follow the agent's days (POL-4). Binds: threshold_us, span_us, agent_ref.
    apply_agent_days="UPDATE rotifer_entry SET expires_at_us=CASE WHEN (rotifer_entry.updated_at_us > ?) THEN 9223372036854775807 ELSE rotifer_entry.updated_at_us + ? END WHERE rotifer_entry.agent_ref = ? AND rotifer_entry.own_auto_delete IS NULL",
    # Entries that follow the agent's days never expire any more (POL-4). Binds: agent_ref.
    lift_agent_days="UPDATE rotifer_entry SET expires_at_us=NULL WHERE rotifer_entry.agent_ref = ? AND rotifer_entry.own_auto_delete IS NULL",
)

SQLITE_TABLES = (
    "CREATE TABLE rotifer_agent ( ref INTEGER NOT NULL, agent_id TEXT NOT NULL, name TEXT NOT NULL, created_at_us INTEGER NOT NULL, genes TEXT NOT NULL, composition TEXT NOT NULL, quota_bytes INTEGER NOT NULL, days INTEGER, auto_delete INTEGER NOT NULL, anonymization INTEGER NOT NULL, hmac_key BLOB NOT NULL, order_us INTEGER NOT NULL, cache_entries INTEGER NOT NULL, cache_bytes INTEGER NOT NULL, pattern_entries INTEGER NOT NULL, pattern_bytes INTEGER NOT NULL, context_entries INTEGER NOT NULL, context_bytes INTEGER NOT NULL, preference_entries INTEGER NOT NULL, preference_bytes INTEGER NOT NULL, PRIMARY KEY (ref), UNIQUE (agent_id), UNIQUE (name) ) STRICT",
    'CREATE TABLE rotifer_entry ( ref INTEGER NOT NULL, agent_ref INTEGER NOT NULL, "key" TEXT NOT NULL, category INTEGER NOT NULL, size_bytes INTEGER NOT NULL, created_by TEXT NOT NULL, created_domain TEXT NOT NULL, last_accessed_by TEXT NOT NULL, created_at_us INTEGER NOT NULL, updated_at_us INTEGER NOT NULL, order_us INTEGER NOT NULL, seq INTEGER NOT NULL, expires_at_us INTEGER, read_scope INTEGER NOT NULL, write_scope INTEGER NOT NULL, share_policy INTEGER NOT NULL, own_days INTEGER, own_auto_delete INTEGER, own_anonymization INTEGER, value_hmac BLOB NOT NULL, value BLOB NOT NULL, PRIMARY KEY (ref), UNIQUE (agent_ref, "key"), CHECK (category BETWEEN 0 AND 3), CHECK (created_at_us BETWEEN -62135596800000000 AND 253402300799999999), CHECK (updated_at_us BETWEEN -62135596800000000 AND 253402300799999999), CHECK (read_scope BETWEEN 0 AND 2), CHECK (write_scope BETWEEN 0 AND 2), CHECK (share_policy BETWEEN 0 AND 2) ) STRICT',
    "CREATE INDEX rotifer_entry_evict ON rotifer_entry (agent_ref, category, order_us, seq)",
    "CREATE INDEX rotifer_entry_expiry ON rotifer_entry (agent_ref, expires_at_us) WHERE expires_at_us IS NOT NULL",
    "CREATE INDEX rotifer_entry_recent ON rotifer_entry (agent_ref, order_us, seq)",
    "CREATE TABLE rotifer_gene ( agent_ref INTEGER NOT NULL, gene_id TEXT NOT NULL, name TEXT, version TEXT, domain TEXT NOT NULL, PRIMARY KEY (agent_ref, gene_id) ) STRICT",
    "CREATE TABLE rotifer_state ( id INTEGER NOT NULL, schema_version INTEGER NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (id), CHECK (id = 1) ) STRICT",
)
