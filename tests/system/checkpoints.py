"""Projects whose builds are stopped and continue: each command of ninja is slow, and writes a line to a file."""

import datetime
import json
import pathlib
import re
import subprocess
import time

import pytest

MESSAGE = "pinwheel: the build continues from checkpoint "


def seconds_of_build(report: dict[str, dict]) -> float:
    """How long the command of the only build ran."""
    trace = next(outcome["trace"][-1] for step, outcome in report.items() if step.startswith("build:"))
    start, end = (datetime.datetime.fromisoformat(trace[f"execution_{name}_timestamp"]) for name in ("start", "completed"))
    return (end - start).total_seconds()


class Stopped:
    """A project with a build that outlasts its run, and the file with a line for each command that has ended."""

    def __init__(self, project, counter: pathlib.Path, matrix: str = "matrix.yaml"):
        self.project = project
        self.matrix = matrix
        self.counter = counter
        self.gate = counter.parent / "gate"
        self.gate.touch()
        self.seconds = 0.0  # of the build that `whole` made

    def commands(self) -> list[str]:
        """The commands that have ended, in order."""
        return self.counter.read_text().split() if self.counter.exists() else []

    def log(self) -> str:
        """The log of the last attempt of the build."""
        logs = sorted(self.project.state.glob("logs/*/build-*.log"), key=lambda path: path.stat().st_mtime_ns)
        return logs[-1].read_text() if logs else ""

    def build(self, *arguments: str, code: int = 0) -> dict:
        return self.project.report("build", self.matrix, *arguments, code=code)

    def whole(self) -> dict[str, str]:
        """The wheels of an uninterrupted build. Nothing of it is left but the base environment."""
        self.seconds = seconds_of_build(self.build())
        wheels = self.project.wheels()
        assert len(wheels) == 1
        self.project.start_afresh()
        self.counter.unlink(missing_ok=True)
        return wheels

    def stop(self, *arguments: str) -> dict:
        """Stops a build that waits for the gate, after some of its commands; returns the outcome of the build."""
        self.gate.unlink(missing_ok=True)
        build = self.run_out_of_time(lambda ran: ran.returncode == 8 and self.commands(), "6 s", *arguments)
        self.gate.touch()
        return build

    def fail_for_time(self, why: str, *arguments: str) -> dict:
        """The error of a build that has no checkpoint when its time ends, for this reason."""
        build = self.run_out_of_time(lambda ran: ran.returncode == 1 and why in ran.stdout.lower(), "15 s", *arguments)
        return build["error"]

    def run_out_of_time(self, ends, first: str, *arguments: str) -> dict:
        """The outcome of a build that ends like this. On a busy machine, it may not come that far in a short time."""
        for limit in (first, "60 s", "240 s"):
            ran = subprocess.run(
                self.project.command("build", self.matrix, "--json", "--time-limit", limit, *arguments),
                cwd=self.project.directory,
                env=self.project.environment,
                capture_output=True,
                text=True,
            )
            if ends(ran):
                break
        else:
            pytest.fail(f"exit {ran.returncode}\n{ran.stdout}\n{ran.stderr}\n{self.log()}")
        outcomes = json.loads(ran.stdout)["outcomes"]
        return next(outcome for outcome in outcomes if outcome["id"].startswith("build:"))

    def kill_after(self, seconds: float, *arguments: str) -> int | None:
        """Kills a run after a time; returns its exit code if it has ended before."""
        run = subprocess.Popen(
            self.project.command("build", self.matrix, *arguments),
            cwd=self.project.directory,
            env=self.project.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            run.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            run.kill()
            run.communicate()
            return None
        return run.returncode

    def kill_after_checkpoint(self, *arguments: str, outputs: int = 1) -> None:
        """Kills a run as soon as its build has saved a checkpoint with so many outputs of commands."""
        run = subprocess.Popen(
            self.project.command("build", self.matrix, *arguments),
            cwd=self.project.directory,
            env=self.project.environment,
            stderr=subprocess.DEVNULL,
        )
        try:
            self.wait_for_checkpoint(run, outputs)
        finally:
            run.kill()
            run.wait()

    def saved(self) -> int:
        """How many outputs of commands the last checkpoint of the last attempt has; 0: it saved none."""
        found = re.findall(r"pinwheel: saved checkpoint \d+ with (\d+) outputs? of finished commands\n", self.log())
        return int(found[-1]) if found else 0

    def wait_for_checkpoint(self, run: subprocess.Popen, outputs: int = 1, seconds: float = 600) -> None:
        """Waits until a running build has saved a checkpoint with so many outputs of commands."""
        until = time.monotonic() + seconds
        while self.saved() < outputs:
            assert run.poll() is None and time.monotonic() < until, self.log()
            time.sleep(0.05)


def checkpoint(matrix: dict, every: str = "1 s", before: str = "1 s") -> None:
    matrix["axes"]["flavor"] = ["plain"]
    matrix["build"]["checkpoint"] = {"every": every, "before": before}
    matrix["build"]["timeout"] = "10 min"


def plain_ninja(project, counter: pathlib.Path, sources: int = 8, pause: float = 0.5, before: str = "") -> Stopped:
    """The wheel contains a text of each source, which ninja makes in `b`, one after the other. The third command and
    later ones wait until the file `gate` exists. Each command starts with `before`."""
    script = project("script")
    names = [f"t{number}" for number in range(sources)]
    for name in names:
        (script.directory / f"{name}.in").write_text(f"text of {name}\n" * 1000)
    # The output grows while its command runs, so a killed command leaves a part of it.
    rule = f"{before}head -c 100 $in > $out && sleep {pause} && tr a-z A-Z < $in > $out && echo $out >> {counter}"
    lines = ["rule text", f"  command = {rule}"]
    lines += ["rule late", f"  command = while [ ! -e {counter.parent}/gate ]; do sleep 0.05; done; {rule}"]
    lines += [f"build {name}.txt: {'text' if at < 2 else 'late'} ../{name}.in" for at, name in enumerate(names)]
    (script.directory / "commands.ninja").write_text("\n".join(lines) + "\n")
    files = " ".join(f"--file b/{name}.txt" for name in names)
    build = [
        "set -e",
        "cd {package}",
        "mkdir -p b",
        "cmp -s commands.ninja b/build.ninja || cp commands.ninja b/build.ninja",
        "ninja -C b -j1",
        f"exec python make_wheel.py {{dest_dir}} {files}",
    ]

    def change(matrix: dict) -> None:
        checkpoint(matrix)
        matrix["build"]["command"] = ["sh", "-c", "; ".join(build)]
        matrix["checks"] = {"accept": ["top-level", "odd-members", "platform-tag"]}

    script.edit(change)
    return Stopped(script, counter)
