"""Makes the programs that the tests run with: a Python with their requirements. They are made once for each contents of
the requirements and shared by all clones of a user.

usage: test_environment.py [--torch]    prints the directory for PATH
"""

import subprocess
import sys
from pathlib import Path

import dev_cache

TESTS = Path(__file__).resolve().parent.parent / "tests"


def make_python(entry: Path, requirements: list[Path]) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(entry)], check=True)
    pip = [str(entry / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, *(part for file in requirements for part in ("-r", str(file)))], check=True)


def python(requirements: list[Path]) -> Path:
    """The directory of programs of a virtual environment with these requirements."""
    place = dev_cache.directory("python")
    made_from = [sys.version, sys.executable, *(file.read_bytes() for file in requirements)]
    entry = place / dev_cache.key(*made_from)
    with dev_cache.locked(place):
        dev_cache.drop_unused(place)
        if not (dev_cache.use(entry) and (entry / "complete").exists()):
            make_python(entry, requirements)
            (entry / "complete").touch()
    return entry / "bin"


def main(arguments: list[str]) -> int:
    arguments = [argument for argument in arguments if argument]
    if arguments not in ([], ["--torch"]):
        print("usage: test_environment.py [--torch]", file=sys.stderr)
        return 2
    names = ["requirements.txt", *(["requirements-torch.txt"] if arguments else [])]
    print(python([TESTS / name for name in names]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
