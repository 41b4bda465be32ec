"""Times on a GPU as the device sees them, with inputs and outputs that are not in its caches.

A kernel that sleeps fills the queue first, so that the times between events hold nothing of the host's dispatch.
Calls take turns on several copies of their inputs, together three times as large as the level-2 cache as far as
the copies reach, and each keeps its output until its next turn.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator

import torch
from bench_case import Case, Run

MOST_COPIES = 24
CALLS_PER_ROUND = 24
ROUND_MICROSECONDS = 30_000


def copies_for(byte_count: int, cache_bytes: int) -> int:
    return max(1, min(MOST_COPIES, -(-3 * cache_bytes // max(1, byte_count))))


def is_usable() -> bool:
    """False after an error that ends all use of the GPU in this process, such as an access out of bounds. Others, such
    as a library without code for this GPU, concern one call."""
    try:
        torch.cuda.synchronize()
    except RuntimeError:
        return False
    return True


class Copies:
    """Generators of the same cases. Each has its own state of the random numbers, so their inputs are equal."""

    def __init__(self, make: Callable[[], Iterator[Case]]):
        self.make = make
        self.generators: list[Iterator[Case]] = []
        self.states: list[tuple[torch.Tensor, torch.Tensor]] = []
        self.cases: list[tuple[int, Case | None]] = []  # the newest of each, with its number

    def of(self, number: int, count: int) -> list[Case]:
        """`count` copies of case `number`; numbers must rise. StopIteration if there is no such case."""
        while len(self.generators) < count:
            torch.manual_seed(0)
            self.generators.append(self.make())
            self.states.append(self.state())
            self.cases.append((-1, None))
        return [self.advance(at, number) for at in range(count)]

    @staticmethod
    def state() -> tuple[torch.Tensor, torch.Tensor]:
        return torch.get_rng_state(), torch.cuda.get_rng_state() if torch.cuda.is_available() else torch.empty(0)

    def advance(self, at: int, number: int) -> Case:
        torch.set_rng_state(self.states[at][0])
        if torch.cuda.is_available():
            torch.cuda.set_rng_state(self.states[at][1])
        while self.cases[at][0] < number:
            newest = self.cases[at][0] + 1
            self.cases[at] = (newest, None)  # its memory is free for the next one
            self.cases[at] = (newest, next(self.generators[at]))
        self.states[at] = self.state()
        return self.cases[at][1]


class Contender:
    """One implementation on all copies."""

    def __init__(self, runs: list[Run]):
        self.runs = runs
        self.outputs: list[object] = [None] * len(runs)
        self.times: list[float] = []
        for at in list(range(len(runs))) * 2:  # the second time, memory comes from torch's cache
            self.call(at)
        torch.cuda.synchronize()
        calls = min(20, max(3, len(runs)))
        start = time.perf_counter()
        for at in range(calls):
            self.call(at)
        self.host_microseconds = (time.perf_counter() - start) / calls * 1e6
        torch.cuda.synchronize()
        self.microseconds = (time.perf_counter() - start) / calls * 1e6

    def call(self, at: int) -> None:
        at %= len(self.runs)
        self.outputs[at] = None
        self.outputs[at] = self.runs[at]()

    def turn(self) -> None:
        """One round: the device's time of several calls."""
        calls = int(min(CALLS_PER_ROUND, max(3, ROUND_MICROSECONDS / max(1.0, self.microseconds))))
        events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(calls)]
        torch.cuda.synchronize()
        # Longer than the host takes to queue all calls, in cycles of about 2 GHz.
        torch.cuda._sleep(int(min(0.15, 3e-4 + 2e-6 * calls * (self.host_microseconds + 12)) * 2e9))
        for at, (begin, end) in enumerate(events):
            begin.record()
            self.call(at)
            end.record()
        torch.cuda.synchronize()
        self.times += [begin.elapsed_time(end) / 1e3 for begin, end in events]


def medians(runs: dict[str, list[Run]], rounds: int, failed: Callable[[str, Exception], None]) -> dict[str, float]:
    """Seconds per call of each contender, in interleaved rounds. One that fails is reported and has no time."""
    contenders: dict[str, Contender] = {}
    for name, copies in runs.items():
        try:
            contenders[name] = Contender(copies)
        except Exception as error:  # noqa: BLE001: whatever another library raises
            if name == "ours" or not is_usable():
                raise
            failed(name, error)
    for _ in range(rounds):
        for contender in contenders.values():
            contender.turn()
    return {name: statistics.median(contender.times) for name, contender in contenders.items()}
