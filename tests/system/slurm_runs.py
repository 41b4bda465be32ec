"""Runs of a project on a Slurm cluster on loopback, with a store and a directory of jobs that all nodes share."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess

import processes
import slurm_cluster
import yaml
from conftest import Project, outcomes_of

SETTINGS = {"memory": "400 MiB", "time": "5 min", "cores": 1}


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
            command, cwd=self.project.directory, env=variables, capture_output=True, text=True, timeout=300
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

    def kill_after(self, seconds: float, *arguments: str) -> bool:
        """Starts a run and kills it with SIGKILL after this time; whether it had not ended before."""
        with self.started(*arguments) as run:
            with contextlib.suppress(subprocess.TimeoutExpired):
                run.wait(seconds)
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

    def submissions(self) -> int:
        return len(list((self.shared / "slurm").glob("*/scripts/*")))

    def check_nothing_left(self) -> None:
        """No job waits or runs, and no program of one."""
        self.cluster.wait_until_idle()
        assert processes.wait_for_none(str(self.shared)) == []
