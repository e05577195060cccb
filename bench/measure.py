"""Paired blocks: the same operations through several variants, in random order, on their own files.

Clock swings and checkpoints of a shared machine are larger than what is measured; they fall on all variants
of a block alike, so the ratio within a block says more than any time does. The first block warms up and is
not counted.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Sequence
from statistics import fmean, median
from time import perf_counter_ns
from typing import Any, NamedTuple

MIN_BLOCKS = 40
"""What a run needs for its numbers to be written down."""


class Variant(NamedTuple):
    """One way of doing an operation.

    `run` does it for one argument. `check` looks at the last result of each block and `finish`, given how
    many operations ran, at what they left behind: both raise AssertionError where less was done than timed.
    """

    name: str
    run: Callable[[Any], object]
    check: Callable[[Any, object], None]
    finish: Callable[[int], None]


class Timed(NamedTuple):
    """Microseconds for each operation, one number for each block."""

    blocks_us: Sequence[float]

    @property
    def median_us(self) -> float:
        """The middle block."""
        return median(self.blocks_us)

    @property
    def mean_us(self) -> float:
        """All blocks alike, with every checkpoint in it."""
        return fmean(self.blocks_us)


class Ratio(NamedTuple):
    """Ours to the floor, three ways; goals are held against the first."""

    paired: float
    of_medians: float
    of_means: float


def ratio(ours: Timed, floor: Timed) -> Ratio:
    """How many times as long ours takes."""
    return Ratio(
        median(a / b for a, b in zip(ours.blocks_us, floor.blocks_us, strict=True)),
        ours.median_us / floor.median_us,
        ours.mean_us / floor.mean_us,
    )


def run_blocks(
    variants: Sequence[Variant], arguments: Callable[[], Sequence[Any]], *, blocks: int, seed: int
) -> list[Timed]:
    """Times each variant over `blocks` blocks, in the order of `variants`.

    Args:
        variants: each works on files of its own.
        arguments: the arguments of one block's operations, the same for every variant, made anew for each.
        blocks: how many blocks are counted.
        seed: of the order within each block.
    """
    shuffle = random.Random(seed).shuffle
    times: dict[str, list[float]] = {variant.name: [] for variant in variants}
    order = list(variants)
    operations = 0
    os.sync()
    for block in range(blocks + 1):
        batch = arguments()
        operations += len(batch)
        shuffle(order)
        for variant in order:
            elapsed_us = _time(variant, batch) / len(batch)
            if block > 0:
                times[variant.name].append(elapsed_us)
    for variant in variants:
        variant.finish(operations)
    return [Timed(times[variant.name]) for variant in variants]


def _time(variant: Variant, batch: Sequence[Any]) -> float:
    run, result = variant.run, None
    start_ns = perf_counter_ns()
    for argument in batch:
        result = run(argument)
    elapsed_us = (perf_counter_ns() - start_ns) / 1000
    variant.check(batch[-1], result)
    return elapsed_us
