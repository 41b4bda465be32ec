"""The messages of failures: under --quiet, past a limit, without a compiler, on a full disk."""

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
        output = script.run("build", "matrix.yaml", "-q", code=1).stderr
        assert output.startswith("failed ") and "build:plain" in output.splitlines()[0]
        assert "building `plain` failed: exit code 3" in output and "| why" in output
        log = next(line.split("log: ")[1] for line in output.splitlines() if "log: " in line)
        assert os.path.exists(log)
        for other in ("started", "steps", "reused"):
            assert other not in output

    def test_a_failed_test_is_reported_too_and_a_passed_run_is_silent(self, script):
        assert script.run("test", "matrix.yaml", "-q").stderr == ""
        script.edit(lambda matrix: matrix["test"].update(command=["python", "-c", "raise SystemExit(4)"]))
        output = script.run("test", "matrix.yaml", "-q", code=1).stderr
        assert f"test:{TAG}-plain" in output.splitlines()[0] and "exit code 4" in output and "log: " in output

    def test_a_quiet_run_in_json_has_the_event_of_the_failure(self, script):
        script.edit(fails_with(3))
        output = script.run("build", "matrix.yaml", "-q", "--log-format", "json", code=1).stderr.splitlines()
        assert len(output) == 1 and '"event":"step_finished"' in output[0] and '"failed"' in output[0]


class TestLimits:
    def test_a_build_past_its_limit_names_the_limit_and_the_key(self, script):
        script.edit(lambda matrix: matrix["build"].update(timeout="1s"))
        script.edit(lambda matrix: matrix["build"]["command"].extend(["--pause", "30"]))
        output = script.run("build", "matrix.yaml", code=1).stderr
        assert "building `plain` ran past its time limit of 1.0s, which `build.timeout` sets" in output
        assert "hint: raise `build.timeout`" in output

    def test_a_test_past_its_limit_names_its_own_key(self, script):
        sleep = ["python", "-c", "import time; time.sleep(30)"]
        script.edit(lambda matrix: matrix["test"].update(timeout="3s", command=sleep))
        output = script.run("test", "matrix.yaml", code=1).stderr
        assert "ran past its time limit of 3.0s, which `test.timeout` sets" in output


class TestTheMachine:
    def test_a_missing_compiler_is_named_with_its_package(self, project):
        extension = project("extension")
        extension.edit(lambda matrix: (matrix["axes"].update(flavor=["plain"]), matrix["checks"].update(before=[])))
        output = extension.run("build", "matrix.yaml", CC="no-such-gcc", code=4).stderr
        assert "there is no compiler `no-such-gcc`" in output
        assert "apt-get install gcc" in output and "`pinwheel doctor`" in output

    def test_a_disk_that_fills_up_while_an_environment_is_made_is_named(self, script, small_disk, tmp_path):
        # pip unpacks itself in the directory for temporary files.
        places = {"TMPDIR": str(small_disk), "PINWHEEL_CACHE_DIR": str(tmp_path / "cache")}
        output = script.run("build", "matrix.yaml", **places, code=4).stderr
        assert f"(the disk of `{small_disk}` has " in output and "hint: free space" in output

    def test_a_toolkit_that_cannot_be_had_is_one_warning(self, script):
        pythons = [PYTHON, "3.12" if PYTHON != "3.12" else "3.11"]
        script.edit(lambda matrix: matrix["axes"].update(python=pythons, compute=["cuda/11.4"]))
        script.edit(lambda matrix: matrix.pop("abi"))
        output = script.run("build", "matrix.yaml", "--dry-run", code=4).stderr
        assert output.count("warning: PyPI has no complete CUDA 11.4 toolkit") == 1


THROWS = """
#include <stdexcept>
struct Register {
  Register() { throw std::runtime_error("Tried to register an operator (demo::add) twice"); }
};
static Register at_load;
extern "C" void* PyInit_thrower() { return nullptr; }
"""


class TestReasons:
    """The first real error of the tool that failed, not of those that only pass its failure on."""

    @staticmethod
    def builds_by(command: str):
        def change(matrix):
            matrix["build"]["command"] = ["bash", "-c", command]

        return change

    @staticmethod
    def checks_by(command: str):
        def change(matrix):
            matrix["test"]["command"] = ["bash", "-c", command]

        return change

    @pytest.mark.parametrize(
        "command, reason",
        [
            (
                "echo 'int f() {{ return 1; }}' > a.cc && g++ -shared -fPIC a.cc -o a.so -lnosuchlibrary",
                "cannot find -lnosuchlibrary",
            ),
            (
                "echo 'int g(); int main() {{ return g(); }}' > a.cc && g++ a.cc -o a",
                "undefined reference to `g()'",
            ),
            (
                "printf '#include \"nosuch.h\"\\n' > a.cc && python -c \"import subprocess; "
                "subprocess.run(['g++', '-c', 'a.cc'], check=True)\"",
                "a.cc:1:10: fatal error: nosuch.h: No such file or directory",
            ),
            (
                "python -c \"import subprocess; subprocess.run(['sh', '-c', 'exit 3'], check=True)\" ; python -c 'import nosuch'",
                "ModuleNotFoundError: No module named 'nosuch'",
            ),
        ],
        ids=["library", "symbol", "header", "module"],
    )
    def test_a_build_names_what_its_tool_lacks(self, script, command, reason):
        script.edit(self.builds_by(command))
        output = script.run("build", "matrix.yaml", code=1).stderr
        line = next(line for line in output.splitlines() if "building `plain` failed: " in line)
        # Newer linkers add the error of the system.
        assert line.endswith((reason, f"{reason}: No such file or directory")), output

    def test_an_aborted_import_reports_the_message_of_the_process(self, script):
        (script.directory / "thrower.cc").write_text(THROWS)
        script.edit(
            self.checks_by(
                "g++ -shared -fPIC {package}/thrower.cc -o thrower.so && exec python -c 'import thrower'"
            )
        )
        output = script.run("test", "matrix.yaml", code=1).stderr
        assert "failed: std::runtime_error: Tried to register an operator (demo::add) twice (ended by signal 6)" in output

    def test_a_signal_without_words_comes_with_the_last_line(self, script):
        script.edit(self.checks_by("exec python -c 'import os; print(\"row 7\", flush=True); os.kill(os.getpid(), 11)'"))
        output = script.run("test", "matrix.yaml", code=1).stderr
        assert "failed: ended by signal 11 after the line `row 7`" in output

    def test_a_failed_test_says_its_exception(self, script):
        script.edit(self.checks_by("python -c 'raise ValueError(\"the table is empty\")'"))
        output = script.run("test", "matrix.yaml", code=1).stderr
        assert "failed: ValueError: the table is empty" in output
