"""Fixtures that all system tests share."""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent


def pytest_addoption(parser):
    parser.addoption("--bless", action="store_true", help="write what was seen as the expected output of golden cases")


def pytest_collection_modifyitems(items):
    """Keeps the container tests in one worker of pytest-xdist: they share a daemon and its images."""
    for item in items:
        if item.get_closest_marker("docker"):
            item.add_marker(pytest.mark.xdist_group("containers"))


@pytest.fixture(scope="session")
def pinwheel() -> str:
    """The binary under test."""
    path = os.environ.get("PINWHEEL", str(ROOT / "build" / "pinwheel"))
    assert os.access(path, os.X_OK), f"{path} is not there; run scripts/build"
    return path


@pytest.fixture(scope="session")
def root() -> pathlib.Path:
    return ROOT


@pytest.fixture
def repository(tmp_path):
    """A function that makes a git repository with one tagged commit of the given files."""

    def make(files: dict[str, str], tag: str | None = "v1.0.0", name: str = "project") -> pathlib.Path:
        directory = tmp_path / name
        for path, text in files.items():
            target = directory / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
        environment = {
            **os.environ,
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z",
            "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z",
        }

        def git(*arguments: str) -> None:
            identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"]
            subprocess.run(["git", *identity, *arguments], cwd=directory, env=environment, check=True, capture_output=True)

        git("init")
        git("add", "-A")
        git("commit", "-m", "first")
        if tag:
            git("tag", tag)
        return directory

    return make
