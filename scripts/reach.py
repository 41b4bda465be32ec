"""What a change in some files of the tree can break: which rooms' unit tests show it, and which files to look at.

Pure: from paths and an include graph to names. A room is a directory of tools/ that holds sources; its tests are in the
directory of the same name below tests/unit/ and in one program.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)

# The tests by pytest that a change below a directory asks for, beside the golden cases.
PYTESTS = {"scripts/": "tests/scripts", "tests/scripts/": "tests/scripts", "tests/house/": "tests/house"}


def room_of(path: str) -> str | None:
    """`host/steps` for tools/host/steps/x.cc and for tests/unit/host/steps/x_test.cc; None for what is in no room."""
    parts = PurePosixPath(path).parts
    for top in (("tools",), ("tests", "unit")):
        if parts[: len(top)] == top and len(parts) > len(top) + 1:
            return "/".join(parts[len(top) : -1])
    return None


def unit_target(room: str) -> str:
    return "unit_" + room.replace("/", "_")


def included_by(texts: Mapping[str, str]) -> dict[str, set[str]]:
    """The files that include each file, directly; paths of includes start at tools/ or at tests/."""
    users: dict[str, set[str]] = {}
    for path, text in texts.items():
        if path.startswith("kernels/"):
            continue
        for name in INCLUDE.findall(text):
            for top in ("tools", "tests"):
                if (header := f"{top}/{name}") in texts:
                    users.setdefault(header, set()).add(path)
    return users


def reached(changed: Iterable[str], users: Mapping[str, set[str]]) -> set[str]:
    """The changed files and all that include them, directly or not."""
    found: set[str] = set()
    waiting = list(changed)
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += users.get(path, ())
    return found


@dataclass(frozen=True)
class Work:
    """What to build, run and look at after a change."""

    units: tuple[str, ...]  # targets of unit tests
    formatted: tuple[str, ...]  # for clang-format
    tidied: tuple[str, ...]  # sources of tools/ for clang-tidy
    scripts: tuple[str, ...]  # shell scripts, for shellcheck
    fuzzers: tuple[str, ...]  # targets
    pytests: tuple[str, ...]  # directories for pytest


def tidied(changed: Iterable[str], texts: Mapping[str, str]) -> set[str]:
    """The changed sources of tools/, and for a changed header the source of its name or else one that includes it."""
    found = set()
    users = included_by(texts)
    for path in changed:
        if not path.startswith("tools/") or path not in texts:
            continue
        if path.endswith(".h"):
            sources = sorted(user for user in users.get(path, ()) if user.startswith("tools/") and user.endswith(".cc"))
            own = path.removesuffix(".h") + ".cc"
            found.update([own] if own in texts else sources[:1])
        else:
            found.add(path)
    return found


def work(changed: Iterable[str], texts: Mapping[str, str], shell: Iterable[str]) -> Work:
    """`changed` are paths in the tree, `texts` the C++ files as they are now, `shell` those of the
    changed files that a shell runs. A change in a source is shown by the tests of its room; one in a header, by the
    tests of every room that includes it, however indirectly."""
    changed = sorted(changed)
    far = reached(changed, included_by(texts))
    rooms = {room for path in far if (room := room_of(path))}
    tests = [path for path in texts if path.startswith("tests/unit/") and path.endswith("_test.cc")]
    tested = {room for path in tests if (room := room_of(path))}
    here = [path for path in changed if path in texts]
    fuzzers = [PurePosixPath(path).stem.removesuffix("_fuzz") for path in here if path.endswith("_fuzz.cc")]
    pytests = {tests for path in changed for start, tests in PYTESTS.items() if path.startswith(start)}
    return Work(
        units=tuple(unit_target(room) for room in sorted(rooms & tested)),
        formatted=tuple(here),
        tidied=tuple(sorted(tidied(changed, texts))),
        scripts=tuple(sorted(shell)),
        fuzzers=tuple(f"fuzz_{name}" for name in fuzzers),
        pytests=("tests/cli", *sorted(pytests)),
    )
