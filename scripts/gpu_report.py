"""What scripts/gpu shows of its results: changes since the last run, and the table and picture of kernels/README.md."""

import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "kernels" / "bench"))
from bench_rows import Row, draw, geometric_mean  # noqa: E402

BEGIN, END = "<!-- scripts/gpu writes this -->\n", "<!-- to here -->\n"
NOTHING = "There are no times of this version on a GPU: `scripts/gpu` on a machine with one writes them here.\n"
NOISE = 0.05


def slug(gpu: str) -> str:
    """`NVIDIA H100 80GB HBM3` -> `h100-80gb-hbm3`."""
    return re.sub(r"[^a-z0-9]+", "-", gpu.lower().removeprefix("nvidia ")).strip("-")


def rows_of(session: dict) -> list[Row]:
    return [Row(**row) for row in session["rows"]]


def change_lines(before: list[dict], after: list[dict]) -> list[str]:
    """The rows whose time differs from that of the last run, the slower ones first."""
    known = {(row["operator"], row["shape"]): row["ours"] for row in before}
    changes = []
    for row in after:
        old = known.get((row["operator"], row["shape"]))
        if old is not None and abs(old / row["ours"] - 1) > NOISE:
            times = f"{old * 1e6:.1f} -> {row['ours'] * 1e6:.1f} us"
            changes.append((old / row["ours"], f"{row['operator']}, {row['shape']}: {times}"))
    return [f"gpu: {factor:.2f} times as fast: {text}" for factor, text in sorted(changes)]


def ratio(number: float | None) -> str:
    return "-" if number is None else f"{number:.2f}"


def table_of(rows: list[Row]) -> str:
    lines = [
        "| operator | shapes | FBGEMM: mean | min | max | torch: mean | of copy, best |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for name in dict.fromkeys(row.operator for row in rows):
        own = [row for row in rows if row.operator == name]
        ratios = [found for row in own if (found := row.times_faster_than("fbgemm")) is not None]
        numbers = (geometric_mean(own, "fbgemm"), min(ratios, default=None), max(ratios, default=None))
        cells = [f"`{name}`", str(len(own)), *map(ratio, (*numbers, geometric_mean(own, "torch")))]
        lines.append(f"| {' | '.join(cells)} | {max(row.of_copy for row in own):.0%} |")
    return "\n".join(lines) + "\n"


def mean_sentence(rows: list[Row]) -> str:
    pairs = [found for row in rows if (found := row.times_faster_than("fbgemm")) is not None]
    if not pairs:
        return "FBGEMM was not installed."
    slower = sum(found < 1 for found in pairs)
    return (
        f"{geometric_mean(rows, 'fbgemm'):.2f} times as fast as FBGEMM, as the geometric mean over {len(pairs)} pairs "
        f"of operator and shape, of which {slower} are slower."
    )


def section_of(session: dict, picture: str | None) -> str:
    rows = rows_of(session)
    about = f"{session['gpu']}, driver {session['driver']}, {session['date']}, commit {session['commit'][:8]}"
    stopped = session["parts"].get("bench", {}).get("state") != "passed"
    incomplete = " The benchmark did not finish." if stopped else ""
    image = f"![times faster than FBGEMM on a GPU]({picture})\n\n" if picture else ""
    return f"On a GPU ({about}): {mean_sentence(rows)}{incomplete}\n\n{image}{table_of(rows)}"


def replaced(text: str, sections: list[str]) -> str:
    """The README with these sections between its marks."""
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    return text[:begin] + "\n" + "\n".join(sections or [NOTHING]) + "\n" + text[end:]


def picture_of(session: dict, file: Path) -> str | None:
    try:
        draw(rows_of(session), str(file), f"{session['gpu']}, {session['date']}")
    except ImportError:  # no matplotlib: the last picture is of other results
        file.unlink(missing_ok=True)
        return None
    return f"bench/{file.name}"


def update_readme(kernels: Path) -> None:
    sections = []
    for file in sorted((kernels / "bench").glob("gpu-*.json")):
        session = json.loads(file.read_text())
        if not file.stem.endswith("-quick") and session["rows"]:
            sections.append(section_of(session, picture_of(session, file.with_suffix(".png"))))
    readme = kernels / "README.md"
    readme.write_text(replaced(readme.read_text(), sections))
