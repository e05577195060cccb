"""The door of WASM genes: each call is one of the imported functions, with pointers (HST-5, HST-7).

Every call is a run of its own, so nothing of the last one is left; whose memory it reaches is bound here.
"""

from __future__ import annotations

import base64
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import wasmtime

from conformance.case_file import MISSING, CaseGene
from conformance.doors import DeployerDoor, GeneDoor, LibraryDeployerDoor, Refused
from rotifer_console.hosts.channel import MEMORY_CALLS
from rotifer_console.hosts.wasm import WasmHost
from rotifer_store import Gene, GeneMemory, Store
from rotifer_store.gene_folder import GeneFolder, read_gene_folder

CALLER: Final = Path(__file__).parent / "callers" / "wasm"
TIMEOUT_S: Final = 60.0
NUMBER_OF: Final = {
    "MEMORY_NOT_FOUND": -12,
    "MEMORY_ACCESS_DENIED": -2,
    "MEMORY_QUOTA_EXCEEDED": -8,
    "MEMORY_INVALID_INPUT": -10,
    "MEMORY_STORAGE_ERROR": -13,
}
"""The rules' own table: not the product's (ERR)."""


class WasmDoor:
    """Genes in wasmtime; their code is the caller's, whoever they are."""

    def __init__(self) -> None:
        self._folder = TemporaryDirectory()
        self._host = WasmHost()
        built = Path(self._folder.name) / "caller"
        built.mkdir()
        shutil.copy(CALLER / "phenotype.json", built)
        (built / "gene.wasm").write_bytes(wasmtime.wat2wasm((CALLER / "gene.wat").read_text()))
        self._caller = read_gene_folder(built)

    def __enter__(self) -> WasmDoor:
        return self

    def __exit__(self, *_: object) -> None:
        self._host.close()
        self._folder.cleanup()

    def gene(self, store: Store, agent: str, gene: CaseGene) -> GeneDoor:
        """Returns the caller with that gene's memory."""
        memory = store.gene_memory(store.agent(agent), Gene(id=gene.gene_id, domain=gene.domain))
        return WasmCalls(self._host, self._caller, memory)

    def deployer(self, store: Store) -> DeployerDoor:
        """Returns the library's."""
        return LibraryDeployerDoor(store)


class WasmCalls:
    """The four calls, each a run of the caller."""

    def __init__(self, host: WasmHost, caller: GeneFolder, memory: GeneMemory) -> None:
        self._host = host
        self._caller = caller
        self._memory = memory

    def write(self, key: str, value: Any, category: Any, policies: Mapping[str, Any]) -> Mapping[str, Any]:
        """Passes only the policies that the step passes (ACC-5)."""
        request = {"key": key, "value": _sent(value), "category": category, **policies}
        return self._call("writeMemory", request)

    def read(self, key: str, category: Any = MISSING) -> Mapping[str, Any] | None:
        """Names a category only where the step does."""
        request = {"key": key} | ({} if category is MISSING else {"category": category})
        return self._call("readMemory", request)

    def query(self, filter: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """Passes the filter's members as the request's own (HST-5)."""
        return self._call("queryMemory", filter)

    def delete(self, key: str) -> None:
        """Deletes, and answers null."""
        if self._call("deleteMemory", {"key": key}) is not None:
            raise AssertionError("a deletion returned something")

    def _call(self, call: str, request: Mapping[str, Any]) -> Any:
        order = {"call": MEMORY_CALLS.index(call), "request": dict(request)}
        number, out = self._host.run(self._caller, order, self._memory, TIMEOUT_S)
        if number >= 0:
            if number != len(json.dumps(out, separators=(",", ":"))):
                raise AssertionError("the answer is not as long as its number says")
            return out
        refused = out["__rotifer_error"]
        if out.keys() != {"__rotifer_error"} or refused.keys() != {"code", "message"}:
            raise AssertionError("an error's body has other members")
        if NUMBER_OF[refused["code"]] != number:
            raise AssertionError(f"{number} came with {refused['code']}")
        raise Refused(refused["code"], refused["message"])


def _sent(value: Any) -> Any:
    """Returns bytes as base64; a text that must not pass for bytes as one that is no base64."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return f"no base64: {value}" if isinstance(value, str) else value
