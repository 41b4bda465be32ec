"""Runs clang-tidy over every source file of tools/, side by side, and remembers which were clean.

A file is run again when it, a header of this tree that it includes, its compile command, .clang-tidy
or clang-tidy itself has changed; `--all` runs every file.

usage: tidy.py BUILD [--all]    BUILD holds compile_commands.json
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import cache
from pathlib import Path

PROGRAM = "clang-tidy-14"
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


def key(path: Path, command: str, settings: bytes) -> str:
    """Names everything that a file's findings depend on, the system's headers apart."""
    digest = hashlib.sha256(settings)
    digest.update(command.encode())
    for file in closure(path):
        digest.update(b"\0" + file.relative_to(ROOT).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def sources(build: Path) -> Iterator[tuple[Path, str]]:
    """The files of tools/ and their compile commands."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = Path(entry["file"])
        if path.is_relative_to(ROOT / "tools"):
            yield path, entry["command"]


def check(build: Path, path: Path, mark: Path) -> str:
    """clang-tidy's findings on a file, empty when it is clean, which `mark` then remembers."""
    command = [PROGRAM, "-p", str(build), "--quiet", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        mark.touch()
        return ""
    return done.stdout or done.stderr or f"{path}: {PROGRAM} ended with {done.returncode}\n"


def main(arguments: list[str]) -> int:
    options = [argument for argument in arguments if argument.startswith("-")]
    builds = [Path(argument) for argument in arguments if argument not in options]
    if len(builds) != 1 or not set(options) <= {"--all"}:
        print("usage: tidy.py BUILD [--all]", file=sys.stderr)
        return 2
    build = builds[0]
    version = subprocess.run([PROGRAM, "--version"], capture_output=True, check=True).stdout
    settings = version + (ROOT / ".clang-tidy").read_bytes()
    marks = build / "tidy"
    marks.mkdir(exist_ok=True)

    wanted = {path: marks / key(path, command, settings) for path, command in sources(build)}
    if not wanted:
        print(f"tidy: no file of tools/ is in {build}/compile_commands.json", file=sys.stderr)
        return 1
    for old in set(marks.iterdir()) - set(wanted.values()):
        old.unlink()
    waiting = [path for path, mark in wanted.items() if "--all" in options or not mark.exists()]

    started = time.monotonic()
    failed = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        running = [pool.submit(check, build, path, wanted[path]) for path in waiting]
        for done in as_completed(running):
            if findings := done.result():
                failed += 1
                print(findings, end="", flush=True)
    print(
        f"tidy: {len(waiting)} of {len(wanted)} files in {time.monotonic() - started:.0f} s, {failed} with findings",
        file=sys.stderr,
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
