"""The checks for every wheel of pinwheel itself, and the checkout of a person who uses it."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MATRIX = "matrix/pinwheel.yaml"
MOST_BYTES = 12_000_000


def output(*command, **options) -> str:
    ran = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    assert ran.returncode == 0, f"{command}\n{ran.stdout}\n{ran.stderr}"
    return ran.stdout


def clone_below(place: pathlib.Path) -> pathlib.Path:
    """A clone of the repository: the committed files."""
    output("git", "clone", "--quiet", "--no-local", ROOT, place / "pinwheel")
    return place / "pinwheel"


def version_of(wheel: pathlib.Path) -> str:
    """Without the commit, which the wheel has in the channel `ci` and the program does not know."""
    return wheel.name.split("-")[1].partition("+")[0]


def assert_small_and_for_old_systems(wheel: pathlib.Path, machine: str) -> None:
    named = re.fullmatch(rf"pinwheel_cli-[^-]+-py3-none-manylinux_2_(\d+)_{machine}\.whl", wheel.name)
    assert named, wheel.name
    assert int(named[1]) <= 28
    assert wheel.stat().st_size <= MOST_BYTES


def assert_auditwheel_agrees_on_its_tag(wheel: pathlib.Path) -> None:
    printed = " ".join(output(sys.executable, "-m", "auditwheel", "show", wheel).split())
    assert f'platform tag: "{wheel.stem.rpartition("-")[2]}"' in printed
