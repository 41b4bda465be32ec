"""Times every operator against plain torch and, if it is installed, FBGEMM's own operator.

    python kernels/bench/bench.py [--device cpu|cuda] [--threads N] [--repeat N] [--only WORD] [--json] [--plot PNG]

One row per operator and shape (see cases/): the minimum number of bytes to move, the shortest time of each
contender, our bandwidth as a fraction of a plain copy's, and our speedup over each of the others. Contenders run
round robin, one call each or, for short calls, enough calls for 2 ms. Times are minima: on a shared machine, the
rest is noise.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from bench_case import Case, Run

TURN_SECONDS = 0.002


@dataclass
class Row:
    """Times in seconds; None for a missing contender."""

    operator: str
    shape: str
    bytes: int
    ours: float
    torch: float | None
    fbgemm: float | None
    of_copy: float

    def times_faster_than(self, contender: str) -> float | None:
        seconds = getattr(self, contender)
        return None if seconds is None else seconds / self.ours


def fbgemm_operators() -> object | None:
    try:
        import fbgemm_gpu  # noqa: F401
    except ImportError:
        return None
    return torch.ops.fbgemm


def all_cases(device: torch.device) -> Iterator[Case]:
    fbgemm = fbgemm_operators()
    for path in sorted((Path(__file__).parent / "cases").glob("*.py")):
        torch.manual_seed(0)
        yield from importlib.import_module(f"cases.{path.stem}").cases(device, fbgemm)


def seconds_of(run: Run, device: torch.device, calls: int) -> float:
    """The time per call, averaged over consecutive calls."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    start = time.perf_counter()
    for _ in range(calls):
        run()
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return (time.perf_counter() - start) / calls


def shortest(runs: list[Run | None], device: torch.device, repeat: int) -> list[float | None]:
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
                seconds_of(run, device, 1)
                calls[at] = max(1, math.ceil(TURN_SECONDS / seconds_of(run, device, 1)))
            else:
                best[at] = min(best[at], seconds_of(run, device, calls[at]))
    return best


def copy_speed(device: torch.device, repeat: int) -> float:
    """Bytes per second, read plus written, of torch's copy of 128 MiB."""
    source = torch.zeros(32 << 20, dtype=torch.float32, device=device)
    target = torch.empty_like(source)
    (seconds,) = shortest([lambda: target.copy_(source)], device, repeat)
    return 2 * source.numel() * source.element_size() / seconds


def measure(case: Case, device: torch.device, repeat: int, limit: float) -> Row:
    ours, plain, fbgemm = shortest([case.ours, case.torch, case.fbgemm], device, repeat)
    fraction = case.bytes / ours / limit
    return Row(case.operator, case.shape, case.bytes, ours, plain, fbgemm, fraction)


def geometric_mean(rows: list[Row], contender: str) -> float | None:
    ratios = [ratio for row in rows if (ratio := row.times_faster_than(contender)) is not None]
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None


def milliseconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds * 1e3:.3f}"


def ratio_text(ratio: float | None) -> str:
    return "-" if ratio is None else f"{ratio:.2f}"


def print_table(rows: list[Row]) -> None:
    contenders = ("torch", "fbgemm")
    head = ("operator", "shape", "MB", "ours ms", "of copy", "torch ms", "fbgemm ms", "x torch", "x fbgemm")
    lines = [head]
    for row in rows:
        ratios = [ratio_text(row.times_faster_than(name)) for name in contenders]
        times = (milliseconds(row.torch), milliseconds(row.fbgemm))
        lines.append(
            (row.operator, row.shape, f"{row.bytes / 1e6:.1f}", milliseconds(row.ours))
            + (f"{row.of_copy:.0%}", *times, *ratios)
        )
    means = [ratio_text(geometric_mean(rows, name)) for name in contenders]
    lines.append(("geometric mean", *[""] * 6, *means))
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    for line in lines:
        texts = [
            text.ljust(width) if column < 2 else text.rjust(width)
            for column, (text, width) in enumerate(zip(line, widths, strict=True))
        ]
        print("  ".join(texts).rstrip())


def draw(rows: list[Row], path: str, title: str) -> None:
    """One bar per operator: the geometric mean over its shapes of the speedup over FBGEMM or, if FBGEMM lacks it,
    torch, with a line from the minimum to the maximum. Needs matplotlib."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    colors = {"fbgemm": "tab:blue", "torch": "tab:gray"}
    names = list(dict.fromkeys(row.operator for row in rows))
    figure, axes = plt.subplots(figsize=(9, 0.3 * len(names) + 1), layout="constrained")
    for name in names:
        of_name = [row for row in rows if row.operator == name]
        against = "torch" if of_name[0].fbgemm is None else "fbgemm"
        ratios = [ratio for row in of_name if (ratio := row.times_faster_than(against)) is not None]
        axes.barh(name, geometric_mean(of_name, against) or 0, color=colors[against])
        axes.plot([min(ratios, default=0), max(ratios, default=0)], [name, name], color="black", lw=0.8)
    axes.axvline(1, color="black", linewidth=0.8)
    axes.invert_yaxis()
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(plt.FormatStrFormatter("%g"))
    axes.set_xlabel("speedup over FBGEMM (blue) or, where it has no such operator, torch (gray)", fontsize=9)
    axes.set_title(title)
    axes.tick_params(axis="y", labelsize=8)
    figure.savefig(path, dpi=80)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu", help="cpu (default) or cuda")
    parser.add_argument("--threads", type=int, default=1, help="threads of torch; 1 is the least noisy")
    parser.add_argument("--repeat", type=int, default=20, help="number of runs, of which the shortest counts")
    parser.add_argument("--only", default="", help="only operators whose name contains this")
    parser.add_argument("--plot", metavar="PNG", help="plot the ratios too (needs matplotlib)")
    parser.add_argument(
        "--json", action="store_true", help="one JSON document instead of the table"
    )
    options = parser.parse_args()
    device = torch.device(options.device)
    torch.set_num_threads(options.threads)
    limit = copy_speed(device, options.repeat)
    rows = []
    for case in all_cases(device):
        if options.only.lower() in case.operator.lower():
            rows.append(measure(case, device, options.repeat, limit))
    if options.json:
        about = {"device": str(device), "threads": options.threads, "torch": torch.__version__}
        print(json.dumps(about | {"copy": limit, "seconds": [asdict(row) for row in rows]}, indent=2))
    else:
        print_table(rows)
    if options.plot:
        draw(rows, options.plot, f"{device}, {options.threads} threads, torch {torch.__version__}")


if __name__ == "__main__":
    main()
