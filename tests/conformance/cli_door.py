"""The door of the command line: the deployer's steps through the program, gene calls through the library.

The program runs in this process, as it would in its own, with `--json`. It opens the project's store beside
the one that the runner holds open, as any second process would, at the clock of the case: the one place where
commands open a store is made to use it. A case's folder is a project as soon as it has a `rotifer.json`.
"""

from __future__ import annotations

import contextlib
import functools
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

from typer.testing import CliRunner

from conformance.case_file import CaseGene
from conformance.doors import CLASS_OF_CODE, DeployerDoor, GeneDoor, LibraryDoor, Refused
from rotifer_console.cli import stores
from rotifer_console.cli.app import app
from rotifer_store import Store, open_store

KB = 1024
TEN_DIGITS = 10**10
LISTED_BESIDE = ("expiresAt", "expiresAtUs", "creatorName")


class CliDoor:
    """Both halves: the program, and the library where the page has no command for it."""

    def gene(self, store: Store, agent: str, gene: CaseGene) -> GeneDoor:
        """Returns the library's four calls: a command line writes no values (AGT-5)."""
        return LibraryDoor().gene(store, agent, gene)

    def deployer(self, store: Store) -> DeployerDoor:
        """Returns the program in the store's project."""
        return CliDeployerDoor(store)


class CliDeployerDoor:
    """Each step is one call of the program; what it prints is all that is known of it."""

    def __init__(self, store: Store) -> None:
        self._project = store._shell.folder.parent
        self._clock = store._shell.clock
        (self._project / "rotifer.json").touch()

    def list_memory(self, agent: str, category: str | None) -> list[Mapping[str, Any]]:
        """Returns the rows, without what only the command line adds (CLI-1)."""
        rows = self._call("memory", "list", agent, *([] if category is None else [f"--category={category}"]))
        return [
            {name: value for name, value in row.items() if name not in LISTED_BESIDE}
            for row in rows
            if set(LISTED_BESIDE) < row.keys() and "value" not in row
        ]

    def delete_memory(self, agent: str, key: str | None, category: str | None) -> int:
        """Returns the number that was printed; the rehearsal before must foresee it."""
        chosen = f"--category={category}" if key is None else f"--key={key}"
        foreseen = self._rehearsed(agent, chosen)
        removed = int(self._call("memory", "delete", agent, chosen)["removed"])
        if removed != foreseen:
            raise AssertionError(f"{foreseen} would have gone, and {removed} went")
        return removed

    def used_bytes(self, agent: str) -> int:
        """Returns the member."""
        return int(self._call("memory", "usage", agent)["usedBytes"])

    def set_data_policy(self, agent: str, data_policy: Mapping[str, Any]) -> None:
        """Names all three members, each as its option has it."""
        days = data_policy["maxRetentionDays"]
        answer = self._call(
            *["agent", "policy", agent, f"--max-retention-days={'none' if days is None else days}"],
            _switch("anonymization", data_policy["anonymizationSupported"]),
            _switch("auto-delete-on-termination", data_policy["autoDeleteOnTermination"]),
        )
        if answer["dataPolicy"] != dict(data_policy):
            raise AssertionError("the program prints another data policy")

    def set_quota(self, agent: str, quota_bytes: int) -> None:
        """Spells the bytes as KB: any number of them is a decimal fraction of 1024."""
        whole, rest = divmod(quota_bytes, KB)
        answer = self._call(
            "agent", "policy", agent, f"--memory-quota={whole}.{rest * TEN_DIGITS // KB:010}KB"
        )
        if answer["quotaBytes"] != quota_bytes:
            raise AssertionError("the program prints another quota")

    def export_memory(self, agent: str, file: Path, *, include_cache: bool) -> None:
        """Exports into a new file; a case may use a name again, and the program overwrites nothing."""
        file.unlink(missing_ok=True)
        flags = ["--include-cache"] if include_cache else []
        exported = self._call("memory", "export", agent, str(file), *flags)["exported"]
        if len(file.read_bytes().splitlines()) != exported + 1:
            raise AssertionError("the file has another number of entries than the program says")

    def import_memory(self, agent: str, file: Path, *, copy_private: bool) -> None:
        """Imports into an agent that stands."""
        flags = ["--copy-private"] if copy_private else []
        self._call("memory", "import", agent, str(file), *flags)

    def import_agent(self, file: Path) -> None:
        """Imports the agent itself."""
        self._call("agent", "import", str(file))

    def _rehearsed(self, agent: str, chosen: str) -> int:
        """Returns how many a deletion would remove; a refusal is left to the deletion itself."""
        log = self._project / ".rotifer" / "audit.jsonl"
        before = log.read_bytes()
        try:
            answer = self._call("memory", "delete", agent, chosen, "--dry-run")
        except Refused:
            return 0
        finally:
            if log.read_bytes() != before:
                raise AssertionError("a rehearsal wrote into the audit log")
        return len(answer["entries"])

    def _call(self, *arguments: str) -> Any:
        """Returns what stdout says in JSON, or raises what stderr says; nothing else may be on either."""
        with self._at_the_cases_clock():
            result = CliRunner().invoke(app, [*arguments, "--json"])
        if result.exit_code == 0 and not result.stderr:
            return json.loads(result.stdout)
        error = json.loads(result.stderr)["error"]
        if result.exit_code not in (1, 2) or result.stdout or error["code"] not in CLASS_OF_CODE:
            raise AssertionError(f"exit status {result.exit_code}, {error['code']}")
        raise Refused(error["code"], error["message"])

    @contextlib.contextmanager
    def _at_the_cases_clock(self) -> Iterator[None]:
        opened = functools.partial(open_store, clock=self._clock)
        with contextlib.chdir(self._project), mock.patch.object(stores, "open_store", opened):
            yield


def _switch(name: str, value: bool) -> str:
    return f"--{name}" if value else f"--no-{name}"
