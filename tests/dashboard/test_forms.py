"""Creating an agent, setting its policy and checking the store from the dashboard (TUI-7, POL-2, QUO-2)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dashboard.dialogs import (
    box_lines,
    box_shows,
    command,
    dialog_in,
    focused_label,
    is_open,
    keys_of,
    make_project,
    open_dialog,
    said,
    type_text,
    typed,
    write,
)
from dashboard.driving import (
    Dashboard,
    app_of,
    dashboard,
    drive,
    press,
    settled,
    shows,
    type_keys,
    until,
)
from rotifer_console.cli.app import app
from rotifer_console.dashboard.field import Field
from rotifer_store import FixedClock, SystemClock, has_store, open_store

DAY_US = 86_400 * 1_000_000
NO_AGENTS = [
    ("agent_name", "", "name: it needs one"),
    ("agent_name", "Shop", "AGENT_INVALID"),
    ("agent_name", "a..b", "AGENT_INVALID"),
    ("agent_name", "taken", "AGENT_EXISTS"),
    ("genes", " , ", "genes: it needs one"),
    ("genes", "../first", "genes: no gene is called ../first"),
    ("genes", "third", "GENE_NOT_FOUND"),
    ("new_quota", "10", "quota: it is not a number with KB, MB or GB"),
    ("new_quota", "0KB", "quota: it is less than one byte"),
    ("days", "0", "days to keep: it is not a whole number"),
    ("days", "1.5", "days to keep: it is not a whole number"),
]


def _gene(project: Path, name: str) -> None:
    folder = project / "genes" / name
    folder.mkdir(parents=True)
    phenotype = {"domain": "text", "inputSchema": {}, "outputSchema": {}, "version": "1.0.0"}
    (folder / "phenotype.json").write_text(json.dumps(phenotype))
    (folder / "index.py").write_text("def express(input, ctx):\n    return {}\n")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "rotifer.json").write_text("{}")
    _gene(tmp_path, "first")
    _gene(tmp_path, "second")
    return tmp_path


async def _fill(pilot: Dashboard, **texts: str) -> None:
    for field_id, text in texts.items():
        dialog_in(pilot).query_one(f"#{field_id}", Field).value = text
    await settled(pilot)


async def _take(pilot: Dashboard, choice_id: str = "do") -> None:
    dialog_in(pilot).query_one(f"#{choice_id}").focus()
    await press(pilot, "enter")


def test_a_projects_first_agent_is_created_by_form_and_shown(project: Path) -> None:
    """TUI-7: there was no store before."""

    async def scenario() -> None:
        async with dashboard(project) as pilot:
            assert shows(pilot, "no agents yet")
            assert not has_store(project)
            await open_dialog(pilot, "n")
            assert box_shows(pilot, "first, second")
            await type_text(pilot, "shop")
            await press(pilot, "enter")  # goes on
            await type_text(pilot, "second, first")
            await _fill(pilot, new_quota="1.5 MB", days="7")
            await _take(pilot, "anonymization")
            await _take(pilot)
            assert not is_open(pilot)
            await settled(pilot)
            assert said(pilot) == "created shop: second, then first, quota 1.5 MB"
            assert app_of(pilot).agent_name == "shop"
            assert command(pilot) == (
                *("agent", "create", "shop", "--genes", "second", "first"),
                *("--memory-quota=1.5MB", "--max-retention-days=7", "--anonymization"),
            )
        with open_store(project) as store:
            agent = store.agent("shop")
        assert agent.genes == ("second", "first")
        assert agent.composition == {"type": "Seq"}
        assert agent.memory_quota_bytes == 3 << 19
        policy = agent.data_policy
        assert (policy.max_retention_days, policy.anonymization_supported) == (7, True)
        assert not policy.auto_delete_on_termination

    drive(scenario)


COMPOSITIONS = [
    (["first"], [], "", {"type": "Single"}, []),
    (["first", "second"], [], "", {"type": "Seq"}, []),
    (["first"], ["right"], "", {"type": "Single"}, ["--composition=Par", "--par-merge=first"]),
    (
        ["first", "second", "first"],
        ["space", "tab", "enter"],
        "",
        {"type": "Par", "merge": "concat"},
        ["--composition=Par", "--par-merge=concat"],
    ),
    (["first", "second"], ["left"], "", {"type": "Try"}, ["--composition=Try"]),
    (
        ["first", "second"],
        ["left", "left"],
        "kind Eq 'two words'",
        {"type": "Cond", "predicate": {"field": "kind", "op": "Eq", "value": "two words"}},
        ["--composition=Cond", "--when", "kind", "Eq", "two words"],
    ),
    (
        ["first", "second"],
        ["space", "space"],
        "-t Lt -5.5",
        {"type": "Cond", "predicate": {"field": "-t", "op": "Lt", "value": -5.5}},
        ["--composition=Cond", "--when", "-t", "Lt", "-5.5"],
    ),
]


@pytest.mark.parametrize("size", [(80, 24), (40, 12)], ids=["80x24", "40x12"])
def test_how_the_genes_run_is_chosen_and_the_command_line_makes_the_same_agent(
    project: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    """TUI-7, TUI-8, RUN-1: on a small screen too."""
    monkeypatch.chdir(project)
    lines = []

    async def scenario() -> None:
        async with dashboard(project, size=size) as pilot:
            for number, (genes, keys, when, composition, options) in enumerate(COMPOSITIONS):
                await open_dialog(pilot, "n")
                await _fill(pilot, agent_name=f"a{number}", genes=" ".join(genes))
                dialog_in(pilot).query_one("#kind").focus()
                await type_keys(pilot, *keys)
                assert dialog_in(pilot).query_one("#when").parent.display is bool(when)
                if when:
                    await _fill(pilot, when=when)
                await _take(pilot)
                assert not is_open(pilot), box_lines(pilot)
                assert command(pilot) == (
                    *("agent", "create", f"a{number}", "--genes", *genes, *options),
                    "--memory-quota=10MB",
                )
                lines.append((number, command(pilot), composition))

    drive(scenario)
    with open_store(project) as store:
        for number, words, composition in lines:
            by_line = [f"b{number}" if word == f"a{number}" else word for word in words]
            outcome = CliRunner().invoke(app, by_line)
            assert outcome.exit_code == 0, outcome.stderr
            for name in (f"a{number}", f"b{number}"):
                assert store.agent(name).composition == composition


@pytest.mark.parametrize(
    ("genes", "kind", "when", "refusal"),
    [
        ("first second", "Cond", "", "when: a field, an operator and a value, such as kind Eq invoice"),
        ("first second", "Cond", "kind Eq 'a", "when: a field, an operator and a value"),
        ("first second", "Cond", "kind Eq two words", "quotes hold words together"),
        ("first second", "Cond", "kind eq x", "when: eq compares nothing; Eq, Neq, Gt"),
        ("first second", "Cond", "kind Gt x", "they run as Cond: Gt compares with a number"),
        ("first", "Cond", "kind Eq", "when: a field, an operator and a value"),
        ("first second first", "Cond", "kind Eq x", "they run as Cond: a Cond takes exactly two genes"),
        ("first second first", "Try", "", "they run as Try: a Try takes exactly two genes"),
    ],
)
def test_genes_that_cannot_run_so_are_refused_as_the_command_line_refuses_them(
    project: Path, genes: str, kind: str, when: str, refusal: str
) -> None:
    """TUI-7, RUN-1."""

    async def scenario() -> None:
        async with dashboard(project) as pilot:
            await open_dialog(pilot, "n")
            await _fill(pilot, agent_name="shop", genes=genes, when=when)
            dialog_in(pilot).query_one("#kind").focus()
            await type_keys(pilot, *["space"] * ["Seq", "Par", "Cond", "Try"].index(kind))
            await _take(pilot)
            assert box_shows(pilot, refusal)
            assert not has_store(project)

    drive(scenario)


def test_what_no_agent_can_have_is_refused_and_what_was_typed_stays(project: Path) -> None:
    """AGT-2, GEN-1, QUO-2, POL-1: as the command line refuses it."""
    with open_store(project) as store:
        store.create_agent("taken")
    good = {"agent_name": "shop", "genes": "first", "new_quota": "1MB", "days": ""}

    async def scenario() -> None:
        async with dashboard(project) as pilot:
            await open_dialog(pilot, "n")
            for field_id, text, refusal in NO_AGENTS:
                await _fill(pilot, **(good | {field_id: text}))
                await _take(pilot)
                assert is_open(pilot), text
                assert box_shows(pilot, refusal), text
                assert dialog_in(pilot).query_one(f"#{field_id}", Field).value == text
            await _fill(pilot, **good)
            await _take(pilot)
            assert not is_open(pilot)
        with open_store(project) as store:
            assert [agent.name for agent in store.agents()] == ["shop", "taken"]

    drive(scenario)


def _aged(project: Path, *old: tuple[str, str], new: str = "new") -> None:
    """A project whose agent remembers entries of three days ago, and one of now."""
    clock = FixedClock(SystemClock().now_us() - 3 * DAY_US)
    make_project(project)
    with open_store(project, clock=clock) as store:
        write(store, *old)
        clock.advance(3 * 86_400)
        write(store, (new, "CACHE"))


def _days_of(project: Path) -> int | None:
    with open_store(project) as store:
        return store.agent("main").data_policy.max_retention_days


def test_what_a_policy_would_do_is_shown_before_it_can_be_set(tmp_path: Path) -> None:
    """POL-2, POL-3a, QUO-3, TUI-7: what lets several entries expire at once is guarded like a deletion."""
    _aged(tmp_path, ("old", "CACHE"), ("old2", "CONTEXT"))

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            await open_dialog(pilot, "e")
            assert box_shows(pilot, "now: 3 entries")
            assert box_shows(pilot, "entries without days of their own are kept for good")
            assert not box_shows(pilot, "type delete")
            await _take(pilot)
            assert is_open(pilot)
            await _fill(pilot, new_quota="20 MB", days="1")
            assert box_shows(pilot, "2 entries expire at once")
            assert box_shows(pilot, "expires")
            assert box_shows(pilot, "old2")
            assert _days_of(tmp_path) is None
            await _take(pilot)
            assert box_shows(pilot, "nothing is set until delete is typed")
            assert _days_of(tmp_path) is None
            assert keys_of(tmp_path) == {"old", "old2", "new"}
            await _fill(pilot, word="delete")
            await _take(pilot)
            assert not is_open(pilot)
            assert said(pilot) == "the policy of main is set: 2 entries have expired"
            assert command(pilot) == (
                *("agent", "policy", "main"),
                *("--max-retention-days=1", "--memory-quota=20MB"),
            )
        with open_store(tmp_path) as store:
            agent = store.agent("main")
        assert (agent.data_policy.max_retention_days, agent.memory_quota_bytes) == (1, 20 << 20)
        assert keys_of(tmp_path) == {"new"}

    drive(scenario)


@pytest.mark.parametrize(("category", "needs_word"), [("CACHE", False), ("PREFERENCE", True)])
def test_one_entry_expires_without_a_word_unless_it_is_a_preference(
    tmp_path: Path, category: str, needs_word: bool
) -> None:
    """TUI-7, POL-3a."""
    _aged(tmp_path, ("old", category))

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            await open_dialog(pilot, "e")
            await _fill(pilot, days="1")
            assert box_shows(pilot, "type delete") is needs_word
            assert box_shows(pilot, "what expires holds 1 PREFERENCE") is needs_word
            await _take(pilot)
            assert is_open(pilot) is needs_word
            assert keys_of(tmp_path) == ({"old", "new"} if needs_word else {"new"})
            if not needs_word:
                assert said(pilot) == "the policy of main is set: 1 entry has expired"

    drive(scenario)


def test_the_word_counts_for_what_was_named_when_it_was_typed(tmp_path: Path) -> None:
    """TUI-7: another change of the policy lets other entries expire."""
    _aged(tmp_path, ("old", "CACHE"), ("old2", "CONTEXT"))

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            await open_dialog(pilot, "e")
            await _fill(pilot, days="2")
            await _fill(pilot, word="delete")
            await _fill(pilot, days="1")
            await _take(pilot)
            assert is_open(pilot)
            assert _days_of(tmp_path) is None

    drive(scenario)


def test_what_came_since_the_form_named_what_expires_does_not_expire_by_it(tmp_path: Path) -> None:
    """TUI-7, POL-3a: it is named first, and the word is waited for again."""
    _aged(tmp_path, ("old", "CACHE"), ("old2", "CONTEXT"))

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            await open_dialog(pilot, "e")
            await _fill(pilot, days="1")
            await _fill(pilot, word="delete")
            past = FixedClock(SystemClock().now_us() - 2 * DAY_US)
            with open_store(tmp_path, clock=past) as store:
                write(store, ("older", "PATTERN"))
            await _take(pilot)
            assert is_open(pilot)
            assert _days_of(tmp_path) is None
            assert box_shows(pilot, "it has changed meanwhile: 3 entries expire at once")
            await _fill(pilot, word="delete")
            await _take(pilot)
            assert not is_open(pilot)
            assert said(pilot) == "the policy of main is set: 3 entries have expired"

    drive(scenario)


def test_what_a_policy_lets_expire_can_be_exported_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TUI-7, TUI-8: the command line that is shown exports it too."""
    _aged(tmp_path, ("old", "CACHE"), ("old2", "CONTEXT"))
    monkeypatch.chdir(tmp_path)

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            await open_dialog(pilot, "e")
            await _fill(pilot, days="1")
            await _take(pilot, "exports")
            await _fill(pilot, word="delete")
            await _take(pilot)
            assert said(pilot) == (
                "the policy of main is set: 2 entries have expired, kept in main-expired.jsonl"
            )
            assert typed(pilot) == (
                "rotifer agent memory export main main-expired.jsonl --key=old2 --key=old"
                " && rotifer agent policy main --max-retention-days=1"
            )
        lines = (tmp_path / "main-expired.jsonl").read_text().splitlines()
        assert {json.loads(line)["key"] for line in lines[1:]} == {"old", "old2"}

    drive(scenario)


@pytest.mark.parametrize("size", [(120, 36), (80, 24)], ids=["120x36", "80x24"])
def test_the_form_of_a_policy_stands_in_the_middle_and_stays_where_it_is(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    """TUI-7: nothing jumps under what is being typed."""
    _aged(tmp_path, ("old", "CACHE"), ("old2", "CONTEXT"))

    async def scenario() -> None:
        async with dashboard(tmp_path, size=size) as pilot:
            box = (await open_dialog(pilot, "e")).query_one("#box")
            before = box.region
            assert abs(before.y - (size[1] - before.bottom)) <= 1
            for days in ("1", "x", "none"):
                await _fill(pilot, days=days)
                assert box.region == before

    drive(scenario)


@pytest.mark.parametrize(
    ("days", "quota", "toggles", "options"),
    [
        ("none", "1MB", [], ["--max-retention-days=none"]),
        ("7", "512KB", [], ["--memory-quota=512KB"]),
        (
            "7",
            "1MB",
            ["anonymization", "auto_delete"],
            ["--no-anonymization", "--auto-delete-on-termination"],
        ),
    ],
)
def test_only_what_differs_is_set(
    tmp_path: Path, days: str, quota: str, toggles: list[str], options: list[str]
) -> None:
    """POL-2."""
    make_project(tmp_path)
    with open_store(tmp_path) as store:
        store.set_data_policy(
            "main",
            {"maxRetentionDays": 7, "autoDeleteOnTermination": False, "anonymizationSupported": True},
        )

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            await open_dialog(pilot, "e")
            await _fill(pilot, days=days, new_quota=quota)
            for toggle in toggles:
                await _take(pilot, toggle)
            await _take(pilot)
            assert not is_open(pilot)
            assert command(pilot) == ("agent", "policy", "main", *options)
        with open_store(tmp_path) as store:
            policy = store.agent("main").data_policy
        assert policy.max_retention_days == (None if days == "none" else 7)
        assert policy.anonymization_supported is ("anonymization" not in toggles)
        assert policy.auto_delete_on_termination is ("auto_delete" in toggles)

    drive(scenario)


def test_a_policy_that_cannot_be_is_refused_inline(tmp_path: Path) -> None:
    """QUO-2."""
    make_project(tmp_path)

    async def scenario() -> None:
        async with dashboard(tmp_path, size=(40, 12)) as pilot:
            await open_dialog(pilot, "e")
            await _fill(pilot, new_quota="much")
            assert box_shows(pilot, "quota: it is not a number")
            await _take(pilot)
            assert is_open(pilot)

    drive(scenario)


def test_a_sound_store_is_said_to_be_and_the_header_remembers(tmp_path: Path) -> None:
    """REC-9."""
    make_project(tmp_path, ("key", "CACHE"))

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            await until(pilot, lambda: shows(pilot, "audit ok"), "a small store is checked by itself")
            await press(pilot, "exclamation_mark")
            assert said(pilot) == "the store and its logs agree"
            assert shows(pilot, "audit ok")
            assert command(pilot) == ("agent", "memory", "verify")

    drive(scenario)


@pytest.mark.parametrize("size", [(80, 24), (40, 12)], ids=["80x24", "40x12"])
def test_findings_are_listed(tmp_path: Path, size: tuple[int, int]) -> None:
    """REC-9."""
    make_project(tmp_path, ("key", "CACHE"))
    log = tmp_path / ".rotifer" / "audit.jsonl"
    log.write_bytes(log.read_bytes().replace(b'"key":"key"', b'"key":"kez"'))

    async def scenario() -> None:
        async with dashboard(tmp_path, size=size) as pilot:
            await press(pilot, "exclamation_mark")
            await until(pilot, lambda: is_open(pilot) and dialog_in(pilot).is_listening)
            assert focused_label(pilot) == "Close"
            assert box_shows(pilot, "audit")
            await press(pilot, "enter")
            assert not is_open(pilot)
            fact, role = app_of(pilot).main.audit_facts()[0]
            assert fact.startswith("audit: ")
            assert role == "error"

    drive(scenario)


@pytest.mark.parametrize("key", ["d", "x", "i", "n", "e"])
def test_a_dialog_bears_any_size_and_comes_back_whole(tmp_path: Path, key: str) -> None:
    """TUI-1: never a crash."""
    make_project(tmp_path, ("key" * 300, "PREFERENCE"))

    async def scenario() -> None:
        async with dashboard(tmp_path, size=(80, 24)) as pilot:
            await open_dialog(pilot, key)
            before = box_lines(pilot)
            for size in ((1, 1), (10, 3), (20, 5), (40, 12), (200, 60), (80, 24)):
                await pilot.resize_terminal(*size)
                await settled(pilot)
            assert box_lines(pilot) == before
            await press(pilot, "escape")
            assert not is_open(pilot)

    drive(scenario)
