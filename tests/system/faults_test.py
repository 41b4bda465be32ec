"""Faults are named, with a hint and the right exit code, and leave nothing half-written."""

import shutil
import subprocess
import zipfile

import pytest
from conftest import PYTHON

TAG = "cp" + PYTHON.replace(".", "")


@pytest.fixture
def script(project):
    script = project("script")
    script.edit(lambda matrix: matrix["axes"].update(flavor=["plain"]))
    return script


@pytest.fixture
def extension(project):
    extension = project("extension")
    extension.edit(lambda matrix: matrix["axes"].update(flavor=["plain"]))
    return extension


def options(*more):
    """A change to the matrix: additional arguments for make_wheel.py."""
    return lambda matrix: matrix["build"]["command"].extend(more)


def failing_step(project, step, *arguments, code):
    """Runs, and returns the error of the only failed step, which must not have been retried."""
    outcomes = project.report(*arguments, code=code)
    failed = [one["id"] for one in outcomes.values() if one["state"] == "failed"]
    assert failed == [step], outcomes
    assert outcomes[step]["attempts"] == 1 and project.starts()[step] == 1
    return outcomes[step]["error"]


class TestTheMatrix:
    def test_broken_yaml_is_shown_with_its_location(self, script):
        path = script.directory / "matrix.yaml"
        path.write_text(path.read_text().replace("axes:", "axes: ["))
        script.commit()
        refused = script.run("release", "matrix.yaml", code=2)
        assert "matrix.yaml:" in refused.stderr and "^" in refused.stderr
        assert script.wheels() == {} and script.journal() == []

    def test_an_unknown_key_is_named_with_the_nearest_known_one(self, script):
        script.edit(lambda matrix: matrix["build"].update(comand=["true"]))
        refused = script.run("release", "matrix.yaml", code=2)
        assert "comand" in refused.stderr and "command" in refused.stderr.split("hint:")[1]

    def test_an_unknown_axis_is_named_with_the_nearest_known_one(self, script):
        refused = script.run("release", "matrix.yaml", "-s", "flavr=plain", code=2)
        assert "`flavr`" in refused.stderr and "`flavor`" in refused.stderr.split("hint:")[1]
        assert script.wheels() == {} and script.journal() == []

    def test_a_missing_matrix_is_named(self, script):
        refused = script.run("release", "nowhere.yaml", code=2)
        assert "nowhere.yaml" in refused.stderr

    def test_an_empty_selection_has_its_own_exit_code(self, script):
        script.run("release", "matrix.yaml", "--skip", "*", code=3)
        assert script.wheels() == {}


class TestTheMachine:
    def test_a_missing_interpreter_is_named_with_the_available_ones(self, script):
        script.edit(lambda matrix: matrix["axes"].update(python=["3.4"]))
        refused = script.run("release", "matrix.yaml", code=4)
        assert "no Python `3.4`" in refused.stderr and f"`{PYTHON}." in refused.stderr
        assert "install 3.4" in refused.stderr.split("hint:")[1]
        assert script.wheels() == {}

    def test_a_missing_compiler_is_found_before_the_build(self, extension):
        extension.edit(lambda matrix: matrix["checks"].update(before=["compiler"]))
        extension.environment["CXX"] = "/nonexistent/c++"
        error = failing_step(extension, f"build:{TAG}-plain", "build", "matrix.yaml", code=4)
        assert "compiler" in error["message"] and "CXX" in error["hint"]
        assert not any(name.endswith(".whl") for name in extension.wheels())

    def test_a_missing_header_and_module_are_both_named(self, extension):
        extension.edit(
            lambda matrix: matrix["checks"].update(before=[{"header": "no/such.h"}, {"import": "no_such_module"}])
        )
        extension.edit(lambda matrix: matrix["package"].update(sdist=False))
        error = failing_step(extension, f"build:{TAG}-plain", "build", "matrix.yaml", code=4)
        causes = [cause["message"] for cause in error["causes"]]
        assert len(causes) == 2
        assert "`no/such.h`" in causes[0] and "`no_such_module`" in causes[1]
        # The build had not started: its log is empty, and no message refers to it.
        printed = extension.run("logs", f"build:{TAG}-plain")
        assert printed.stdout == "" and "wrote nothing" in printed.stderr
        assert "log:" not in extension.run("build", "matrix.yaml", code=4).stderr
        assert "its last was 1" in extension.run("logs", f"build:{TAG}-plain", "--attempt", "2", code=2).stderr

    def test_checks_ignore_the_users_variables_as_builds_do(self, extension, tmp_path):
        (tmp_path / "only_here.h").touch()
        (tmp_path / "only_here.py").touch()
        extension.environment |= {"CPATH": str(tmp_path), "PYTHONPATH": str(tmp_path)}
        extension.edit(
            lambda matrix: matrix["checks"].update(before=[{"header": "only_here.h"}, {"import": "only_here"}])
        )
        error = failing_step(extension, f"build:{TAG}-plain", "build", "matrix.yaml", code=4)
        causes = [cause["message"] for cause in error["causes"]]
        assert len(causes) == 2
        assert "`only_here.h`" in causes[0] and "`only_here`" in causes[1]

    def test_the_compiler_that_the_user_names_is_used(self, extension, tmp_path):
        trace = tmp_path / "trace"
        compiler = tmp_path / "my-cc"
        compiler.write_text(f'#!/bin/sh\necho "$@" >> {trace}\nexec cc "$@"\n')
        compiler.chmod(0o755)
        extension.run("build", "matrix.yaml", CC=str(compiler))
        assert "native.c" in trace.read_text()

    def test_a_full_disk_under_the_output_is_named_and_leaves_nothing_behind(self, script, small_disk):
        script.edit(options("--pad", "3000000"))
        script.output = small_disk / "dist"
        error = failing_step(script, "build:plain", "build", "matrix.yaml", code=4)
        assert "no space left on device" in error["message"].lower() and str(script.output) in error["message"]
        assert "choose another" in error["hint"]
        assert script.wheels() == {}

    def test_a_full_disk_under_the_state_is_named_and_loses_nothing(self, script, small_disk):
        script.run("build", "matrix.yaml")
        before = script.wheels()
        script.edit(options("--pad", "3000000"))
        state = small_disk / "state"
        shutil.copytree(script.state, state)
        script.state = state
        refused = script.run("build", "matrix.yaml", code=4)
        assert "no space left on device" in refused.stderr.lower() and "hint:" in refused.stderr
        assert script.wheels() == before
        # Each line of the journal is complete, and the next run starts from it.
        assert script.journal()[0] == {"journal": 1}

    def test_a_file_size_limit_is_an_error_and_not_a_crash(self, script):
        script.edit(options("--pad", "3000000"))
        ran = subprocess.run(
            ["sh", "-c", 'ulimit -f 1000; exec "$@"', "sh", *script.command("build", "matrix.yaml")],
            cwd=script.directory,
            env=script.environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert ran.returncode in (1, 4), ran.stderr
        assert "error:" in ran.stderr and "build:plain" in ran.stderr
        assert script.wheels() == {}
        assert all(isinstance(record, dict) for record in script.journal())


class TestTheBuild:
    def test_a_compile_error_shows_the_compilers_line_and_is_not_retried(self, extension):
        source = extension.directory / "src" / "tiny_ext" / "native.c"
        source.write_text(source.read_text().replace("return PyLong_FromLong(3 * value);", "return no_such_thing;"))
        extension.edit(lambda matrix: matrix["package"].update(sdist=False))
        ran = extension.run("build", "matrix.yaml", code=1)
        assert "native.c" in ran.stderr and "no_such_thing" in ran.stderr
        assert "  | " in ran.stderr, "the end of the log is shown"
        log = next(line.split("log: ")[1] for line in ran.stderr.splitlines() if "log: " in line)
        with open(log) as file:
            assert "no_such_thing" in file.read()
        assert f"run this step again: pinwheel reproduce build:{TAG}-plain" in ran.stderr
        assert extension.starts()[f"build:{TAG}-plain"] == 1
        assert extension.wheels() == {}

    def test_an_unsatisfiable_requirement_is_named_and_not_retried(self, script):
        script.edit(lambda matrix: matrix["environment"].update(pip=["setuptools==0.0.1"]))
        refused = script.run("build", "matrix.yaml", code=2)
        assert "setuptools==0.0.1" in refused.stderr and "hint:" in refused.stderr
        assert script.wheels() == {} and script.starts() == {}

    def test_a_backend_that_makes_a_different_version_is_refused(self, script):
        script.edit(options("--version", "9.9"))
        error = failing_step(script, "build:plain", "build", "matrix.yaml", code=5)
        assert "9.9" in error["message"] and "1.2.0" in error["message"] and "PINWHEEL_VERSION" in error["hint"]
        assert script.wheels() == {}

    def test_a_build_that_leaves_no_wheel_is_refused(self, script):
        script.edit(lambda matrix: matrix["build"].update(command=["python", "-c", "pass"]))
        error = failing_step(script, "build:plain", "build", "matrix.yaml", code=5)
        assert "wrote no `*.whl`" in error["message"] and "{dest_dir}" in error["hint"]
        assert script.wheels() == {}

    def test_a_build_that_leaves_two_wheels_is_refused(self, script):
        script.edit(options("--names", "script_only,another"))
        error = failing_step(script, "build:plain", "build", "matrix.yaml", code=5)
        assert "2 files" in error["message"]
        assert "script_only-1.2.0-py3-none-any.whl" in error["message"] and "another" in error["message"]
        assert script.wheels() == {}

    def test_a_missing_command_is_named(self, script):
        script.edit(lambda matrix: matrix["build"].update(command=["no-such-program", "{dest_dir}"]))
        ran = script.run("build", "matrix.yaml", code=4)
        assert "`no-such-program` is not on the build's PATH" in ran.stderr and "failed      build:plain" in ran.stderr
        assert script.starts()["build:plain"] == 1
        assert script.wheels() == {}

    def test_with_keep_going_the_other_tests_finish_after_a_failure(self, project):
        script = project("script")
        check = "import os, sys; print('the reason'); sys.exit(os.environ['SCRIPT_FLAVOR'] == 'loud')"
        script.edit(lambda matrix: matrix["test"].update(command=["python", "-c", check]))
        outcomes = script.report("release", "matrix.yaml", "--keep-going", code=1)
        states = {step: outcome["state"] for step, outcome in outcomes.items()}
        assert states[f"test:{TAG}-plain"] == "done" and states[f"test:{TAG}-loud"] == "failed"
        assert states["publish:index"] == "blocked"
        assert not script.index.exists() and len(script.wheels()) == 2
        again = script.run("test", "matrix.yaml", "--only", f"{TAG}-loud", code=1)
        assert "the reason" in again.stderr and f"pinwheel reproduce test:{TAG}-loud" in again.stderr

    def test_a_release_without_a_target_is_refused_before_anything_is_built(self, script):
        script.edit(lambda matrix: matrix["channels"].update(release={}))
        refused = script.run("release", "matrix.yaml", code=2)
        assert "the channel is `release`, since tag `v1.2.0` is on HEAD, and it publishes" in refused.stderr
        assert "`release: {publish: [index]}`" in refused.stderr and "--target" in refused.stderr
        assert script.starts() == {}

    def test_a_plan_without_a_target_is_not_released(self, script):
        script.edit(lambda matrix: matrix["channels"].pop("release"))
        script.run("plan", "matrix.yaml", "--out", "../plan.json")
        refused = script.run("release", "--plan", "../plan.json", code=2)
        assert "the plan was frozen in no channel, and has no target" in refused.stderr
        assert "channel with `--channel`" in refused.stderr
        script.run("plan", "matrix.yaml", "--channel", "ci", "--out", "../plan.json")
        script.run("release", "--plan", "../plan.json", "--dry-run")


class TestWheels:
    @pytest.fixture
    def wheel(self, script):
        script.run("build", "matrix.yaml")
        (name,) = script.wheels()
        return script, script.output / name

    @staticmethod
    def rewritten(wheel, change):
        """The wheel with one member's contents changed, under the same name."""
        with zipfile.ZipFile(wheel) as old:
            contents = {info: old.read(info) for info in old.infolist()}
        with zipfile.ZipFile(wheel, "w") as new:
            for info, data in contents.items():
                new.writestr(info, change(info.filename, data))

    def test_a_good_wheel_passes(self, wheel):
        script, path = wheel
        script.run("inspect", "--check", str(path))
        publish = ["publish", "--dry-run", "--repository-url", "https://index.example.org/legacy/"]
        assert path.name in script.run(*publish, str(path)).stdout

    def test_a_name_that_contradicts_the_metadata_is_named(self, wheel):
        script, path = wheel
        other = lambda name, data: data.replace(b"Version: 1.2.0", b"Version: 7.7.7") if "METADATA" in name else data
        self.rewritten(path, other)
        found = script.run("inspect", "--check", str(path), code=5)
        assert "7.7.7" in found.stdout and path.name in found.stdout
        publish = ["publish", "--dry-run", "--repository-url", "https://index.example.org/legacy/"]
        refused = script.run(*publish, str(path), code=5)
        assert "7.7.7" in refused.stderr and path.name in refused.stderr

    def test_contents_that_do_not_match_the_record_are_named(self, wheel):
        script, path = wheel
        self.rewritten(path, lambda name, data: data + b"# altered\n" if name.endswith(".py") else data)
        found = script.run("inspect", "--check", str(path), code=5)
        assert "script_only.py" in found.stdout and "record" in found.stdout.lower()

    @pytest.mark.parametrize("kept", [0, 1, 100, -1, -30])
    def test_a_truncated_wheel_is_refused(self, wheel, kept):
        script, path = wheel
        path.write_bytes(path.read_bytes()[:kept])
        found = script.run("inspect", "--check", str(path), code=5)
        assert path.name in found.stdout + found.stderr
        publish = ["publish", "--dry-run", "--repository-url", "https://index.example.org/legacy/"]
        refused = script.run(*publish, str(path), code=5)
        assert path.name in refused.stderr


class TestGates:
    def test_a_wheel_over_its_size_budget_never_reaches_the_output(self, script):
        script.edit(lambda matrix: matrix.update(checks={"after": [{"size": "10 KB"}]}))
        script.edit(options("--pad", "30000"))
        error = failing_step(script, "build:plain", "build", "matrix.yaml", code=5)
        violation, warning = (cause["message"] for cause in error["causes"])
        assert violation.startswith("[size]") and "limit of 10 KB" in violation
        assert warning.startswith("warning: [top-level]")
        assert script.wheels() == {}

    def test_the_same_wheel_passes_with_a_larger_budget(self, script):
        script.edit(lambda matrix: matrix.update(checks={"after": [{"size": "100 KB"}]}))
        script.edit(options("--pad", "30000"))
        script.run("build", "matrix.yaml")
        assert len(script.wheels()) == 1

    def test_an_unknown_check_is_refused(self, script):
        script.edit(lambda matrix: matrix.update(checks={"after": ["sizes"]}))
        refused = script.run("build", "matrix.yaml", code=2)
        assert "`sizes`" in refused.stderr
