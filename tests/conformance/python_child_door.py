"""The door of Python genes: each call is made by a gene in a process of its own, over its channel (HST-3).

One process for each agent and gene of a case, as in a run; the deployer's steps go straight into the library.
"""

import base64
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from conformance.case_file import MISSING, CaseGene
from conformance.doors import CLASS_OF_CODE, DeployerDoor, GeneDoor, LibraryDeployerDoor, Refused
from rotifer_console.hosts.child import GeneChild
from rotifer_console.hosts.python_child import python_command
from rotifer_store import Gene, Store
from rotifer_store.gene_folder import read_gene_folder

CALLER: Final = read_gene_folder(Path(__file__).parent / "caller")
TIMEOUT_S: Final = 60.0


class PythonChildDoor:
    """Genes in processes, which end with the door."""

    def __init__(self) -> None:
        self._children = ExitStack()

    def __enter__(self) -> "PythonChildDoor":
        return self

    def __exit__(self, *_: object) -> None:
        self._children.close()

    def gene(self, store: Store, agent: str, gene: CaseGene) -> GeneDoor:
        """Returns a process whose channel is bound to that gene, whatever the code in it is."""
        memory = store.gene_memory(store.agent(agent), Gene(id=gene.gene_id, domain=gene.domain))
        return ChildGeneDoor(self._children.enter_context(GeneChild(python_command(CALLER), memory)))

    def deployer(self, store: Store) -> DeployerDoor:
        """Returns the library's."""
        return LibraryDeployerDoor(store)


class ChildGeneDoor:
    """The four calls, each a run of the gene."""

    def __init__(self, child: GeneChild) -> None:
        self._child = child

    def write(self, key: str, value: Any, category: Any, policies: Mapping[str, Any]) -> Mapping[str, Any]:
        """Passes only the policies that the step passes (ACC-5)."""
        named = {"accessPolicy": "access_policy", "retentionPolicy": "retention_policy"}
        arguments = {"key": key, "category": category}
        arguments |= {named[name]: policy for name, policy in policies.items()}
        if isinstance(value, bytes):
            return _entry_json(self._call("write_memory", arguments, bytes=value.hex()))
        return _entry_json(self._call("writeMemory", {**arguments, "value": value}))

    def read(self, key: str, category: Any = MISSING) -> Mapping[str, Any] | None:
        """Names a category only where the step does."""
        arguments = {"key": key} | ({} if category is MISSING else {"category": category})
        entry = self._call("read_memory", arguments)
        return None if entry is None else _entry_json(entry)

    def query(self, filter: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """Passes the filter as it stands."""
        return [_entry_json(entry) for entry in self._call("query_memory", {"filter": dict(filter)})]

    def delete(self, key: str) -> None:
        """Deletes, and answers nothing."""
        if self._call("deleteMemory", {"key": key}) is not None:
            raise AssertionError("delete_memory returned something")

    def _call(self, call: str, arguments: Mapping[str, Any], **more: Any) -> Any:
        told = self._child.run({"call": call, "arguments": dict(arguments), **more}, TIMEOUT_S)
        if "refused" not in told:
            return told["result"]
        refused = told["refused"]
        if refused["class"] != CLASS_OF_CODE[refused["code"]].__name__:
            raise AssertionError(f"{refused['class']} carries the code {refused['code']}")
        raise Refused(refused["code"], refused["message"])


def _entry_json(told: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns what ``to_json`` said, which must agree with what the attributes said."""
    members: Mapping[str, Any] = told["json"]
    attributes = dict(told["attributes"])
    attributes["value"] = base64.b64encode(bytes.fromhex(attributes["value"])).decode()
    if members != attributes:
        raise AssertionError("to_json and the attributes disagree")
    return members
