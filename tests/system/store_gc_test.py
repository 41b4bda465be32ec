"""`store gc`: what it removes, and what it leaves alone."""

import contextlib
import fcntl
import json
import os
import pathlib
import subprocess
import time

import pytest
from stores import store

EVERYTHING = ["--size", "0", "--releases", "0"]
DAY = 24 * 3600


@pytest.fixture
def script(project):
    script = project("script")
    script.edit(lambda matrix: matrix["axes"].update(flavor=["plain"]))
    return script


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
        assert f"`dir:{place}` is read-only" in refused.stderr and "hint:" in refused.stderr
    assert "is read-only" in store(script, "gc", *EVERYTHING, "--store", "local,ro", code=2).stderr
    assert names(place) == before
    # A process that only reads may.
    store(script, "verify", "--store", f"dir:{place},ro")


def test_builds_in_the_domain_of_releases_are_no_releases(script, tmp_path):
    # Not in CI, where each run has its own id.
    place = tmp_path / "place"
    here = ["--store", f"dir:{place}"]
    script.run("release", "matrix.yaml", *here)
    released = set(names(place / "ac"))
    age(place)
    for number in range(3):
        script.edit(lambda matrix, number=number: matrix["environment"]["variables"].update(MORE=str(number)))
        script.run("build", "matrix.yaml", *here, "--store-domain", "release")
    age(place)
    result = json.loads(store(script, "gc", *here, "--size", "0", "--releases", "1", "--json").stdout)
    assert result["removed-results"] == 3 and set(names(place / "ac")) == released
    store(script, "verify", *here)


class TestBesideARun:
    """A cleaner that is held up for some seconds when it is about to remove the first of two results."""

    @pytest.fixture
    def place(self, project, tmp_path):
        """A place with two old results, of which that of `plain` is removed last, and a checkout that forgot them."""
        script = project("script")
        place = tmp_path / "place"
        for days, step in ((4, "build:plain"), (3, "build:loud")):
            before = set(names(place))
            script.run("build", "matrix.yaml", "--step", step, "--store", f"dir:{place}")
            for name in set(names(place)) - before:
                os.utime(place / name, (time.time() - days * DAY,) * 2)
        script.share_resolutions()
        script.start_afresh()
        return script, place

    @contextlib.contextmanager
    def cleaner(self, script, place):
        """A `gc` that removes everything, and has begun; it ends with the block."""
        delay = ["-e", "trace=unlink", "-e", "inject=unlink:delay_enter=5000000:when=1"]
        clean = script.command("store", "gc", "--store", f"dir:{place}", *EVERYTHING, "--json")
        cleaner = subprocess.Popen(
            ["strace", "-f", "-qq", "-o", "/dev/null", *delay, *clean],
            cwd=script.directory,
            env=script.environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        with open(place / "lock") as lock:
            while self.may_share(lock):
                assert cleaner.poll() is None
                time.sleep(0.01)
        result = {}
        yield result
        result |= json.loads(cleaner.communicate(timeout=60)[0])
        assert cleaner.returncode == 0

    @staticmethod
    def may_share(lock) -> bool:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        fcntl.flock(lock, fcntl.LOCK_UN)
        return True

    @pytest.mark.takes(30)
    def test_a_run_gets_a_result_with_its_files_or_makes_it(self, place):
        script, directory = place
        build = ["build", "matrix.yaml", "--step", "build:plain", "--store", f"dir:{directory}"]
        with self.cleaner(script, directory):
            script.run(*build)
        store(script, "verify", "--store", f"dir:{directory}")
        script.start_afresh()
        assert script.report(*build)["build:plain"]["state"] == "reused"

    @pytest.mark.takes(20)
    def test_a_result_that_is_used_without_a_lock_retains_its_files(self, place):
        script, directory = place
        old = [path for path in (directory / "ac").iterdir() if path.stat().st_mtime < time.time() - 3.5 * DAY]
        assert len(old) == 1
        with self.cleaner(script, directory) as result:
            os.utime(old[0])
        assert result["removed-results"] == 1 and old[0].exists()
        store(script, "verify", "--store", f"dir:{directory}")
        # Its numbers match the directory.
        blobs = list((directory / "cas").iterdir())
        assert len(blobs) == 2 and result["kept-bytes"] == sum(path.stat().st_size for path in blobs)
