"""The packages of `projects.yaml` as values, and their table in README.md."""

import dataclasses
import pathlib

import yaml

HERE = pathlib.Path(__file__).parent
TIERS = ("default", "projects")


@dataclasses.dataclass(frozen=True)
class Stop:
    """Where a package that cannot work on this machine stops."""

    at: str  # the command of pinwheel, "build" or "test"
    exit: int
    says: str  # words of its message, on one line of stderr
    why: str  # for people: what is missing here


@dataclasses.dataclass(frozen=True)
class Row:
    name: str
    version: str
    tier: str
    kind: str  # backend, languages, bindings
    requires: list[str] = dataclasses.field(default_factory=list)  # packages that the build's environment got
    debian: list[str] = dataclasses.field(default_factory=list)  # packages of the system, see scripts/packages.txt
    select: list[str] = dataclasses.field(default_factory=lambda: ["python=3.11"])  # the variant of the matrix
    tags: str = ""  # of the wheel, without its platform
    grafted: list[str] = dataclasses.field(default_factory=list)  # libraries that `repair` put into the wheel
    does: str = ""  # statements that import it and do one thing
    variables: dict[str, str] = dataclasses.field(default_factory=dict)  # of the caller
    devices: list[str] = dataclasses.field(default_factory=list)  # the GPU code in the wheel, "sm_80"
    init: list[str] = dataclasses.field(default_factory=list)  # options of `init`, where this machine has one torch
    takes: int = 15  # seconds, about
    stops: Stop | None = None

    @property
    def requirement(self) -> str:
        return f"{self.name}=={self.version}"

    @property
    def matrix(self) -> pathlib.Path:
        return HERE / f"{self.name}.yaml"

    @property
    def python(self) -> str:
        """The Python of the variant, "3.11"."""
        return next(one.removeprefix("python=") for one in self.select if one.startswith("python="))

    @property
    def torch(self) -> bool:
        return any(one.startswith("torch=") for one in self.select)


def read_rows(text: str) -> list[Row]:
    rows = []
    for each in yaml.safe_load(text):
        stops = each.pop("stops", None)
        rows.append(Row(**each, stops=Stop(**stops) if stops else None))
    return rows


ROWS = read_rows((HERE / "projects.yaml").read_text())


def needed(row: Row) -> str:
    parts = [", ".join(row.requires)] if row.requires else []
    parts += ["torch"] if row.torch else []
    parts += [f"`{name}`" for name in row.debian]
    return "; ".join(parts)


def result(row: Row) -> str:
    if row.stops:
        return f"stops at `{row.stops.at}`, exit {row.stops.exit}: {row.stops.why}"
    inside = [*row.grafted, *(f"code for {device}" for device in row.devices)]
    return f"`{row.tags}`" + (f" with {', '.join(inside)} inside" if inside else "")


def duration(row: Row) -> str:
    return f"{row.takes} s" if row.takes < 120 else f"{round(row.takes / 60)} min"


def table(rows: list[Row]) -> str:
    """The table of README.md, a line for each package."""
    lines = ["| package | made with | needed | time | result |", "|---|---|---|--:|---|"]
    for row in rows:
        cells = (f"{row.name} {row.version}", row.kind, needed(row), duration(row), result(row))
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"
