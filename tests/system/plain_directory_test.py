"""A source outside git: what builds leave in it is no source, and everything else is."""

import shutil
import subprocess
import sys

import pytest
from conftest import PYTHON

BUILD = f"build:cp{PYTHON.replace('.', '')}-plain"


@pytest.fixture
def plain(project):
    """A setuptools project in a directory without a repository."""
    extension = project("extension")
    (extension.directory / "VERSION").write_text("1.2.0\n")

    def change(matrix):
        matrix["package"].update(version={"from": "file", "file": "VERSION"}, sdist=False)
        matrix["axes"].update(flavor=["plain"])

    extension.edit(change)
    shutil.rmtree(extension.directory / ".git")
    return extension


def by_hand(plain, *arguments: str) -> None:
    """Runs setup.py in the directory itself, as a developer does."""
    variables = {**plain.environment, "PINWHEEL_VERSION": "1.2.0"}
    command = [sys.executable, "setup.py", "-q", *arguments]
    subprocess.run(command, cwd=plain.directory, env=variables, check=True, capture_output=True)


def state(plain) -> str:
    return plain.report("build", "matrix.yaml")[BUILD]["state"]


def test_leftovers_of_builds_change_nothing_and_an_edit_does(plain):
    assert state(plain) == "done"
    wheels = plain.wheels()
    by_hand(plain, "build_ext", "--inplace")
    by_hand(plain, "bdist_wheel")
    (plain.directory / "src" / "tiny_ext" / "__pycache__").mkdir()
    (plain.directory / "src" / "tiny_ext" / "__pycache__" / "x.pyc").touch()
    left = {path.relative_to(plain.directory).as_posix() for path in plain.directory.rglob("*")}
    assert {"build", "dist", "src/tiny_ext.egg-info"} <= left
    assert any(path.startswith("src/tiny_ext/_native.cpython-") for path in left)
    assert state(plain) == "reused"
    # They are not in the copy that builds see, either.
    plain.start_afresh()
    assert state(plain) == "done" and plain.wheels() == wheels

    native = plain.directory / "src" / "tiny_ext" / "native.c"
    native.write_text(native.read_text() + "\n/* changed */\n")
    assert state(plain) == "done"
    (plain.directory / "build" / "notes.txt").write_text("source\n")
    assert state(plain) == "done"
