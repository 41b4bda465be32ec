"""Jobs of one release, each with its own clone, state directory and output directory, as on other machines."""

import json
import pathlib
import shutil

from conftest import Project, outcomes_of

# The fields that may differ between two machines with the same outcome.
MACHINE_FIELDS = ("elapsed_ms", "installing_ms", "log", "attempts", "state", "trace", "reused_from")


class Jobs:
    """The jobs of a project's frozen plan. Results are passed in directories, like artifacts."""

    def __init__(
        self,
        project: Project,
        place: pathlib.Path,
        matrix: str = "matrix.yaml",
        index: str = "../index",
        options: tuple[str, ...] = (),  # of `plan`: a selection, an engine
    ):
        self.project = project
        self.place = place
        self.index = index
        self.own_caches = False  # as well; environments are then made in each job
        self.count = 0
        # A release of a part selects what its plan selects.
        self.selection = [part for at, one in enumerate(options) if one == "-s" for part in options[at : at + 2]]
        planner = self.job("plan")
        planner.run("plan", matrix, "--out", "plan.json", *options)
        self.plan = planner.directory / "plan.json"

    def job(self, name: str, *artifacts: pathlib.Path) -> Project:
        """A fresh machine. Its checkout has the plan, and the artifacts of other jobs below `in`."""
        self.count += 1
        home = self.place / f"{self.count}-{name.replace(':', '-')}"
        home.mkdir(parents=True)
        self.project.git("clone", "-q", str(self.project.directory), str(home / "checkout"))
        own = {"PINWHEEL_CACHE_DIR": str(home / "cache")} if self.own_caches else {}
        environment = self.project.environment | own
        job = Project(self.project.binary, home / "checkout", environment, self.place / "no-resolutions")
        job.patience = self.project.patience
        job.index = job.directory / self.index
        if name != "plan":
            shutil.copy(self.plan, job.directory / "plan.json")
        for artifact in artifacts:
            shutil.copytree(artifact, job.directory / "in", dirs_exist_ok=True)
        return job

    def rows(self, stage: str) -> list[dict]:
        """The rows of a stage, in order, as a workflow gets them."""
        job = self.job("rows")
        ran = job.run("plan", "--plan", "plan.json", "--format", "github", "--stage", stage)
        assert json.loads(ran.stdout)["chunks"] == 1
        return json.loads(ran.stdout)["include"]

    def build(self, step: str, **environment: str) -> tuple[Project, dict]:
        job = self.job(step)
        return job, job.report("build", "--plan", "plan.json", "--step", step, "--store", "dir:out", **environment)

    def test(self, step: str, *artifacts: pathlib.Path, **environment: str) -> tuple[Project, dict]:
        job = self.job(step, *artifacts)
        stores = ["--store", "dir:in,ro", "--store", "dir:out", "--reuse-only"]
        return job, job.report("test", "--plan", "plan.json", "--step", step, *stores, **environment)

    def make_all(self) -> tuple[dict[str, dict], list[pathlib.Path]]:
        """Builds and tests everything, each step in its own job: the outcomes of the steps, and the artifacts."""
        outcomes, artifacts = {}, {}
        for row in self.rows("build"):
            job, report = self.build(row["step"])
            outcomes |= report
            artifacts[row["step"]] = job.directory / "out"
        for row in self.rows("test"):
            job, report = self.test(row["step"], *(artifacts[need] for need in row["needs"]))
            assert [report[need]["state"] for need in row["needs"]] == ["reused"] * len(row["needs"])
            outcomes |= {step: outcome for step, outcome in report.items() if step not in outcomes}
            artifacts[row["step"]] = job.directory / "out"
        return outcomes, list(artifacts.values())

    def finish(self, *artifacts: pathlib.Path) -> Project:
        """A machine with all artifacts, where the gate holds and which publishes to each target."""
        job = self.job("publish", *artifacts)
        release = ["release", "--plan", "plan.json", "--store", "dir:in", "--reuse-only", *self.selection]
        assert "nothing was published" in job.run(*release, "--gate").stderr
        assert not job.index.exists()
        job.whole_run = job.whole_report(*release, "--target", "index")
        job.published = outcomes_of(job.whole_run)
        return job


def comparable_run(report: dict) -> dict:
    """The comparable part of a report: everything except outcomes and times."""
    fields = {name: value for name, value in report.items() if name not in ("outcomes", "elapsed_ms")}
    plan = report["run"]["plan"]
    packages = {request: json.loads(text) for request, text in plan["resolutions"].items()}
    assert packages and all(resolution.pop("at") for resolution in packages.values())
    return fields | {"run": report["run"] | {"plan": plan | {"resolutions": packages}}}


def comparable(outcome: dict) -> dict:
    """An outcome without what times, paths and machines decide."""
    fields = {name: value for name, value in outcome.items() if name not in MACHINE_FIELDS}
    outputs = outcome.get("outputs", [])
    return fields | {"outputs": [each | {"path": pathlib.Path(each["path"]).name} for each in outputs]}
