"""`pinwheel env shell`: a shell where a build or a test of the variant would run."""

import errno
import json
import os
import pty
import select
import signal
import subprocess
import time

import pytest
from conftest import PYTHON
from contained import in_bullseye

TAG = "cp" + PYTHON.replace(".", "")
PRINT_STATE = "import json, os; print(json.dumps([dict(os.environ), os.getcwd()]))"


@pytest.fixture
def script(project):
    return project("script")


RECORD = "CCACHE_STATSLOG"  # makes ccache record the hits of a build


def shell_state(script, *arguments: str) -> list:
    """The variables and working directory of a command in the environment."""
    return json.loads(script.run("env", "shell", "matrix.yaml", *arguments, "--", "python", "-c", PRINT_STATE).stdout)


def variables_of_the_build(script) -> list:
    """The same for the build's own command."""
    write_state = f"import pathlib; {PRINT_STATE.replace('print(', 'pathlib.Path(os.environ[chr(79)]).write_text(')}"
    script.edit(lambda matrix: matrix["build"].update(command=["python", "-c", write_state]))
    path = script.directory.parent / "told.json"
    script.edit(lambda matrix: matrix["environment"]["variables"].update(O=str(path)))
    script.run("build", "matrix.yaml", "--only", f"{TAG}-plain", code=5)  # it makes no wheel
    return json.loads(path.read_text())


def leftovers(script) -> list:
    return list((script.state / "shells").glob("*"))


def test_a_command_has_the_variables_and_directory_of_the_build(script):
    built = variables_of_the_build(script)
    del built[0][RECORD]
    assert shell_state(script, f"{TAG}-plain") == built
    assert built[0]["SCRIPT_FLAVOR"] == "plain" and "PINWHEEL_VERSION" in built[0]


def test_the_exit_code_is_the_commands_and_nothing_is_left_behind(script):
    before = script.git("status", "--porcelain")
    script.run("env", "shell", "matrix.yaml", f"{TAG}-plain", "--", "sh", "-c", "echo made > new; test -f make_wheel.py && exit 7", code=7)
    script.run("env", "shell", "matrix.yaml", f"{TAG}-plain", "--", "sh", "-c", "kill -TERM $$", code=128 + signal.SIGTERM)
    assert leftovers(script) == []
    assert script.git("status", "--porcelain") == before
    assert script.starts() == {}, "a shell is not a run"


def test_input_and_output_are_the_callers(script):
    ran = subprocess.run(
        script.command("env", "shell", "matrix.yaml", f"{TAG}-plain"),
        cwd=script.directory, env=script.environment, input="basename $PWD\nexit 3\n", capture_output=True, text=True,
    )  # fmt: skip
    assert (ran.returncode, ran.stdout) == (3, "src\n"), ran.stderr
    assert "the step runs: python" in ran.stderr


def test_a_missing_program_is_named(script):
    command = script.command("env", "shell", "matrix.yaml", f"{TAG}-plain", "--", "no-such-program")
    ran = subprocess.run(command, cwd=script.directory, env=script.environment, capture_output=True, text=True)
    # In a mount namespace its shell reports this, otherwise pinwheel does.
    assert ran.returncode in (4, 127) and "no-such-program" in ran.stderr


def test_the_test_environment_has_the_wheel_once_it_is_built(script):
    imports = ["--", "python", "-c", "import script_only; print(script_only.__file__)"]
    first = script.run("env", "shell", "matrix.yaml", "--test", f"{TAG}-plain", *imports, code=1)
    assert "no wheel of" in first.stderr and "ModuleNotFoundError" in first.stderr
    script.run("build", "matrix.yaml")
    assert "overlay" in script.run("env", "shell", "matrix.yaml", "--test", f"{TAG}-plain", *imports).stdout


def test_the_nearest_id_is_suggested_for_an_unknown_one(script):
    ran = script.run("env", "shell", "matrix.yaml", f"{TAG}-plane", "--", "true", code=2)
    assert f"has no variant or build `{TAG}-plane`" in ran.stderr and f"`{TAG}-plain`" in ran.stderr


class Typed:
    """A user at a terminal."""

    def __init__(self, script, *arguments: str):
        self.seen = ""
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(script.directory)
            os.execve(script.binary, script.command("env", "shell", "matrix.yaml", *arguments), {**script.environment, "TERM": "dumb"})

    def read(self, seconds: float) -> bool:
        if not select.select([self.terminal], [], [], seconds)[0]:
            return True
        try:
            text = os.read(self.terminal, 4096).decode()
        except OSError as error:  # a terminal reports this after its last program has exited
            assert error.errno == errno.EIO
            return False
        self.seen += text
        return bool(text)

    def expect(self, text: str, seconds: float = 600) -> None:
        limit = time.monotonic() + seconds
        while text not in self.seen:
            assert time.monotonic() < limit and self.read(1), f"{text!r} is not in {self.seen!r}"
        self.seen = self.seen.split(text, 1)[1]

    def type(self, text: str) -> None:
        os.write(self.terminal, text.encode())

    def end(self) -> int:
        while self.read(60):
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def converse(person: Typed, prompt: str) -> None:
    """A prompt with the step's id, Ctrl-C that stops the command and not the shell, jobs, and the exit code."""
    person.expect(prompt)
    person.type("echo $((6 * 7)) && tty\n")
    person.expect("42")
    person.expect("/dev/pts/")
    person.type("sleep 600\n")
    time.sleep(2)
    person.type("\x03")
    person.expect(prompt)
    person.type("sleep 600 & jobs; kill %1\n")
    person.expect("sleep 600")
    person.type("exit 5\n")
    assert person.end() == 5


def test_at_a_terminal_it_is_a_shell_with_job_control(script):
    converse(Typed(script, f"{TAG}-plain"), f"[{TAG}-plain] ")
    assert leftovers(script) == []


def test_terminating_pinwheel_terminates_the_command(script):
    script.run("env", "shell", "matrix.yaml", f"{TAG}-plain", "--", "true")
    run = subprocess.Popen(
        script.command("env", "shell", "matrix.yaml", f"{TAG}-plain", "--", "sh", "-c", "echo $$; exec sleep 600"),
        cwd=script.directory, env=script.environment, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    pid = int(run.stdout.readline())
    run.terminate()
    assert run.wait(30) == 128 + signal.SIGTERM
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert leftovers(script) == []


@pytest.mark.docker
class TestInContainers:
    @pytest.fixture
    def contained(self, project, engine, bases):
        return in_bullseye(project, engine, bases)

    def test_a_command_has_the_variables_and_directory_of_the_build(self, contained, engine):
        write_state = "import json, os; print('told', json.dumps([dict(os.environ), os.getcwd()]))"
        contained.edit(lambda matrix: matrix["build"].update(command=["python", "-c", write_state]))
        contained.run("build", "matrix.yaml", *contained.levels, code=5)
        log = contained.run("logs", "build:plain").stdout
        built = json.loads(next(line for line in log.splitlines() if line.startswith("told ")).removeprefix("told "))
        ran = contained.run("env", "shell", "matrix.yaml", "cp39-plain", *contained.levels, "--", "python", "-c",
                            write_state)
        visited = json.loads(ran.stdout.removeprefix("told "))
        for variables, _ in (built, visited):
            del variables["HOSTNAME"]  # each container has its own
        del built[0][RECORD]
        assert visited == built
        assert engine.containers() == []

    def test_the_exit_code_is_the_commands_and_no_container_is_left_behind(self, contained, engine):
        inside = ["--", "sh", "-c", ". /etc/os-release; test $VERSION_CODENAME = bullseye && exit 9"]
        contained.run("env", "shell", "matrix.yaml", "cp39-plain", *contained.levels, *inside, code=9)
        contained.run("env", "shell", "matrix.yaml", "cp39-plain", "--test", *contained.levels, *inside, code=9)
        assert engine.containers() == []

    def test_at_a_terminal_it_is_a_shell_with_job_control(self, contained, engine):
        person = Typed(contained, "cp39-plain", *contained.levels)
        converse(person, f"[cp39-plain {engine.name}] ")
        assert engine.containers() == [] and leftovers(contained) == []

    def test_an_interrupted_command_leaves_no_container(self, contained, engine):
        run = subprocess.Popen(
            contained.command("env", "shell", "matrix.yaml", "cp39-plain", *contained.levels, "--", "sh", "-c", "echo up; exec sleep 600"),
            cwd=contained.directory, env=contained.environment, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert run.stdout.readline() == "up\n"
        run.send_signal(signal.SIGINT)
        assert run.wait(60) != 0
        assert engine.containers() == []
