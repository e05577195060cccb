"""Agent memory at work, by the installed program, in a throw-away project: `make demo`.

Each step runs the real command line on real genes and checks what came of it; the script fails at the first
thing that does not happen as it says.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from textwrap import dedent
from typing import Any

from rotifer_store import AuditRecord, FixedClock, SystemClock, open_store

ROTIFER = Path(sys.executable).with_name("rotifer")
DAY_S = 86_400

BETTER_DATES = '''
    """Writes a date like date-style does, and the weekday too."""

    from datetime import date

    STYLES = {"iso": "%A, %Y-%m-%d", "short": "%a %d.%m.%y", "long": "%A, %d %B %Y"}


    def express(input, ctx):
        style = input.get("style")
        if style is None:
            remembered = ctx.memory.read_memory("dates/style", "PREFERENCE")
            style = remembered.value.decode() if remembered else "iso"
        else:
            ctx.memory.write_memory("dates/style", style.encode(), "PREFERENCE")
        return {"text": date.fromisoformat(input["date"]).strftime(STYLES[style]), "style": style}
'''

PAGE_READER = '''
    """Remembers pages: the text as CACHE, links as CONTEXT for a day, headings seen again as PATTERN."""

    ONE_DAY = {"maxRetentionDays": 1, "autoDeleteOnTermination": False, "anonymizationSupported": False}


    def express(input, ctx):
        memory = ctx.memory
        for name in input.get("pages", []):
            memory.write_memory(f"pages/text/{name}", (name * 900).encode(), "CACHE")
        if "links" in input:
            links = ("link to " + input["links"] + " ") * 40
            memory.write_memory("pages/links", links.encode(), "CONTEXT", retention_policy=ONE_DAY)
        if "pattern" in input:
            memory.write_memory("pages/headings", input["pattern"].encode() * 30, "PATTERN")
        return {"remembered": sorted(entry.key for entry in memory.query_memory())}
'''

WEATHER = '''
    """Asks for an entry that genes of another domain wrote."""


    def express(input, ctx):
        return {"peeked": ctx.memory.read_memory("pages/headings").value.decode()}
'''


class Demo:
    """One project, and the commands run in it."""

    def __init__(self, project: Path) -> None:
        self.project = project

    def run(self, *arguments: str, status: int = 0) -> str:
        """Shows and runs a command; returns what it printed."""
        print(f"\n$ rotifer {shlex.join(arguments)}")
        finished = subprocess.run([ROTIFER, *arguments], cwd=self.project, capture_output=True, text=True)
        print(finished.stdout + finished.stderr, end="")
        check(finished.returncode == status, f"the exit status is {status}, not {finished.returncode}")
        return finished.stdout

    def output_of(self, agent: str, **input_members: Any) -> dict[str, Any]:
        """Runs an agent and returns its last gene's output."""
        output: dict[str, Any] = json.loads(
            self.run("agent", "run", agent, "--input", json.dumps(input_members))
        )
        return output

    def add_gene(self, name: str, domain: str, source: str) -> None:
        """Writes a gene's folder, as its author would."""
        folder = self.project / "genes" / name
        folder.mkdir()
        phenotype = {"domain": domain, "inputSchema": {}, "outputSchema": {}, "version": "1.0.0"}
        (folder / "phenotype.json").write_text(json.dumps(phenotype))
        (folder / "index.py").write_text(dedent(source))

    def keys(self, agent: str) -> list[str]:
        """The keys that an agent remembers, as the command line lists them."""
        finished = subprocess.run(
            [ROTIFER, "agent", "memory", "list", agent, "--json"],
            cwd=self.project,
            capture_output=True,
            check=True,
        )
        return [entry["key"] for entry in json.loads(finished.stdout)]


def check(holds: bool, what: str) -> None:
    """Ends the demo where something did not happen as said."""
    if not holds:
        sys.exit(f"\ndemo: not as said: {what}")


def title(text: str) -> None:
    """Begins a part."""
    print(f"\n\n== {text}")


def remember_a_preference(demo: Demo) -> None:
    """A gene remembers; the gene that replaces it finds what it left (AGT-1, AGT-9)."""
    title("A gene remembers a preference")
    demo.run("agent", "create", "diary", "--genes", "date-style")
    demo.output_of("diary", date="2026-11-30", style="long")
    output = demo.output_of("diary", date="2026-12-24")
    check(output == {"text": "24 December 2026", "style": "long"}, "the style is remembered")

    title("A better gene takes its place and finds the preference")
    demo.add_gene("date-words", "dates", BETTER_DATES)
    demo.run("agent", "genes", "diary", "--replace", "date-style=date-words")
    output = demo.output_of("diary", date="2026-12-24")
    check(output["text"] == "Thursday, 24 December 2026", "the new gene finds the old one's preference")


def fill_a_small_quota(demo: Demo) -> None:
    """CACHE goes first, oldest first, and no more than needed (QUO-4)."""
    title("A small quota fills up: CACHE goes first")
    demo.add_gene("page-reader", "pages", PAGE_READER)
    demo.run("agent", "create", "reader", "--genes", "page-reader", "--memory-quota=4KB")
    demo.output_of("reader", links="the archive", pages=["a", "b", "c"])
    demo.output_of("reader", pattern="Contents, ")
    check("pages/text/a" in demo.keys("reader"), "so far everything fits")
    demo.output_of("reader", pages=["d"])
    keys = demo.keys("reader")
    check("pages/text/a" not in keys, "the oldest CACHE entry made room")
    check({"pages/text/b", "pages/text/c", "pages/text/d"} <= set(keys), "and no more than that")
    check({"pages/headings", "pages/links"} <= set(keys), "PATTERN and CONTEXT stay while CACHE can go")


def refuse_a_foreign_gene(demo: Demo) -> None:
    """A gene of another domain may not read what the default policy protects (ACC-2)."""
    title("A gene of another domain is refused")
    demo.add_gene("weather", "weather", WEATHER)
    demo.run("agent", "genes", "reader", "--set", "page-reader", "weather")
    demo.run("agent", "run", "reader", "--input", "{}", "--json", status=1)
    refusals = json.loads(demo.run("agent", "list", "--json"))
    check([agent["refusalsLastDay"] for agent in refusals] == [0, 1], "the refusal is counted")


def let_an_entry_expire(demo: Demo) -> None:
    """An entry kept for one day is gone after it, and its removal is recorded (POL-5, POL-6)."""
    title("Two days later the entry kept for one day is gone")
    demo.run("agent", "memory", "list", "reader")
    check("pages/links" in demo.keys("reader"), "today it is there")
    later = FixedClock(SystemClock().now_us())
    later.advance(2 * DAY_S)
    with open_store(demo.project, clock=later) as store:
        keys = [entry.key for entry in store.list_memory("reader")]
    print(f"\n(the library with a clock two days ahead lists: {', '.join(keys)})")
    check("pages/links" not in keys, "two days later it is not")
    check("pages/headings" in keys, "the others stay")


def show_what_is_left(demo: Demo) -> None:
    """The listing, a deletion, and the audit log of all that (AGT-3, AGT-4, REC-1)."""
    title("What the agents remember now, and one deletion by the deployer")
    demo.run("agent", "list")
    demo.run("agent", "memory", "list", "diary")
    demo.run("agent", "memory", "list", "reader")
    demo.run("agent", "memory", "delete", "reader", "--category", "CACHE")
    check(demo.keys("reader") == ["pages/headings"], "CACHE is gone")

    title("The audit log of all that")
    with open_store(demo.project) as store:
        check(store.verify() == [], "the store agrees with its log")
        records = [record for record in store.audit_records() if isinstance(record, AuditRecord)]
    for record in records:
        print(f"{record.seq:3}  {record.actor:8}  {record.action:20}  {record.agent:6}  {record.key or ''}")
    told = {record.action for record in records}
    expected = {"memory_write", "memory_evict", "memory_access_denied", "memory_expire", "memory_delete"}
    check(expected <= told, f"the log tells of {', '.join(sorted(expected))}")


def main() -> None:
    """Runs all parts in a folder that is removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="rotifer-demo-") as folder:
        demo = Demo(Path(folder))
        demo.run("init")
        demo.run("list")
        remember_a_preference(demo)
        fill_a_small_quota(demo)
        refuse_a_foreign_gene(demo)
        let_an_entry_expire(demo)
        show_what_is_left(demo)
    print("\nEverything happened as said.")


if __name__ == "__main__":
    main()
