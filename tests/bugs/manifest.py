"""Every fault that was reported of products like this one, and where its proof stands.

Data only. A row tells the fault in our words, where it was seen (`own case`: it follows from the rules), the
tests that show that it does not happen here, the later parts of the project that must show their share, and
why something cannot happen at all. Numbers that are missing from `IDS` were never given to a report.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

REPOSITORY: Final = "repository memory"
SERVER: Final = "PostgreSQL server"
MCP: Final = "MCP"
LATER_PARTS: Final = (REPOSITORY, SERVER, MCP)

IDS: Final = (
    *("B01", "B02", "B04", "B05", "B07", "B09", "B10", "B11", "B12", "B13", "B15", "B16", "B17", "B18"),
    *("B21", "B23", "B24", "B25", "B26", "B27", "B29", "B30", "B32", "B33", "B35", "B36", "B37", "B39"),
    *("B40", "B41", "B42", "B44", "B47", "B48", "B49", "B50", "B51", "B53", "B54", "B57", "B59", "B60"),
    *("B61", "B62", "B64", "B66", "B68", "B69", "B70", "B72", "B73", "B75", "B76", "B77", "B80", "B81"),
    *("B82", "B84", "B86", "B87", "B88", "B90", "B91", "B92", "B93", "B95", "B97", "B98", "B99", "B100"),
    *("B101", "B102", "B104", "B105", "B108", "B109", "B111", "B112", "B114", "B115", "B116", "B117"),
    *("B118", "B121", "B122", "B123", "B126", "B127", "B128", "B129"),
)


@dataclass(frozen=True, slots=True)
class Report:
    """One reported fault.

    `proved_by` names tests as pytest does, or a conformance case by its file and id; `later` names parts of
    `LATER_PARTS`, separated by commas.
    """

    id: str
    what: str
    origin: str
    proved_by: tuple[str, ...] = ()
    later: str | None = None
    cannot: str | None = None


def later(*parts: str) -> str:
    """The parts as a row writes them."""
    return ", ".join(parts)


WASM: Final = "tests/hosts/wasm/"
LANGUAGES: Final = "tests/bugs/test_languages.py::"
TYPESCRIPT: Final = "tests/hosts/test_hostile_typescript.py::"
CASES: Final = "tests/conformance/cases/memory/"
ACCESS: Final = f"{CASES}access.json::"
ENTRIES: Final = f"{CASES}entries.json::"
EXPIRY: Final = f"{CASES}expiry.json::"
INPUT: Final = f"{CASES}input.json::"
MOVING: Final = f"{CASES}moving.json::"
POLICIES: Final = f"{CASES}policies.json::"
QUERIES: Final = f"{CASES}queries.json::"
QUOTA: Final = f"{CASES}quota.json::"
DEPLOYER: Final = f"{CASES}deployer.json::"
RECORDING: Final = f"{CASES}recording.json::"

REPORTS: Final = (
    Report(
        "B01",
        "A call fails at once where the store is busy instead of taking its turn.",
        "mem0ai/mem0#7196",
        proved_by=(
            "tests/concurrency/test_shared_store.py::test_writers_and_queriers_never_meet_a_busy_store",
        ),
    ),
    Report(
        "B02",
        "A process that has read and now waits for its user keeps everybody else from writing.",
        "buildingjoshbetter/TrueMemory#402, #449",
        proved_by=(
            "tests/concurrency/test_shared_store.py::test_idle_processes_hold_nothing_back",
            "tests/dashboard/test_bug_rows.py::test_a_dashboard_that_waits_for_its_user_holds_nothing_back",
        ),
        later=MCP,
    ),
    Report(
        "B04",
        "A listing and a running agent get in each other's way.",
        "nhadaututtheky/neural-memory#128",
        proved_by=(
            "tests/concurrency/test_shared_store.py::"
            "test_each_expiry_is_removed_once_however_many_list_while_others_write",
            "tests/cli/test_side_by_side.py::test_listings_and_runs_never_lock_each_other_out",
        ),
    ),
    Report(
        "B05",
        "Clearing away a mass of expired entries keeps writers waiting, or is done again and again.",
        "basicmachines-co/basic-memory#1581",
        proved_by=("tests/bugs/test_expiry.py::test_a_mass_of_expired_entries_goes_once_with_a_line_each",),
    ),
    Report(
        "B07",
        "Several writers at the edge of the quota each find the same room.",
        "alphaonedev/ai-memory-mcp#2311, MystenLabs/MemWal#532, librefang/librefang#3718",
        proved_by=(
            "tests/concurrency/test_shared_store.py::"
            "test_of_twenty_processes_racing_for_the_last_bytes_exactly_those_that_fit_succeed",
            "tests/concurrency/test_shared_store.py::"
            "test_writers_of_different_sizes_leave_no_room_that_a_refused_one_needed",
        ),
    ),
    Report(
        "B09",
        "A refresh and a deletion share one handle from two threads.",
        "sqlalchemy/sqlalchemy#5828, DataJunction/dj#253",
        proved_by=(
            "tests/concurrency/test_shared_store.py::"
            "test_thirty_two_threads_on_one_store_keep_quota_and_log_exact",
            "tests/dashboard/test_bug_rows.py::test_a_look_during_a_deletion_shows_the_state_after_it",
        ),
    ),
    Report(
        "B10",
        "Of two edits of one repository entry at the same moment one is lost.",
        "NousResearch/hermes-agent#30267",
        later=REPOSITORY,
    ),
    Report(
        "B11",
        "Log lines of writers that append together run into each other.",
        "modelcontextprotocol/servers#1819, #2579",
        proved_by=(
            "tests/concurrency/test_shared_store.py::test_fifty_parallel_writers_leave_only_whole_lines",
        ),
    ),
    Report(
        "B12",
        "The first record after a torn one is appended to its remains.",
        "elizaOS/eliza#30878, Runfusion/Fusion#3569",
        proved_by=(
            "tests/storage/test_audit_log.py::test_a_new_record_stands_on_its_own_line_after_a_torn_one",
            "tests/storage/test_audit_log.py::test_a_last_line_that_was_cut_stays_cut",
            "tests/storage/test_telemetry_log.py::test_an_event_stands_on_its_own_line_after_a_torn_one",
        ),
    ),
    Report(
        "B13",
        "A log whose last record is incomplete keeps the program from starting.",
        "mikkelchokolate/Veil#90, spoj/tg-bot2#46",
        proved_by=(
            "tests/storage/test_audit_log.py::test_a_new_record_stands_on_its_own_line_after_a_torn_one",
            "tests/bugs/test_commands.py::test_listing_and_deleting_go_on_beside_a_damaged_line",
            "tests/cli/test_log_tails.py::test_a_hostile_line_is_shown_safely_or_counted",
            "tests/dashboard/test_bug_rows.py::test_a_log_that_ends_in_a_torn_line_is_shown_and_gone_on_with",
            "tests/dashboard/test_log_screen.py::test_lines_that_are_no_records_are_shown_and_counted",
        ),
    ),
    Report(
        "B15",
        "Zero bytes that a loss of power leaves at the log's end hide what follows them.",
        "gastownhall/gascity#5336",
        proved_by=(
            "tests/storage/test_audit_log.py::test_a_new_record_stands_on_its_own_line_after_a_torn_one",
            "tests/bugs/test_commands.py::test_listing_and_deleting_go_on_beside_a_damaged_line",
        ),
    ),
    Report(
        "B16",
        "One line of garbage in a log puts everything out of order.",
        "modelcontextprotocol/servers PR#4510, Yeachan-Heo/oh-my-codex#489",
        proved_by=(
            "tests/storage/test_audit_log.py::test_damage_in_the_middle_is_passed_over_and_named",
            "tests/storage/test_insight.py::test_a_life_goes_on_beside_damage_and_other_programs_lines",
            "tests/storage/test_telemetry_log.py::test_damage_in_the_log_is_passed_over_and_named",
            "tests/bugs/test_commands.py::test_listing_and_deleting_go_on_beside_a_damaged_line",
        ),
    ),
    Report(
        "B17",
        "A key that holds a line feed writes a log line of its own.",
        "aelassas/servy#354, Tr3kkR/Yuzu#3874",
        proved_by=(
            "tests/storage/test_audit_log.py::test_a_key_cannot_forge_a_line",
            f"{RECORDING}record-one-line-whatever-the-key",
            f"{RECORDING}record-one-line-for-refusals-too",
            "tests/property/test_core_properties.py::test_whatever_a_record_holds_it_is_one_line_of_a_chain",
            "tests/cli/test_log_tails.py::test_a_record_is_found_by_any_key",
            "tests/storage/test_insight.py::test_a_life_is_found_by_any_key",
        ),
    ),
    Report(
        "B18",
        "A change is made though its log line could not be written.",
        "astrid-runtime/astrid#134, CVEProject/cve-services#1985",
        proved_by=(
            "tests/storage/test_audit_log.py::test_without_its_line_no_change_is_made",
            "tests/storage/test_audit_log.py::test_a_log_of_mode_0400_takes_no_change",
        ),
    ),
    Report(
        "B21",
        "After a step of the clock nobody can tell which record came first.",
        "agentrust-io/cmcp#166",
        proved_by=(
            "tests/storage/test_audit_log.py::test_seq_rises_whatever_the_clock_does",
            "tests/bugs/test_expiry.py::"
            "test_a_clock_that_jumps_a_day_and_back_revives_nothing_and_keeps_the_order",
        ),
    ),
    Report(
        "B23",
        "Logs are created with whatever mode the umask leaves.",
        "elizaOS/eliza#31250",
        proved_by=(
            "tests/storage/test_file_modes.py::test_every_file_is_0600_and_the_folder_0700_throughout",
        ),
    ),
    Report(
        "B24",
        "What has expired is still returned until some sweep comes by.",
        "langchain-ai/langgraph#8902",
        proved_by=(
            f"{EXPIRY}expire-hidden-from-read",
            f"{EXPIRY}expire-hidden-from-query",
            f"{EXPIRY}expire-hidden-from-list",
            f"{EXPIRY}expire-not-in-the-usage",
        ),
        later=REPOSITORY,
    ),
    Report(
        "B25",
        "One of the many ways to an entry does not ask whether it has expired.",
        "alphaonedev/ai-memory-mcp#3392",
        proved_by=(
            "tests/bugs/test_expiry.py::test_an_expired_entry_is_gone_on_every_path",
            "tests/bugs/test_expiry.py::test_a_read_only_store_hides_what_has_expired_and_removes_nothing",
            "tests/bugs/test_expiry.py::test_a_write_over_an_expired_entry_makes_a_new_one",
            "tests/bugs/test_expiry.py::test_the_place_of_an_expired_entry_is_free_for_an_import",
            "tests/cli/test_memory_list.py::test_expired_entries_go_when_they_are_listed_and_not_before",
            "tests/storage/test_insight.py::test_what_has_expired_neither_counts_nor_is_evicted",
            "tests/dashboard/test_bug_rows.py::"
            "test_an_expired_entry_is_gone_from_every_part_of_the_dashboard",
            "tests/dashboard/test_refresh.py::"
            "test_an_entry_that_reaches_zero_is_shown_as_expired_and_goes_at_the_next_look",
        ),
    ),
    Report(
        "B26",
        "A layer around the store forgets to hand the retention on.",
        "langchain-ai/langgraph#8921",
        proved_by=(
            "tests/bugs/test_expiry.py::test_every_door_stores_the_retention_that_a_gene_passes",
            f"{LANGUAGES}test_each_language_hands_the_retention_on",
        ),
        later=later(REPOSITORY, MCP),
    ),
    Report(
        "B27",
        "Reading an entry keeps it alive.",
        "alphaonedev/ai-memory-mcp#1596",
        proved_by=(
            "tests/bugs/test_expiry.py::test_looking_at_an_entry_never_moves_its_expiry",
            f"{EXPIRY}expire-read-and-query-do-not-move-it",
        ),
        later=REPOSITORY,
    ),
    Report(
        "B29",
        "Two writers store times in two conventions, and the order is lost.",
        "semantica-agi/semantica#1073, mnemosyne-oss/mnemosyne#759",
        proved_by=(
            "tests/bugs/test_expiry.py::test_the_machines_time_zone_changes_no_time",
            f"{LANGUAGES}test_languages_that_write_in_turn_share_one_order_and_one_expiry_rule",
        ),
    ),
    Report(
        "B30",
        "A stored time that cannot be read is taken for one that never comes.",
        "lifemate-ai/embodied-claude#85, moorcheh-ai/memanto#1209",
        proved_by=(
            "tests/storage/test_strict_rows.py::test_a_time_that_is_no_whole_number_is_refused_by_the_file",
            "tests/storage/test_strict_rows.py::"
            "test_a_time_that_no_calendar_has_fails_alone_or_cannot_be_stored",
        ),
        cannot="A text in place of a time: the tables are STRICT, so the file itself refuses it.",
    ),
    Report(
        "B32",
        "A bound in one spelling is compared as text with times in another.",
        "librefang/librefang#6049",
        proved_by=(
            f"{QUERIES}time-offsets-over-a-day",
            f"{QUERIES}time-not-rfc-3339",
            "tests/unit/test_hostile_library.py::test_a_bound_is_compared_as_an_exact_instant",
            "tests/unit/test_hostile_library.py::test_a_refused_bound_is_invalid_input",
        ),
        cannot="Times are stored as whole microseconds and bounds become such before the query runs.",
    ),
    Report(
        "B33",
        "A bound with another offset than Z gives another answer for the same instant.",
        "alphaonedev/ai-memory-mcp#3313, DeytaHQ/khora#1207",
        proved_by=(
            f"{QUERIES}time-spellings-of-one-instant",
            f"{QUERIES}query-since-inclusive-until-exclusive",
            "tests/property/test_core_properties.py::"
            "test_a_bound_splits_entries_exactly_where_its_instant_lies",
        ),
    ),
    Report(
        "B35",
        "Lower-case t and z, which the standard allows, are refused.",
        "UKGovernmentBEIS/inspect_ai#5369, python/cpython#80010",
        proved_by=(
            f"{QUERIES}time-spellings-of-one-instant",
            "tests/unit/test_hostile_library.py::test_a_bound_is_compared_as_an_exact_instant",
        ),
    ),
    Report(
        "B36",
        "A leap second is refused or moved to a wrong instant.",
        "danielrichman/strict-rfc3339#4, ariebovenberg/whenever#289",
        proved_by=(
            f"{QUERIES}time-leap-second",
            f"{QUERIES}time-second-sixty-in-any-minute",
            "tests/unit/test_hostile_library.py::test_a_bound_is_compared_as_an_exact_instant",
        ),
    ),
    Report(
        "B37",
        "Times are accepted that are not of the promised form.",
        "python/cpython#107779, #114471",
        proved_by=(
            f"{QUERIES}time-not-rfc-3339",
            f"{QUERIES}time-not-in-the-calendar",
            f"{QUERIES}query-member-types",
            f"{QUERIES}query-null-is-not-absent",
            "tests/unit/test_hostile_library.py::test_a_refused_bound_is_invalid_input",
        ),
    ),
    Report(
        "B39",
        "A huge number of days leaves the calendar and crashes whoever computes the end.",
        "notatallshaw/nab#104, scylladb/scylladb#3182",
        proved_by=(
            "tests/bugs/test_expiry.py::test_the_largest_number_of_days_works_wherever_an_expiry_is_told",
            "tests/bugs/test_expiry.py::test_a_number_of_days_that_is_none_is_refused_on_every_path",
            "tests/bugs/test_expiry.py::test_a_day_given_as_one_point_zero_is_one_day",
            f"{EXPIRY}expire-largest-days-on-every-path",
            "tests/cli/test_agent_list.py::test_an_expiry_beyond_any_calendar_is_told_in_words",
            "tests/dashboard/test_bug_rows.py::"
            "test_a_retention_that_a_gene_set_is_the_expiry_that_dashboard_and_command_show",
            "tests/dashboard/test_refresh.py::test_countdowns_follow_a_clock_that_steps",
            "tests/unit/test_view_instants.py::test_what_is_left_in_words",
        ),
        later=REPOSITORY,
    ),
    Report(
        "B40",
        "A clock that steps makes entries expire too soon or lets an old write win.",
        "valkey-io/valkey#2651, dstackai/dstack#1727",
        proved_by=(
            "tests/bugs/test_expiry.py::"
            "test_a_clock_that_jumps_a_day_and_back_revives_nothing_and_keeps_the_order",
            f"{EXPIRY}expire-removed-stays-removed",
            f"{ENTRIES}order-when-the-clock-steps-back",
            f"{QUOTA}evict-order-when-the-clock-steps-back",
        ),
    ),
    Report(
        "B41",
        "Paths disagree about the very instant of an expiry.",
        "own case",
        proved_by=(
            "tests/bugs/test_expiry.py::test_all_paths_draw_the_line_of_an_expiry_at_one_microsecond",
            "tests/property/test_core_properties.py::test_an_entry_lives_until_its_instant_and_not_at_it",
        ),
        later=REPOSITORY,
    ),
    Report(
        "B42",
        "Expired entries go on counting against the quota.",
        "brave/go-sync#248",
        proved_by=(
            "tests/bugs/test_expiry.py::test_room_taken_by_expired_entries_is_free_again",
            f"{EXPIRY}expire-not-in-the-quota",
        ),
    ),
    Report(
        "B44",
        "An expiry that was set in one place cannot be seen in another.",
        "mem0ai/mem0#3696",
        proved_by=(
            "tests/bugs/test_expiry.py::test_a_retention_set_by_a_gene_is_the_expiry_that_all_views_show",
            "tests/cli/test_memory_list.py::test_an_entrys_members_are_the_pages_without_the_value",
            "tests/dashboard/test_bug_rows.py::"
            "test_a_retention_that_a_gene_set_is_the_expiry_that_dashboard_and_command_show",
        ),
    ),
    Report(
        "B47",
        "The quota is a wish: the store grows past it and shrinks some time later.",
        "grantjenks/python-diskcache#52",
        proved_by=(
            "tests/bugs/test_quota.py::test_a_thousand_random_changes_never_end_over_the_quota",
            "tests/property/test_state_machine.py::TestMemoryHistories",
        ),
    ),
    Report(
        "B48",
        "A second way to write knows fewer limits than the first.",
        "letta-ai/letta#3241",
        proved_by=(
            "tests/bugs/test_quota.py::test_a_write_over_a_limit_is_refused_by_each_door",
            "tests/bugs/test_quota.py::test_an_import_over_a_limit_is_refused_as_a_write_is",
            "tests/bugs/test_quota.py::test_a_moved_agent_brings_no_entry_that_cannot_be",
            "tests/bugs/test_quota.py::"
            "test_an_agents_own_entries_come_back_whatever_its_data_policy_says_now",
            "tests/cli/test_hostile.py::test_a_quota_text_that_is_none_sets_nothing",
            f"{LANGUAGES}test_each_language_knows_the_same_limits",
            f"{LANGUAGES}test_each_language_is_refused_what_does_not_fit_the_quota",
            f"{LANGUAGES}test_a_trial_knows_the_same_limits",
        ),
    ),
    Report(
        "B49",
        "A list ends at some number and says nothing of the rest.",
        "nowledge-co/community#422, MystenLabs/MemWal#271, ThinkInAIXYZ/deepchat#1884",
        proved_by=(
            "tests/bugs/test_quota.py::test_no_list_is_cut_without_a_word",
            f"{QUERIES}query-limit-range",
            "tests/cli/test_memory_list.py::test_all_entries_are_listed",
        ),
    ),
    Report(
        "B50",
        "An answer grows larger than its reader can take.",
        "nowledge-co/community#493",
        proved_by=(
            "tests/bugs/test_quota.py::test_an_answer_is_whole_or_refused_whatever_its_encoding_adds",
            f"{QUERIES}query-answer-size-boundary",
            f"{QUERIES}query-answer-size-counts-keys",
        ),
    ),
    Report(
        "B51",
        "A bound in bytes is checked in characters.",
        "XortexAI/XMem#230, stargate/data-api#710",
        proved_by=(
            "tests/bugs/test_quota.py::test_a_key_is_as_long_as_its_bytes",
            f"{INPUT}key-length-in-bytes-wide",
            f"{QUOTA}quota-counts-utf8-not-characters",
        ),
    ),
    Report(
        "B53",
        "Of entries with equal times the wrong one is evicted.",
        "antonbabenko/deliberation#98, yogthos/Matryoshka#31",
        proved_by=(
            f"{QUOTA}evict-ties-by-write-order",
            f"{QUOTA}evict-ties-not-by-key",
            f"{QUOTA}evict-rewritten-counts-as-new",
        ),
    ),
    Report(
        "B54",
        "Entries are evicted for a write that then fails.",
        "own case",
        proved_by=(
            "tests/bugs/test_quota.py::test_a_refused_write_evicts_nothing_on_its_way",
            f"{QUOTA}refusal-rolls-back-evictions",
            "tests/property/test_insight_properties.py::test_a_forecast_comes_true",
        ),
    ),
    Report(
        "B57",
        "A rewrite under another category is counted twice or evicted by the old one.",
        "own case",
        proved_by=(
            "tests/bugs/test_quota.py::"
            "test_an_entry_whose_category_is_rewritten_counts_once_and_is_kept_by_the_new_one",
            f"{ENTRIES}category-change-by-another-gene",
            f"{QUOTA}evict-after-category-change",
        ),
    ),
    Report(
        "B59",
        "A text for a size is read in part, overflows, or means another unit.",
        "openSUSE/libstorage-ng#264, qoretechnologies/qore#4198",
        proved_by=(
            "tests/cli/test_agent_create.py::test_a_quota_text_gives_an_agent_of_so_many_bytes",
            "tests/cli/test_agent_create.py::test_a_quota_text_that_is_none_creates_no_agent",
            "tests/cli/test_sizes.py::test_a_quota_text_of_another_form_or_size_is_refused",
        ),
    ),
    Report(
        "B60",
        "A long value is cut and the write still called a success.",
        "openchamber/openchamber#3604",
        proved_by=(
            "tests/bugs/test_quota.py::test_a_value_comes_back_whole_or_was_never_taken",
            f"{INPUT}value-size-boundary",
            "tests/unit/test_hostile_library.py::test_a_legal_value_comes_back_byte_for_byte",
        ),
    ),
    Report(
        "B61",
        "Some calls forget the access check that others make.",
        "ebongard/renfield#169",
        proved_by=(
            "tests/bugs/test_access.py::test_each_call_keeps_the_scope_that_it_needs",
            "tests/bugs/test_access.py::test_the_scope_that_lets_nobody_in_cannot_be_written",
            f"{ACCESS}matrix-deployer-configured-on-create",
        ),
    ),
    Report(
        "B62",
        "An id or a path reaches what belongs to another.",
        "wusaki0723/Aelios#6, Hal0ai/hal0#1387",
        proved_by=(
            "tests/bugs/test_access.py::test_no_key_reaches_another_agents_memory",
            f"{ACCESS}agents-do-not-see-each-other",
        ),
        later=REPOSITORY,
    ),
    Report(
        "B64",
        "A caller's key lands among rows that the program keeps for itself.",
        "alphaonedev/ai-memory-mcp#3362",
        proved_by=(
            "tests/bugs/test_access.py::test_a_key_that_looks_like_an_inner_name_is_a_key_like_any_other",
        ),
        later=REPOSITORY,
    ),
    Report(
        "B66",
        "A bad request for a forbidden entry is answered by whether it is forbidden.",
        "labsai/EDDI#530",
        proved_by=(
            "tests/bugs/test_access.py::test_bad_input_for_a_forbidden_entry_is_bad_input",
            f"{ACCESS}order-input-before-scope",
        ),
    ),
    Report(
        "B68",
        "One path to a write does not ask the agent's data policy.",
        "own case",
        proved_by=(
            "tests/bugs/test_access.py::"
            "test_a_policy_that_the_agents_own_does_not_allow_is_denied_on_every_write",
            "tests/bugs/test_access.py::test_the_scope_that_lets_nobody_in_cannot_be_written",
            "tests/bugs/test_access.py::test_a_retention_of_null_is_allowed_and_follows_the_agent",
            "tests/bugs/test_access.py::test_an_object_for_a_policy_is_checked_like_a_mapping",
            f"{POLICIES}data-policy-days-boundary",
            f"{POLICIES}share-needs-anonymization",
        ),
    ),
    Report(
        "B69",
        "A call beneath the public ones does the same without the checks.",
        "langchain-ai/langgraph#8832",
        proved_by=(
            "tests/bugs/test_access.py::test_every_public_call_is_known_by_what_it_may_do",
            "tests/bugs/test_access.py::test_a_call_that_looks_leaves_entries_and_log_as_they_were",
            "tests/bugs/test_access.py::test_every_call_of_a_gene_makes_the_checks",
            "tests/bugs/test_access.py::test_no_public_object_hands_out_the_database",
        ),
    ),
    Report(
        "B70",
        "Code that has no identity, or runs outside an agent, gets at memory.",
        "own case",
        proved_by=(
            "tests/bugs/test_access.py::test_a_gene_without_a_v2_id_is_refused_every_call_before_all_else",
            "tests/bugs/test_access.py::test_a_request_of_a_gene_without_a_v2_id_is_not_even_read",
            f"{ACCESS}no-id-refused-before-input",
            f"{ACCESS}gene-id-of-another-form-is-no-v2-id",
            "tests/cli/test_gene_run.py::test_a_memory_call_is_refused_and_recorded_nowhere",
            "tests/hosts/test_node_child.py::"
            "test_a_gene_without_an_agent_is_refused_before_its_arguments_are_looked_at",
            f"{LANGUAGES}test_a_gene_without_an_id_is_refused_in_each_language_whatever_it_asks",
        ),
    ),
    Report(
        "B72",
        "Characters of a prefix are taken for wildcards.",
        "langchain-ai/langgraph#8300, rotki/rotki#9505",
        proved_by=(
            "tests/bugs/test_input.py::test_a_prefix_means_its_own_characters",
            f"{QUERIES}query-prefix-is-literal",
        ),
    ),
    Report(
        "B73",
        "Text ends at its first NUL.",
        "dat999zx/knowl#167, dotnet/efcore#7583",
        proved_by=(
            "tests/bugs/test_input.py::test_a_key_with_a_nul_is_no_key_and_never_a_shorter_one",
            "tests/bugs/test_input.py::test_a_value_is_not_cut_at_a_nul",
            f"{INPUT}key-with-nul-on-all-calls",
            f"{QUERIES}query-prefix-no-key-can-begin-with",
            "tests/cli/test_memory_delete.py::test_a_key_that_no_entry_has_is_refused_by_itself",
        ),
    ),
    Report(
        "B75",
        "Half a surrogate pair gets in and fails where it cannot be encoded.",
        "own case",
        proved_by=(
            "tests/bugs/test_input.py::test_a_lone_surrogate_is_refused_wherever_text_comes_in",
            "tests/bugs/test_input.py::test_a_pair_of_surrogates_in_json_is_one_character",
            f"{INPUT}key-lone-surrogate-on-all-calls",
            f"{LANGUAGES}test_half_a_pair_of_surrogates_is_refused_in_each_language",
        ),
        later=REPOSITORY,
    ),
    Report(
        "B76",
        "Keys that look odd but are allowed are bent, trimmed or refused.",
        "own case",
        proved_by=(
            "tests/bugs/test_input.py::test_an_odd_key_is_kept_as_it_is",
            f"{INPUT}key-empty-on-all-calls",
            f"{INPUT}key-length-in-bytes-ascii",
            f"{INPUT}key-no-trimming",
            f"{QUERIES}query-prefix-empty-is-all",
            "tests/unit/test_hostile_library.py::test_a_legal_key_is_kept_and_found_as_it_is",
            "tests/cli/test_memory_list.py::test_a_hostile_key_is_one_safe_line_and_true_in_json",
        ),
    ),
    Report(
        "B77",
        "A value of no bytes is taken for no value.",
        "microsoft/pgtoolsservice#286",
        proved_by=(
            "tests/bugs/test_input.py::test_an_empty_value_is_a_value",
            f"{INPUT}value-size-zero",
            f"{MOVING}move-large-and-empty-values",
            f"{LANGUAGES}test_a_value_of_no_bytes_is_a_value_in_each_language",
        ),
    ),
    Report(
        "B80",
        "A value of the wrong type is turned into bytes somehow.",
        "own case",
        proved_by=(
            "tests/bugs/test_input.py::test_a_value_of_another_type_is_refused",
            "tests/bugs/test_input.py::test_a_json_value_that_is_not_padded_base64_is_refused",
            f"{INPUT}value-not-bytes",
            "tests/hosts/test_node_child.py::test_a_call_takes_what_the_page_says_and_refuses_the_rest",
        ),
    ),
    Report(
        "B81",
        "True passes for one, a text for the number it spells, an unknown member for nothing.",
        "scrapinghub/dateparser#1386",
        proved_by=(
            "tests/bugs/test_input.py::test_a_retention_policy_is_not_read_loosely",
            "tests/bugs/test_input.py::test_a_filter_is_not_read_loosely",
            "tests/bugs/test_input.py::test_a_filter_that_is_no_object_is_refused",
            "tests/bugs/test_input.py::test_a_request_that_is_no_json_object_is_refused",
            "tests/bugs/test_input.py::test_typed_values_are_checked_like_mappings",
            f"{POLICIES}retention-policy-wrong-types",
            f"{ENTRIES}category-lower-case-refused",
        ),
    ),
    Report(
        "B82",
        "Others on the machine can read the store's files.",
        "librefang/librefang#5420, arjunkmrm/recall#2",
        proved_by=(
            "tests/storage/test_file_modes.py::test_every_file_is_0600_and_the_folder_0700_throughout",
        ),
    ),
    Report(
        "B84",
        "Where a write-ahead log cannot be had the store goes on without the safety it counts on.",
        "Gentleman-Programming/engram#1292, anomalyco/opencode#14970",
        proved_by=(
            "tests/storage/test_rollback_journal.py::test_the_store_says_which_mode_it_got",
            "tests/storage/test_rollback_journal.py::test_every_conformance_case_passes",
            "tests/storage/test_rollback_journal.py::test_several_processes_share_it",
            "tests/storage/test_rollback_journal.py::test_a_gene_and_the_deployer_share_it",
            "tests/unit/test_view_health.py::test_a_store_without_a_write_ahead_log_is_to_be_watched",
        ),
    ),
    Report(
        "B86",
        "A store that cannot be opened is silently replaced by another.",
        "can1357/oh-my-pi#9360",
        proved_by=(
            "tests/storage/test_database.py::test_what_is_no_database_is_refused_and_left_as_it_is",
            "tests/storage/test_database.py::test_an_empty_file_and_a_missing_folder_are_set_up",
        ),
    ),
    Report(
        "B87",
        "The store lies wherever the program happened to be started.",
        "open-octo/octo-agent#1349",
        proved_by=(
            "tests/cli/test_init.py::test_the_project_is_found_from_any_folder_in_it",
            "tests/cli/test_init.py::test_the_nearest_project_is_the_one",
            "tests/cli/test_init.py::test_outside_any_project_the_error_says_how_to_make_one",
        ),
    ),
    Report(
        "B88",
        "A store that was opened to be read is written.",
        "JuliusBrussee/cavemem#29",
        proved_by=(
            "tests/storage/test_read_only.py::test_a_folder_without_write_permission_answers_and_stays_as_it_is",
            "tests/storage/test_read_only.py::test_every_change_is_refused_and_every_file_stays_as_it_is",
            "tests/storage/test_read_only.py::test_what_has_expired_is_hidden_and_not_removed",
        ),
    ),
    Report(
        "B90",
        "An upgrade loses entries, or an older program opens what it does not understand.",
        "usememos/memos#2798, #5920",
        proved_by=(
            "tests/storage/test_database.py::test_a_newer_schema_is_refused_and_the_files_stay_untouched",
            "tests/crash/test_migrations.py::"
            "test_a_migration_killed_at_any_statement_is_finished_by_the_next_start",
            "tests/storage/test_schema_fixtures.py::test_entries_policies_times_and_logs_are_equal",
            "tests/storage/test_schema_fixtures.py::test_it_is_sound_and_works",
        ),
    ),
    Report(
        "B91",
        "What is stored for a name depends on how the code spells it.",
        "ormar#1385",
        proved_by=(
            "tests/storage/test_strict_rows.py::test_a_category_is_stored_in_one_form",
            "tests/storage/test_strict_rows.py::"
            "test_an_unknown_category_scope_or_share_policy_is_refused_by_the_file",
        ),
        cannot="A row of an unknown category: the file itself refuses it.",
    ),
    Report(
        "B92",
        "Two engines behind one interface answer differently.",
        "doobidoo/mcp-memory-service#323",
        proved_by=("tests/conformance/test_memory_cases.py::test_a_case_comes_out_as_it_says",),
        later=SERVER,
    ),
    Report(
        "B93",
        "Brackets in data are taken for markup.",
        "joeynyc/hermes-hud#2, langchain-ai/deepagents#1888",
        proved_by=(
            "tests/cli/test_memory_list.py::test_a_hostile_key_is_one_safe_line_and_true_in_json",
            "tests/cli/test_memory_delete.py::test_a_key_that_is_not_there_is_not_found",
            "tests/cli/test_memory_delete.py::test_a_hostile_key_is_deleted_by_its_true_text",
            "tests/cli/test_hostile.py::test_every_key_is_listed_in_every_order",
            "tests/cli/test_hostile.py::test_every_key_stands_safely_in_the_answer_to_every_question",
            "tests/dashboard/test_bug_rows.py::"
            "test_brackets_in_a_key_are_shown_as_they_are_wherever_it_stands",
            "tests/dashboard/test_museum.py::test_hostile_data_neither_steers_nor_moves_the_frame",
            "tests/dashboard/test_delete_dialog.py::"
            "test_hostile_keys_are_named_whole_in_visible_marks_and_the_dialog_works",
        ),
    ),
    Report(
        "B95",
        "The report of an inner fault shows a value.",
        "openonion/connectonion#258, Textualize/rich#2615",
        proved_by=(
            "tests/cli/test_streams.py::test_what_nobody_foresaw_is_told_by_its_class_alone",
            "tests/cli/test_memory_list.py::test_values_are_never_shown",
            "tests/unit/test_hostile_library.py::test_neither_logs_nor_errors_show_a_value",
            "tests/storage/test_foreign_errors.py::test_no_value_shows_in_any_error_or_repr",
            "tests/storage/test_foreign_errors.py::test_an_internal_fault_shows_no_value",
            "tests/cli/test_log_tails.py::test_no_value_is_ever_printed",
            "tests/storage/test_insight.py::test_nothing_that_is_told_holds_a_value",
            "tests/dashboard/test_terminal.py::"
            "test_a_defect_ends_it_with_one_line_that_tells_the_class_alone",
            "tests/dashboard/test_desk.py::test_a_defect_is_told_to_the_program_and_to_nobody_else",
            "tests/dashboard/test_snapshot.py::test_a_picture_shows_the_screen_and_no_value",
        ),
    ),
    Report(
        "B97",
        "A deletion tells another outcome than it had.",
        "modelcontextprotocol/servers#4740, rohitg00/agentmemory#820, vectorize-io/hindsight#2523",
        proved_by=(
            "tests/bugs/test_moving.py::test_a_delete_tells_what_it_did_each_time",
            "tests/bugs/test_moving.py::test_several_keys_go_together_or_not_at_all",
            f"{DEPLOYER}deployer-delete-by-key",
            "tests/cli/test_memory_delete.py::test_what_was_chosen_goes_and_its_number_is_printed",
            "tests/cli/test_memory_delete.py::test_a_key_that_is_not_there_is_not_found",
            "tests/cli/test_memory_delete.py::test_a_deletion_is_recorded_as_the_deployers",
        ),
    ),
    Report(
        "B98",
        "Events are recorded though the deployer said no.",
        "mem0ai/mem0#2285",
        proved_by=(
            "tests/storage/test_telemetry_log.py::test_either_variable_switches_events_off",
            "tests/storage/test_telemetry_log.py::test_no_call_opens_a_socket",
            "tests/storage/test_health.py::test_it_is_said_what_switched_telemetry_off",
        ),
    ),
    Report(
        "B99",
        "Saying no is itself the last event that is recorded.",
        "humanbound/humanbound#81",
        proved_by=("tests/storage/test_telemetry_log.py::test_an_opt_out_leaves_not_even_an_empty_log",),
    ),
    Report(
        "B100",
        "A refusal turns into another error where its event cannot be written.",
        "own case",
        proved_by=(
            "tests/storage/test_telemetry_log.py::test_a_refusal_stands_though_its_event_cannot_be_written",
        ),
    ),
    Report(
        "B101",
        "The dashboard freezes or dies of many entries, few rows or a locked store.",
        "own case",
        proved_by=(
            "tests/dashboard/test_bug_rows.py::"
            "test_a_store_that_another_program_has_locked_is_a_banner_and_shown_once_it_is_free",
            "tests/dashboard/test_bug_rows.py::"
            "test_entries_that_go_by_the_thousand_beneath_a_small_screen_leave_it_on_what_is_there",
            "tests/dashboard/test_bug_rows.py::"
            "test_a_key_reads_a_window_and_draws_a_screen_however_many_entries_there_are",
            "tests/dashboard/test_refresh.py::test_keys_are_answered_while_the_store_takes_its_time",
            "tests/dashboard/test_delete_dialog.py::"
            "test_while_another_program_holds_the_store_keys_answer_and_the_entry_goes_afterwards",
        ),
    ),
    Report(
        "B102",
        "An entry that was moved has lost its owner, its id or its expiry.",
        "moorcheh-ai/memanto#1630, alphaonedev/ai-memory-mcp#2571, elizaOS/eliza#32015",
        proved_by=(
            "tests/bugs/test_moving.py::test_a_moved_agent_is_the_agent_that_left",
            "tests/bugs/test_moving.py::test_an_export_that_is_old_by_now_revives_nothing",
            "tests/bugs/test_moving.py::test_entries_reach_another_agent_only_as_named_copies",
            f"{MOVING}move-orders-by-original-update-time",
            "tests/cli/test_moving.py::test_a_day_of_moving",
        ),
    ),
    Report(
        "B104",
        "Restoring an archive brings back what had ended, or ends what lasts.",
        "own case",
        later=REPOSITORY,
    ),
    Report(
        "B105",
        "The host follows pointers out of the guest's memory.",
        "freenet/freenet-core#2864, nerdsane/temper#374, aallan/vera#1398",
        proved_by=(
            f"{WASM}test_calls.py::test_a_range_that_leaves_the_memory_is_invalid_and_nothing_is_touched",
            f"{WASM}test_calls.py::test_ranges_may_touch_the_end_overlap_and_be_empty",
            f"{WASM}test_hostile_modules.py::test_hostile_pointers_are_invalid_input_to_all_four_calls",
            f"{WASM}test_hostile_modules.py::test_a_hostile_module_harms_nothing_and_ends_in_time",
        ),
    ),
    Report(
        "B108",
        "An error's body is cut or written past the room that was given.",
        "own case",
        proved_by=(
            f"{WASM}test_calls.py::test_a_refusal_is_its_number_with_a_body_where_one_fits",
            f"{WASM}test_calls.py::test_past_the_deadline_nothing_is_done_and_nothing_said",
            f"{WASM}test_calls.py::test_an_answer_is_the_entry_and_its_length",
        ),
    ),
    Report(
        "B109",
        "A malformed request brings the host down.",
        "own case",
        proved_by=(
            "tests/bugs/test_input.py::test_a_request_that_is_no_json_object_is_refused",
            "tests/unit/test_wire.py::test_a_request_that_would_keep_a_parser_busy_is_refused_unparsed",
            f"{WASM}test_calls.py::test_a_malformed_request_is_invalid_input",
            f"{WASM}test_calls.py::test_an_empty_request_has_no_members",
            f"{WASM}test_hostile_modules.py::test_the_largest_request_holds_the_deadline_too",
        ),
    ),
    Report(
        "B111",
        "Genes of one run write under each other's name.",
        "own case",
        proved_by=(
            "tests/genes/test_runs.py::test_each_gene_acts_under_its_own_id",
            "tests/genes/test_compositions_run.py::"
            "test_a_composition_means_the_same_whatever_its_genes_are_written_in",
        ),
    ),
    Report(
        "B112",
        "A process that a gene started outlives the deadline.",
        "python/cpython#76116, greyhaven-ai/autocontext#940",
        proved_by=(
            "tests/hosts/test_hostile_genes.py::test_an_attack_ends_in_time_as_a_failed_run_that_says_why",
            "tests/hosts/test_hostile_genes.py::test_what_a_gene_started_ends_with_the_run_that_ended_well",
            f"{TYPESCRIPT}test_an_attack_ends_in_time_as_a_failed_run_that_says_why",
            f"{TYPESCRIPT}test_what_a_gene_left_running_ends_with_the_run_that_ended_well",
            f"{TYPESCRIPT}test_a_gene_does_not_outlive_the_program_that_was_ended",
        ),
    ),
    Report(
        "B114",
        "A gene that ends between two calls undoes the first, or leaves the store locked.",
        "own case",
        proved_by=(
            "tests/bugs/test_dying_genes.py::"
            "test_a_gene_that_dies_between_two_calls_keeps_the_first_and_holds_no_lock",
            "tests/bugs/test_dying_genes.py::test_a_refusal_has_the_pages_code_and_a_call_answers_at_once",
            "tests/genes/test_runs.py::test_what_a_failing_gene_wrote_stays",
            "tests/hosts/test_hostile_genes.py::test_a_gene_that_failed_runs_again_in_the_same_process",
            "tests/hosts/test_node_child.py::test_a_gene_that_fails_ends_the_run_with_one_sentence",
        ),
    ),
    Report(
        "B115",
        "Something other than the protocol is printed on its stream.",
        "hurttlocker/o8#1541, microsoft/azure-devops-mcp#147",
        later=MCP,
    ),
    Report(
        "B116",
        "Optional arguments are described in a way that clients refuse.",
        "PrefectHQ/fastmcp#2040, QwenLM/qwen-code#2839",
        later=MCP,
    ),
    Report(
        "B117",
        "A default expiry that is none stops more than the writes that would use it.",
        "own case",
        later=REPOSITORY,
    ),
    Report(
        "B118",
        "Of two policies for a repository the wrong one is followed.",
        "own case",
        later=REPOSITORY,
    ),
    Report(
        "B121",
        "An edit restarts or forgets the time that an entry has left.",
        "own case",
        later=REPOSITORY,
    ),
    Report(
        "B122",
        "The time that is left falls below zero, or does not fit the end that is told beside it.",
        "own case",
        later=REPOSITORY,
    ),
    Report(
        "B123",
        "A separator within a part of a name makes two names one.",
        "moorcheh-ai/memanto#1209",
        later=REPOSITORY,
    ),
    Report(
        "B126",
        "Two copies that were changed apart do not come to the same end.",
        "own case",
        later=REPOSITORY,
    ),
    Report(
        "B127",
        "A setting that only describes is taken for one that protects.",
        "own case",
        later=REPOSITORY,
    ),
    Report(
        "B128",
        "The server offers writes that nobody has asked it for.",
        "own case",
        later=MCP,
    ),
    Report(
        "B129",
        "Text from memory comes back as an instruction, and cannot be got rid of.",
        "mnemosyne-oss/mnemosyne#109, rohitg00/agentmemory#850",
        proved_by=(
            "tests/bugs/test_moving.py::test_poisoned_memory_can_be_removed_and_traced_to_its_writer",
            "tests/bugs/test_moving.py::test_poisoned_memory_is_brought_before_a_person_and_stays_as_it_is",
            f"{DEPLOYER}deployer-delete-whatever-the-policies",
        ),
        later=later(REPOSITORY, MCP),
    ),
)
