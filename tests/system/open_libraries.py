"""Opens the libraries of an unpacked wheel as importing them would, and reports which do not load.

Runs in an interpreter that has torch: `python open_libraries.py DIRECTORY` prints {library: error or null}. Each
library is opened in its own process, after `import torch` and after the wheel's own libraries that it needs, which
packages open first or find on a search path.
"""

import ctypes
import json
import os
import pathlib
import subprocess
import sys


def dynamic(path: pathlib.Path) -> tuple[str, list[str]]:
    """The SONAME and the needed libraries, from readelf."""
    ran = subprocess.run(["readelf", "-dW", path], capture_output=True, text=True, check=True)
    soname, needed = "", []
    for line in ran.stdout.splitlines():
        value = line[line.find("[") + 1 : line.rfind("]")]
        if "(SONAME)" in line:
            soname = value
        if "(NEEDED)" in line:
            needed.append(value)
    return soname, needed


def is_library(path: pathlib.Path) -> bool:
    with path.open("rb") as file:
        head = file.read(20)
    machine = int.from_bytes(head[18:20], "little")
    return head[:4] == b"\x7fELF" and int.from_bytes(head[16:18], "little") == 3 and machine in (62, 183)


def own_order(root: str, own: dict[str, str], needed: dict[str, list[str]], seen: set[str]) -> list[str]:
    """The wheel's libraries that `root` needs, and `root` itself, each after its own dependencies."""
    seen.add(root)
    order = []
    for name in needed[root]:
        member = own.get(name)
        if member and member not in seen:
            order += own_order(member, own, needed, seen)
    return [*order, root]


def open_one(paths: list[str]) -> str | None:
    """The error of the last one, opened in a child process."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        error = ""
        for path in paths:
            try:
                ctypes.CDLL(path, mode=os.RTLD_NOW | os.RTLD_LOCAL)
                error = ""
            except OSError as failure:
                error = str(failure)
        os.write(write, error.encode()[:60000])
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        error = pipe.read().decode()
    _, status = os.waitpid(child, 0)
    return f"ended with status {status}" if status else error or None


def main() -> None:
    import torch  # noqa: F401

    root = pathlib.Path(sys.argv[1])
    files = sorted(path for path in root.rglob("*") if path.is_file() and not path.is_symlink())
    own, needed = {}, {}
    for path in filter(is_library, files):
        member = str(path.relative_to(root))
        soname, needed[member] = dynamic(path)
        for name in filter(None, (soname, path.name)):
            own.setdefault(name, member)
    order = {member: own_order(member, own, needed, set()) for member in needed}
    print(json.dumps({member: open_one([str(root / each) for each in order[member]]) for member in needed}))


if __name__ == "__main__":
    main()
