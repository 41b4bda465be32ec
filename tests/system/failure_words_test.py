"""What a failure says: under --quiet, past a limit, without a compiler, on a full disk."""

import os

import pytest
from conftest import PYTHON

TAG = "cp" + PYTHON.replace(".", "")


@pytest.fixture
def script(project):
    script = project("script")
    script.edit(lambda matrix: matrix["axes"].update(flavor=["plain"]))
    return script


def fails_with(code: int):
    """A change to the matrix: a build that ends with this code."""
    return lambda matrix: matrix["build"].update(command=["python", "-c", f"print('why'); raise SystemExit({code})"])


class TestQuiet:
    def test_a_quiet_run_says_what_failed_and_nothing_else(self, script):
        script.edit(fails_with(3))
        told = script.run("build", "matrix.yaml", "-q", code=1).stderr
        assert told.startswith("failed ") and "build:plain" in told.splitlines()[0]
        assert "building `plain` failed: exit code 3" in told and "| why" in told
        log = next(line.split("log: ")[1] for line in told.splitlines() if "log: " in line)
        assert os.path.exists(log)
        for other in ("started", "steps", "reused"):
            assert other not in told

    def test_a_failed_test_is_told_too_and_a_passed_run_is_silent(self, script):
        assert script.run("test", "matrix.yaml", "-q").stderr == ""
        script.edit(lambda matrix: matrix["test"].update(command=["python", "-c", "raise SystemExit(4)"]))
        told = script.run("test", "matrix.yaml", "-q", code=1).stderr
        assert f"test:{TAG}-plain" in told.splitlines()[0] and "exit code 4" in told and "log: " in told

    def test_a_quiet_run_in_json_has_the_event_of_the_failure(self, script):
        script.edit(fails_with(3))
        told = script.run("build", "matrix.yaml", "-q", "--log-format", "json", code=1).stderr.splitlines()
        assert len(told) == 1 and '"event":"step_finished"' in told[0] and '"failed"' in told[0]


class TestLimits:
    def test_a_build_past_its_limit_names_the_limit_and_the_key(self, script):
        script.edit(lambda matrix: matrix["build"].update(timeout="1s"))
        script.edit(lambda matrix: matrix["build"]["command"].extend(["--pause", "30"]))
        told = script.run("build", "matrix.yaml", code=1).stderr
        assert "building `plain` ran past its time limit of 1.0s, which `build.timeout` sets" in told
        assert "hint: raise `build.timeout`" in told

    def test_a_test_past_its_limit_names_its_own_key(self, script):
        sleep = ["python", "-c", "import time; time.sleep(30)"]
        script.edit(lambda matrix: matrix["test"].update(timeout="3s", command=sleep))
        told = script.run("test", "matrix.yaml", code=1).stderr
        assert "ran past its time limit of 3.0s, which `test.timeout` sets" in told


class TestTheMachine:
    def test_a_missing_compiler_is_named_with_its_package(self, project):
        extension = project("extension")
        extension.edit(lambda matrix: (matrix["axes"].update(flavor=["plain"]), matrix["checks"].update(before=[])))
        told = extension.run("build", "matrix.yaml", CC="no-such-gcc", code=4).stderr
        assert "there is no compiler `no-such-gcc`" in told
        assert "apt-get install gcc" in told and "`pinwheel doctor`" in told

    def test_a_disk_that_fills_up_while_an_environment_is_made_is_named(self, script, small_disk, tmp_path):
        # pip unpacks itself in the directory for temporary files.
        places = {"TMPDIR": str(small_disk), "PINWHEEL_CACHE_DIR": str(tmp_path / "cache")}
        told = script.run("build", "matrix.yaml", **places, code=4).stderr
        assert f"(the disk of `{small_disk}` has " in told and "hint: free space" in told

    def test_a_toolkit_that_cannot_be_had_is_one_warning(self, script):
        pythons = [PYTHON, "3.12" if PYTHON != "3.12" else "3.11"]
        script.edit(lambda matrix: matrix["axes"].update(python=pythons, compute=["cuda/11.4"]))
        script.edit(lambda matrix: matrix.pop("abi"))
        told = script.run("build", "matrix.yaml", "--dry-run", code=4).stderr
        assert told.count("warning: PyPI has no complete CUDA 11.4 toolkit") == 1
