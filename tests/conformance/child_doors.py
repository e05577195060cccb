"""The doors of genes in processes of their own: each call is made by a gene, over its channel (HST-3).

One process for each agent and gene of a case, as in a run; the deployer's steps go straight into the library.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from conformance.case_file import MISSING, CaseGene
from conformance.doors import CLASS_OF_CODE, DeployerDoor, GeneDoor, LibraryDeployerDoor, Refused
from rotifer_console.hosts.child import Command, GeneChild
from rotifer_console.hosts.node import node_command
from rotifer_console.hosts.python_child import python_command
from rotifer_store import Gene, Store
from rotifer_store.gene_folder import GeneFolder, read_gene_folder

CALLERS: Final = Path(__file__).parent / "callers"
TIMEOUT_S: Final = 60.0


class ChildDoor:
    """Genes in processes, which end with the door; their code is a caller's, whoever they are."""

    def __init__(
        self, caller: str, command: Callable[[GeneFolder], Command], calls: type[ChildCalls]
    ) -> None:
        self._caller = read_gene_folder(CALLERS / caller)
        self._command = command
        self._calls = calls
        self._children = ExitStack()

    def __enter__(self) -> ChildDoor:
        return self

    def __exit__(self, *_: object) -> None:
        self._children.close()

    def gene(self, store: Store, agent: str, gene: CaseGene) -> GeneDoor:
        """Returns a process whose channel is bound to that gene."""
        memory = store.gene_memory(store.agent(agent), Gene(id=gene.gene_id, domain=gene.domain))
        return self._calls(self._children.enter_context(GeneChild(self._command(self._caller), memory)))

    def deployer(self, store: Store) -> DeployerDoor:
        """Returns the library's."""
        return LibraryDeployerDoor(store)


class ChildCalls:
    """The four calls, each a run of the caller, under the page's names."""

    def __init__(self, child: GeneChild) -> None:
        self._child = child

    def write(self, key: str, value: Any, category: Any, policies: Mapping[str, Any]) -> Mapping[str, Any]:
        """Passes only the policies that the step passes (ACC-5)."""
        arguments = {"key": key, "category": category, **self.policy_arguments(policies)}
        if isinstance(value, bytes):
            return _entry_json(self.call("writeMemory", arguments, bytes=value.hex()))
        return _entry_json(self.call("writeMemory", {**arguments, "value": value}))

    def read(self, key: str, category: Any = MISSING) -> Mapping[str, Any] | None:
        """Names a category only where the step does."""
        arguments = {"key": key} | ({} if category is MISSING else {"category": category})
        entry = self.call("readMemory", arguments)
        return None if entry is None else _entry_json(entry)

    def query(self, filter: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """Passes the filter as it stands."""
        return [_entry_json(entry) for entry in self.call("queryMemory", {"filter": dict(filter)})]

    def delete(self, key: str) -> None:
        """Deletes, and answers nothing."""
        if self.call("deleteMemory", {"key": key}) is not None:
            raise AssertionError("a deletion returned something")

    def policy_arguments(self, policies: Mapping[str, Any]) -> Mapping[str, Any]:
        """The policies by the names of the caller's arguments."""
        return policies

    def error_class(self, code: str) -> str:
        """The class that an error of that code has in the caller."""
        return "MemoryError"

    def call(self, call: str, arguments: Mapping[str, Any], **more: Any) -> Any:
        """The result of one call, or its refusal."""
        told = self._child.run({"call": call, "arguments": dict(arguments), **more}, TIMEOUT_S)
        if "refused" not in told:
            return told["result"]
        refused = told["refused"]
        if refused["class"] != self.error_class(refused["code"]):
            raise AssertionError(f"{refused['class']} carries the code {refused['code']}")
        raise Refused(refused["code"], refused["message"])


class PythonCalls(ChildCalls):
    """The same in Python's spelling, which has the page's names too."""

    NAMES: Final = {"accessPolicy": "access_policy", "retentionPolicy": "retention_policy"}
    SPELT: Final = {"readMemory": "read_memory", "queryMemory": "query_memory"}
    """Two calls in each spelling."""

    def policy_arguments(self, policies: Mapping[str, Any]) -> Mapping[str, Any]:
        """See `ChildCalls`."""
        return {self.NAMES[name]: policy for name, policy in policies.items()}

    def error_class(self, code: str) -> str:
        """See `ChildCalls`."""
        return CLASS_OF_CODE[code].__name__

    def call(self, call: str, arguments: Mapping[str, Any], **more: Any) -> Any:
        """See `ChildCalls`."""
        return super().call(self.SPELT.get(call, call), arguments, **more)


def python_child_door() -> ChildDoor:
    """Python genes."""
    return ChildDoor("python", python_command, PythonCalls)


def typescript_child_door() -> ChildDoor:
    """TypeScript genes."""
    return ChildDoor("typescript", node_command, ChildCalls)


def _entry_json(told: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns what its JSON form said, which must agree with what the attributes said."""
    members: Mapping[str, Any] = told["json"]
    attributes = dict(told["attributes"])
    attributes["value"] = base64.b64encode(bytes.fromhex(attributes["value"])).decode()
    if members != attributes:
        raise AssertionError("an entry's JSON and its attributes disagree")
    return members
