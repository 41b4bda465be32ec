"""Runs of a project on a Slurm cluster on loopback, with a store and a directory of jobs that all nodes share."""

import collections
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import time
from collections.abc import Callable

import processes
import slurm_cluster
import yaml
from conftest import Project, outcomes_of

SETTINGS = {"memory": "400 MiB", "time": "5 min", "cores": 1}
# Runs a script of the project after it has recorded the start of the step.
STARTER = """import os, runpy, sys, time

file, kind, *sys.argv = sys.argv[1:]
with open(file, "a") as starts:
    starts.write(f"{time.time_ns()} {kind}:{os.environ['SCRIPT_FLAVOR']}\\n")
if sys.argv[0].endswith(".py"):
    runpy.run_path(sys.argv[0], run_name="__main__")
else:
    os.execvp(sys.argv[0], sys.argv)
"""


def without_tag(step: str) -> str:
    """"test:plain" of "test:cp311-plain"."""
    return re.sub(r":cp\d+-", ":", step)


class SlurmRuns:
    """A project, its cluster, and the settings of the user."""

    def __init__(self, project: Project, cluster: slurm_cluster.Cluster, place: pathlib.Path, **settings):
        self.project = project
        self.cluster = cluster
        self.store = place / "store"
        self.place = place
        self.shared = pathlib.Path(settings.get("shared", place / "shared"))
        self.settings = place / "config" / "pinwheel" / "config.yaml"
        for directory in (self.shared, self.settings.parent):
            directory.mkdir(parents=True, exist_ok=True)
        self.set(**settings)
        self.record_starts()

    def record_starts(self) -> None:
        """Changes the project so that each build and each test, in whichever job, first appends a line to a file."""
        (self.project.directory / "start.py").write_text(STARTER)

        def change(matrix: dict) -> None:
            for kind in ("build", "test"):
                command = matrix[kind]["command"]
                words = command[1:] if command[0] == "python" else command
                matrix[kind]["command"] = ["python", "{package}/start.py", str(self.place / "starts"), kind, *words]

        self.project.edit(change)

    def hold_builds(self) -> Callable[[], None]:
        """Changes the project so that builds end only after a call of the function that this returns."""
        allowed = self.place / "allowed"
        maker = self.project.directory / "make_wheel.py"
        wait = f"import os, time\n\nwhile not os.path.exists({str(allowed)!r}):\n    time.sleep(0.1)\n"
        maker.write_text(wait + maker.read_text())
        self.project.edit(lambda matrix: matrix["build"].update(timeout="20 min"))
        return allowed.touch

    def set(self, **settings) -> None:
        slurm = SETTINGS | {"shared": str(self.shared)} | settings
        self.settings.write_text(yaml.safe_dump({"executor": {"slurm": slurm}}))

    def arguments(self, *arguments: str) -> list[str]:
        return [*arguments, "--executor", "slurm", "--store", f"dir:{self.store}"]

    @property
    def environment(self) -> dict[str, str]:
        return self.cluster.variables | {
            "XDG_CONFIG_HOME": str(self.settings.parent.parent),
            "PINWHEEL_SLURM_GRACE": "6s",
        }

    def run(self, *arguments: str, code: int | None = 0, **environment: str) -> subprocess.CompletedProcess:
        """`code`: the expected exit code; None: any."""
        command = self.project.command(*self.arguments(*arguments))
        variables = {**self.project.environment, **self.environment, **environment}
        ran = subprocess.run(
            command, cwd=self.project.directory, env=variables, capture_output=True, text=True, timeout=600
        )
        assert code in (None, ran.returncode), f"exit {ran.returncode}, not {code}\n{ran.stdout}\n{ran.stderr}"
        return ran

    def whole_report(self, *arguments: str, code: int = 0, **environment: str) -> dict:
        return json.loads(self.run(*arguments, "--json", code=code, **environment).stdout)

    def report(self, *arguments: str, code: int = 0, **environment: str) -> dict[str, dict]:
        return outcomes_of(self.whole_report(*arguments, code=code, **environment))

    @contextlib.contextmanager
    def started(self, *arguments: str, project: Project | None = None, **environment: str):
        """A run in the background."""
        run = subprocess.Popen(
            (project or self.project).command(*self.arguments(*arguments)),
            cwd=self.project.directory,
            env={**self.project.environment, **self.environment, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        try:
            yield run
        finally:
            if run.poll() is None:
                run.kill()
            run.communicate()

    def kill_at(self, events: int, seconds: float, *arguments: str) -> bool:
        """Starts a run and kills it with SIGKILL when it and its jobs have made so many files of the directory of jobs, or
        after this time; whether it had not ended before."""
        goal = self.progress() + events
        with self.started(*arguments) as run:
            limit = time.monotonic() + seconds
            while run.poll() is None and self.progress() < goal and time.monotonic() < limit:
                time.sleep(0.001)
            alive = run.poll() is None
            if alive:
                os.kill(run.pid, signal.SIGKILL)
                run.wait()
            return alive

    # Of the directory of jobs.

    @property
    def directory(self) -> pathlib.Path:
        (directory,) = (self.shared / "slurm").iterdir()
        return directory

    def results(self) -> list[dict]:
        paths = sorted((self.shared / "slurm").glob("*/results/*.json"))
        return [json.loads(path.read_text()) for path in paths]

    def done(self) -> dict[str, int]:
        """How many jobs finished each step with success, instead of finding its result."""
        count: dict[str, int] = {}
        for result in self.results():
            for outcome in (result["report"] or {"outcomes": []})["outcomes"]:
                if outcome["state"] == "done" and not outcome["id"].startswith(("env:", "toolkit:")):
                    count[outcome["id"]] = count.get(outcome["id"], 0) + 1
        return count

    def progress(self) -> int:
        """How many claims, scripts and results there are, and the plan."""
        patterns = ("plan.json", "tokens/*", "scripts/*.sh", "results/*.json")
        return sum(len(list((self.shared / "slurm").glob(f"*/{pattern}"))) for pattern in patterns)

    def submissions(self) -> int:
        return len(list((self.shared / "slurm").glob("*/scripts/*")))

    def all_starts(self) -> list[tuple[str, int]]:
        """Each start of a build or a test: the step, without the tag of its Python, and when, in nanoseconds."""
        file = self.place / "starts"
        lines = [line.split() for line in file.read_text().splitlines()] if file.exists() else []
        return [(step, int(moment)) for moment, step in lines]

    def starts(self) -> dict[str, int]:
        """How often each step was started."""
        return dict(collections.Counter(step for step, _ in self.all_starts()))

    def check_finished_once(self, steps: list[str]) -> None:
        """Each of the steps succeeded in one job, nothing started it after that, and no job is left."""
        assert self.done() == dict.fromkeys(steps, 1)
        finished: dict[str, int] = {}
        for path in (self.shared / "slurm").glob("*/results/*.json"):
            for outcome in (json.loads(path.read_text())["report"] or {"outcomes": []})["outcomes"]:
                if outcome["state"] == "done":
                    finished[without_tag(outcome["id"])] = path.stat().st_mtime_ns
        again = [step for step, moment in self.all_starts() if moment > finished.get(step, moment)]
        assert again == [], "steps that started again after they had finished"
        self.check_nothing_left()

    def check_nothing_left(self) -> None:
        """No job waits or runs, and no program of one."""
        self.cluster.wait_until_idle()
        assert processes.wait_for_none(str(self.shared)) == []
