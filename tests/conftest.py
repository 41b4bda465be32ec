"""Fixtures that all tests share, the order in which they start, and the record of long tiers."""

import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

from tier_recorder import TierRecorder  # noqa: E402

# A test sets the CI service that it is about. The service that runs the tests must not change their results.
for name in [name for name in os.environ if name == "CI" or name.startswith(("GITHUB_", "GITLAB_"))]:
    del os.environ[name]


def pytest_addoption(parser):
    parser.addoption("--bless", action="store_true", help="write what was seen as the expected output of golden cases")
    parser.addoption(
        "--record", metavar="TIERS", default="", help="tiers, with commas, whose passing goes into tests/last-run.json"
    )


def pytest_configure(config):
    tiers = [tier for tier in config.getoption("--record").split(",") if tier]
    if tiers and not hasattr(config, "workerinput"):
        config.pluginmanager.register(TierRecorder(tiers))


def seconds_of(item) -> float:
    """The stated duration of a test, zero if unstated; infinite for tests of containers, which take long together."""
    marker = item.get_closest_marker("takes")
    return float("inf") if item.get_closest_marker("docker") else marker.args[0] if marker else 0


def module_fixtures(item) -> list[str]:
    """The fixtures of a test that a module shares and that one of its tests makes."""
    definitions = item.session._fixturemanager.getfixturedefs
    found = {name: definitions(name, item) for name in item.fixturenames}
    return [name for name, made in found.items() if made and made[-1].scope == "module"]


def pytest_collection_modifyitems(items):
    """The longest tests start first, so that no worker ends with one alone. The container tests stay in one worker of
    pytest-xdist: they share a daemon and its images. So do tests that share a fixture of their module, which each worker
    would make again."""
    for item in items:
        if item.get_closest_marker("docker"):
            item.add_marker(pytest.mark.xdist_group("containers"))
        elif not item.get_closest_marker("xdist_group") and module_fixtures(item):
            item.add_marker(pytest.mark.xdist_group(item.module.__name__))
    items.sort(key=lambda item: -seconds_of(item))


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
