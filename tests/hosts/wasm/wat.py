"""Modules for tests, in WebAssembly's text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

READ, WRITE, QUERY, DELETE = "readMemory", "writeMemory", "queryMemory", "deleteMemory"
CALLS = (READ, WRITE, QUERY, DELETE)
PAGE = 65_536
REQUEST, OUT, ROOM = 4096, 8192, 4096
"""Where a call of a test has its request and its `out`, unless it says otherwise."""

IMPORTS = "\n".join(
    f'(import "rotifer" "{name}" (func ${name} (param i32 i32 i32 i32) (result i32)))' for name in CALLS
)
MEMORY = '(memory (export "memory") 1)'
EXPRESS = '(func (export "express") (param $input i32) (param $length i32) (result i32)'
NUMBERS = """
  ;; writes a JSON list of numbers from 1024 on
  (global $at (mut i32) (i32.const 1024))
  (func $put (param $character i32)
    (i32.store8 (global.get $at) (local.get $character))
    (global.set $at (i32.add (global.get $at) (i32.const 1))))
  (func $digits (param $number i32)
    (if (i32.ge_u (local.get $number) (i32.const 10))
      (then (call $digits (i32.div_u (local.get $number) (i32.const 10)))))
    (call $put (i32.add (i32.const 48) (i32.rem_u (local.get $number) (i32.const 10)))))
  (func $number (param $number i32)
    (call $put (select (i32.const 91) (i32.const 44) (i32.eq (global.get $at) (i32.const 1024))))
    (if (i32.lt_s (local.get $number) (i32.const 0))
      (then
        (call $put (i32.const 45))
        (local.set $number (i32.sub (i32.const 0) (local.get $number)))))
    (call $digits (local.get $number)))
  (func $list (result i32)
    (call $put (i32.const 93))
    (call $put (i32.const 0))
    (i32.const 1024))
"""


class Call(NamedTuple):
    """One call with these four numbers."""

    name: str
    pointer: int
    length: int
    out: int = OUT
    room: int = ROOM

    @property
    def code(self) -> str:
        return f"(call ${self.name} {' '.join(f'(i32.const {number})' for number in self[1:])})"


def module(body: str, *, memory: str = MEMORY) -> str:
    """A module with the four calls at hand."""
    return f"(module {IMPORTS} {memory} {body})"


def returning(output: str, body: str = "", *, before: str = "") -> str:
    """A module whose `express` does something and then gives a text, with a NUL behind it."""
    express = f"{EXPRESS} {body} (i32.const 2048))"
    return module(data(2048, output.encode() + b"\0") + before + express)


def calling(calls: Sequence[Call], request: bytes = b"", *, memory: str = MEMORY, also: str = "") -> str:
    """A module that makes the calls and gives the numbers they came to; `request` lies at its place."""
    made = "\n".join(f"(call $number {call.code})" for call in calls)
    return module(f"{data(REQUEST, request)} {also} {NUMBERS} {EXPRESS} {made} (call $list))", memory=memory)


def data(at: int, content: bytes) -> str:
    """Bytes that lie in the memory from the start."""
    return f'(data (i32.const {at}) "{escaped(content)}")'


def escaped(content: bytes) -> str:
    """Bytes as WebAssembly's text spells them."""
    return "".join(f"\\{byte:02x}" for byte in content)
