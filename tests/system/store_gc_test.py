"""`store gc`: what it removes, and what it leaves alone."""

import json
import os
import pathlib
import subprocess
import time

import pytest
from conftest import Project

EVERYTHING = ["--size", "0", "--releases", "0"]
DAY = 24 * 3600


@pytest.fixture
def script(project):
    script = project("script")
    script.edit(lambda matrix: matrix["axes"].update(flavor=["plain"]))
    return script


def store(project: Project, *arguments: str, code: int = 0) -> subprocess.CompletedProcess:
    return project.run("store", *arguments, code=code)


def age(place: pathlib.Path, days: int = 3) -> None:
    """Makes all files of a place as old as that."""
    for path in place.rglob("*"):
        os.utime(path, (time.time() - days * DAY,) * 2)


def names(place: pathlib.Path) -> list[str]:
    return sorted(str(path.relative_to(place)) for path in place.rglob("*") if path.is_file())


def test_a_time_that_no_clock_has_removes_nothing(script, tmp_path):
    place = tmp_path / "place"
    script.run("build", "matrix.yaml", "--store", f"dir:{place}")
    age(place)
    before = names(place)
    for grace in ("200000d", "999999d", "9007199254740992d"):
        refused = store(script, "gc", "--store", f"dir:{place}", *EVERYTHING, "--grace", grace, code=2)
        assert f"`{grace}` is not a time" in refused.stderr
    assert names(place) == before
    store(script, "gc", "--store", f"dir:{place}", *EVERYTHING, "--grace", "30d")
    assert set(names(place)) - {"lock"} == set(before) - {"lock"}


def test_a_place_that_is_only_to_be_read_is_not_changed(script, tmp_path):
    place = tmp_path / "place"
    script.run("build", "matrix.yaml", "--store", f"dir:{place}")
    age(place)
    before = names(place)
    for command in (["gc", *EVERYTHING], ["import", str(place)]):
        refused = store(script, *command, "--store", f"dir:{place},ro", code=2)
        assert f"`dir:{place}` is only to be read" in refused.stderr and "hint:" in refused.stderr
    assert "only to be read" in store(script, "gc", *EVERYTHING, "--store", "local,ro", code=2).stderr
    assert names(place) == before
    # What only reads may.
    store(script, "verify", "--store", f"dir:{place},ro")


def test_builds_in_the_domain_of_releases_are_no_releases(script, tmp_path):
    # Not in CI, where each run has an id of its own.
    place = tmp_path / "place"
    here = ["--store", f"dir:{place}"]
    script.run("release", "matrix.yaml", *here)
    released = set(names(place / "ac"))
    age(place)
    for number in range(3):
        script.edit(lambda matrix, number=number: matrix["environment"]["variables"].update(MORE=str(number)))
        script.run("build", "matrix.yaml", *here, "--store-domain", "release")
    age(place)
    told = json.loads(store(script, "gc", *here, "--size", "0", "--releases", "1", "--json").stdout)
    assert told["removed-results"] == 3 and set(names(place / "ac")) == released
    store(script, "verify", *here)
