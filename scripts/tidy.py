"""Runs clang-tidy over every source file of tools/, side by side, and remembers which were clean.

Files of one directory are read together, so that the headers they share are parsed and judged once:
that is why a name in an anonymous namespace is unique in its directory. A group is run again when one
of its files, a header of this tree that they include, their compile flags, .clang-tidy, this program
or clang-tidy itself has changed; `--all` runs every group. Clones of a user share what is remembered.

usage: tidy.py BUILD [--all] [FILE...]    BUILD holds compile_commands.json; FILEs are run one by one
"""

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import dev_cache

PROGRAM = "clang-tidy-14"
TOGETHER = 12
# Paths through a function that grow past this many states have shown nothing but time.
ANALYZER = ("-analyzer-config", "max-nodes=20000")
ROOT = Path(__file__).resolve().parent.parent
INCLUDE = re.compile(rb'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


@cache
def direct_includes(path: Path) -> tuple[Path, ...]:
    """The headers of this tree that a file names; include paths start at tools/."""
    names = (ROOT / "tools" / name.decode() for name in INCLUDE.findall(path.read_bytes()))
    return tuple(name for name in names if name.is_file())


def closure(path: Path) -> list[Path]:
    """A file and every header of this tree that it includes, directly or not, in a fixed order."""
    seen: set[Path] = set()
    waiting = [path]
    while waiting:
        current = waiting.pop()
        if current not in seen:
            seen.add(current)
            waiting += direct_includes(current)
    return sorted(seen)


@dataclass(frozen=True)
class Group:
    """Files that are compiled with the same flags and share a directory."""

    flags: tuple[str, ...]
    files: tuple[Path, ...]

    def key(self, settings: bytes) -> str:
        """Names everything that the findings depend on, the system's headers apart."""
        digest = hashlib.sha256(settings)
        # Wherever this tree lies.
        digest.update("\0".join(self.flags).replace(str(ROOT), "").encode())
        for file in sorted({part for source in self.files for part in closure(source)}):
            digest.update(b"\0" + file.relative_to(ROOT).as_posix().encode() + b"\0")
            digest.update(hashlib.sha256(file.read_bytes()).digest())
        return digest.hexdigest()


def flags_of(command: str, source: str) -> tuple[str, ...]:
    """The arguments of a compile command that say how, not what."""
    arguments = shlex.split(command)[1:]
    output = arguments.index("-o")
    del arguments[output : output + 2]
    return tuple(argument for argument in arguments if argument not in ("-c", source))


def groups(build: Path) -> Iterator[Group]:
    """The files of tools/ by directory and flags, at most `TOGETHER` at a time."""
    alike: dict[tuple[Path, tuple[str, ...]], list[Path]] = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = Path(entry["file"])
        if path.is_relative_to(ROOT / "tools"):
            alike.setdefault((path.parent, flags_of(entry["command"], entry["file"])), []).append(path)
    for (_, flags), files in sorted(alike.items()):
        files.sort()
        for first in range(0, len(files), TOGETHER):
            yield Group(flags, tuple(files[first : first + TOGETHER]))


def one_by_one(groups: Iterable[Group], files: set[Path]) -> Iterator[Group]:
    """Those of the files that are in a group, each as a group of its own."""
    for group in groups:
        for file in group.files:
            if file in files:
                yield Group(group.flags, (file,))


def check(group: Group, mark: Path, build: Path) -> str:
    """clang-tidy's findings on a group, empty when it is clean, which `mark` then remembers."""
    # The analyzer follows the functions of an included file only where a name like this includes it.
    unified = build / f"UnifiedSource{mark.name}.cc"
    unified.write_text("".join(f'#include "{file}"\n' for file in group.files))
    command = [PROGRAM, "--quiet", f"--config-file={ROOT / '.clang-tidy'}", "--checks=-bugprone-suspicious-include"]
    command += [f"--extra-arg={argument}" for option in ANALYZER for argument in ("-Xclang", option)]
    done = subprocess.run([*command, str(unified), "--", *group.flags], capture_output=True, text=True, check=False)
    unified.unlink()
    if done.returncode == 0:
        mark.touch()
        return ""
    return done.stdout or done.stderr or f"{group.files[0].parent}: {PROGRAM} ended with {done.returncode}\n"


def run(wanted: dict[Group, Path], build: Path) -> int:
    """Runs clang-tidy on these groups, prints what it finds, and returns how many have findings."""
    failed = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        running = [pool.submit(check, group, mark, build) for group, mark in wanted.items()]
        for done in as_completed(running):
            if findings := done.result():
                failed += 1
                print(findings, end="", flush=True)
    return failed


def main(arguments: list[str]) -> int:
    options = {argument for argument in arguments if argument.startswith("-")}
    places = [Path(argument).resolve() for argument in arguments if argument not in options]
    if not places or not options <= {"--all"}:
        print("usage: tidy.py BUILD [--all] [FILE...]", file=sys.stderr)
        return 2
    build, *files = places
    found = list(groups(build))
    if not found:
        print(f"tidy: no file of tools/ is in {build}/compile_commands.json", file=sys.stderr)
        return 1
    if files:
        found = list(one_by_one(found, set(files)))

    version = subprocess.run([PROGRAM, "--version"], capture_output=True, check=True).stdout
    settings = version + (ROOT / ".clang-tidy").read_bytes() + Path(__file__).read_bytes()
    marks = dev_cache.directory("tidy")
    dev_cache.drop_unused(marks)
    wanted = {group: marks / group.key(settings) for group in found}
    waiting = {group: mark for group, mark in wanted.items() if "--all" in options or not dev_cache.use(mark)}

    started = time.monotonic()
    failed = run(waiting, build)
    seconds = time.monotonic() - started
    ran, of = (sum(len(group.files) for group in some) for some in (waiting, wanted))
    print(f"tidy: {ran} of {of} files in {seconds:.0f} s, {failed} groups with findings", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
