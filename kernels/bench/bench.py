"""Times every operator against plain torch and, if it is installed, FBGEMM's own operator.

    python kernels/bench/bench.py [--device cpu|cuda] [--threads N] [--repeat N] [--only WORD] [--json] [--plot PNG]

One row per operator and shape (see cases/), printed as soon as it is measured: the minimum number of bytes to move,
the time of each contender, our bandwidth as a fraction of a plain copy's, and our speedup over each of the others.

On the CPU, contenders run round robin, one call each or, for short calls, enough calls for 2 ms. Times are minima: on
a shared machine, the rest is noise. On a GPU they are medians of what the device takes, see gpu_timer.py.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

import torch
from bench_case import Case, Run
from bench_rows import Row, draw, geometric_mean
from gpu_timer import Copies, copies_for, is_usable, medians

TURN_SECONDS = 0.002


class Fbgemm:
    """FBGEMM's operators. One that the installed build lacks fails when it is called, not when a case names it."""

    def __init__(self, version: str):
        self.version = version

    def __getattr__(self, name: str) -> Callable[..., object]:
        try:
            return getattr(torch.ops.fbgemm, name)
        except AttributeError:
            return lambda *_, **__: self.lacks(name)

    def lacks(self, name: str) -> None:
        raise NotImplementedError(f"this build of fbgemm_gpu has no `{name}`")


def fbgemm_operators() -> Fbgemm | None:
    try:
        import fbgemm_gpu
    except ModuleNotFoundError as error:
        if error.name != "fbgemm_gpu":
            report_failure("fbgemm_gpu", error)
        return None
    except Exception as error:  # noqa: BLE001: libraries that are missing or do not fit this torch
        report_failure("fbgemm_gpu", error)
        return None
    return Fbgemm(getattr(fbgemm_gpu, "__version__", "unknown"))


def modules() -> list[object]:
    paths = sorted((Path(__file__).parent / "cases").glob("*.py"))
    return [importlib.import_module(f"cases.{path.stem}") for path in paths]


def seconds_of(run: Run, calls: int) -> float:
    """The time per call, averaged over consecutive calls."""
    start = time.perf_counter()
    for _ in range(calls):
        run()
    return (time.perf_counter() - start) / calls


def shortest(runs: list[Run | None], repeat: int) -> list[float | None]:
    """The shortest time of each run, round robin. A turn is one call or enough calls to fill TURN_SECONDS: the time
    of a single short call depends on which contender ran before it. The first round is a warm-up and does not
    count."""
    best: list[float | None] = [None if run is None else math.inf for run in runs]
    calls = [1] * len(runs)
    for turn in range(repeat + 1):
        for at, run in enumerate(runs):
            if run is None:
                continue
            if turn == 0:
                seconds_of(run, 1)
                calls[at] = max(1, math.ceil(TURN_SECONDS / seconds_of(run, 1)))
            else:
                best[at] = min(best[at], seconds_of(run, calls[at]))
    return best


def copy_speed(repeat: int) -> float:
    """Bytes per second, read plus written, of torch's copy of 128 MiB."""
    source = torch.zeros(32 << 20, dtype=torch.float32)
    target = torch.empty_like(source)
    (seconds,) = shortest([lambda: target.copy_(source)], repeat)
    return 2 * source.numel() * source.element_size() / seconds


def rows_on_cpu(only: str, repeat: int, limit: float, fbgemm: Fbgemm | None) -> Iterator[Row]:
    device = torch.device("cpu")
    for module in modules():
        torch.manual_seed(0)
        for case in module.cases(device, fbgemm):
            if only in case.operator.lower():
                seconds = shortest([case.ours, case.torch, case.fbgemm], repeat)
                yield Row(case.operator, case.shape, case.bytes, *seconds, case.bytes / seconds[0] / limit)


def report_failure(name: str, error: Exception) -> None:
    lines = str(error).splitlines() or [type(error).__name__]
    print(f"bench: {name}: {lines[0][:300]}", file=sys.stderr, flush=True)


class GpuLost(Exception):
    """The GPU is unusable in this process after this error. The message is the file of cases that was running."""


class OnGpu:
    """Measures file by file and reports what fails."""

    def __init__(self, device: torch.device, only: str, repeat: int, limit: float):
        self.device, self.only, self.repeat, self.limit = device, only, repeat, limit
        self.cache = torch.cuda.get_device_properties(device).L2_cache_size
        self.failed = False

    def rows(self, fbgemm: Fbgemm | None, after: str) -> Iterator[Row]:
        for module in modules():
            file = module.__name__.rpartition(".")[2]
            if file <= after:
                continue
            try:
                yield from self.rows_of(Copies(lambda module=module: module.cases(self.device, fbgemm)))
            except Exception as error:
                self.fail(module.__name__, error)
            if not is_usable():
                raise GpuLost(file)
            torch.cuda.empty_cache()

    def rows_of(self, copies: Copies) -> Iterator[Row]:
        for number in range(sys.maxsize):
            try:
                (case,) = copies.of(number, 1)
            except StopIteration:
                return
            if self.only in case.operator.lower() and (row := self.row_of(copies, number, case)):
                yield row

    def row_of(self, copies: Copies, number: int, case: Case) -> Row | None:
        try:
            return measure_on_gpu(copies.of(number, copies_for(case.bytes, self.cache)), self.repeat, self.limit)
        except Exception as error:
            self.fail(f"{case.operator}, {case.shape}", error)
            if not is_usable():
                raise
            return None

    def fail(self, name: str, error: Exception) -> None:
        self.failed = True
        report_failure(name, error)


def gpu_copy_speed(device: torch.device, repeat: int) -> float:
    """Bytes per second, read plus written, of torch's copy of 1 GiB."""
    source = torch.zeros(1 << 28, dtype=torch.float32, device=device)
    target = torch.empty_like(source)
    seconds = medians({"ours": [lambda: target.copy_(source)]}, repeat, report_failure)["ours"]
    return 2 * source.numel() * source.element_size() / seconds


def measure_on_gpu(copies: list[Case], repeat: int, limit: float) -> Row:
    case = copies[0]
    runs = {name: [getattr(copy, name) for copy in copies] for name in ("ours", "torch", "fbgemm")}
    given = {name: of_all for name, of_all in runs.items() if of_all[0] is not None}
    seconds = medians(given, repeat, lambda name, error: report_failure(f"{name} {case.operator}", error))
    fraction = case.bytes / seconds["ours"] / limit
    times = (seconds["ours"], seconds.get("torch"), seconds.get("fbgemm"))
    return Row(case.operator, case.shape, case.bytes, *times, fraction)


def milliseconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds * 1e3:.3f}"


def ratio_text(ratio: float | None) -> str:
    return "-" if ratio is None else f"{ratio:.2f}"


HEAD = ("operator", "shape", "MB", "ours ms", "of copy", "torch ms", "fbgemm ms", "x torch", "x fbgemm")
WIDTHS = (43, 60, 7, 9, 7, 9, 9, 7, 8)  # of lines that are printed before the others are known


def print_line(texts: tuple[str, ...]) -> None:
    cells = [
        text.ljust(width) if column < 2 else text.rjust(width)
        for column, (text, width) in enumerate(zip(texts, WIDTHS, strict=True))
    ]
    print("  ".join(cells).rstrip(), flush=True)


def print_row(row: Row) -> None:
    ratios = [ratio_text(row.times_faster_than(name)) for name in ("torch", "fbgemm")]
    times = (milliseconds(row.torch), milliseconds(row.fbgemm))
    print_line(
        (row.operator, row.shape, f"{row.bytes / 1e6:.1f}", milliseconds(row.ours))
        + (f"{row.of_copy:.0%}", *times, *ratios)
    )


def options_of(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu", help="cpu (default) or cuda")
    parser.add_argument("--threads", type=int, default=1, help="threads of torch; 1 is the least noisy")
    parser.add_argument("--repeat", type=int, help="number of rounds: 20 by default, on a GPU 5")
    parser.add_argument("--only", default="", help="only operators whose name contains this")
    parser.add_argument("--after", default="", metavar="FILE", help="on a GPU, only the files of cases after this one")
    parser.add_argument("--plot", metavar="PNG", help="plot the ratios too (needs matplotlib)")
    parser.add_argument(
        "--json", action="store_true", help="a line of JSON about the run and one per row instead of the table"
    )
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    options = options_of(arguments)
    device = torch.device(options.device)
    torch.set_num_threads(options.threads)
    only, on_gpu = options.only.lower(), device.type == "cuda"
    repeat = options.repeat or (5 if on_gpu else 20)
    fbgemm, limit = fbgemm_operators(), gpu_copy_speed(device, repeat) if on_gpu else copy_speed(repeat)
    if options.json:
        about = {"device": str(device), "threads": options.threads, "torch": torch.__version__}
        about |= {"fbgemm": fbgemm and fbgemm.version, "copy_bytes_per_second": limit}
        print(json.dumps(about), flush=True)
    else:
        print_line(HEAD)
    gpu = OnGpu(device, only, repeat, limit) if on_gpu else None
    rows: list[Row] = []
    try:
        for row in gpu.rows(fbgemm, options.after) if gpu else rows_on_cpu(only, repeat, limit, fbgemm):
            rows.append(row)
            print(json.dumps(asdict(row)), flush=True) if options.json else print_row(row)
    except GpuLost as lost:
        # This frees the memory of the GPU too.
        os.execv(sys.executable, [sys.executable, __file__, *arguments, "--after", str(lost)])
    if not options.json:
        means = [ratio_text(geometric_mean(rows, name)) for name in ("torch", "fbgemm")]
        print_line(("geometric mean", *[""] * 6, *means))
    if options.plot:
        draw(rows, options.plot, f"{device}, {options.threads} threads, torch {torch.__version__}")
    # With `--after`, an earlier process lost the GPU, so the run as a whole has failed.
    return 1 if options.after or (gpu and gpu.failed) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
