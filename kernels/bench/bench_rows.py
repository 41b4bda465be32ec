"""What the benchmark measured, and how it is shown. Needs no torch."""

from __future__ import annotations

import math
from dataclasses import dataclass


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


def geometric_mean(rows: list[Row], contender: str) -> float | None:
    ratios = [ratio for row in rows if (ratio := row.times_faster_than(contender)) is not None]
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None


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
