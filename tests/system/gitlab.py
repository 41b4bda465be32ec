"""The pipelines of a project, run by two programs that nobody here wrote: npm's `gitlab-ci-local`, each job in a
directory of its own, and PyPI's `gitlabci-local`."""

import pathlib
import shutil
import subprocess
import sys

from shared_cache import node_modules
from trace_processor import NODE

PACKAGE = "gitlab-ci-local@4.63.0"
GCIL = pathlib.Path(sys.executable).with_name("gitlabci-local")
# GitLab sets these in the child pipelines of a merge request, too.
MERGE_REQUEST = {"CI_MERGE_REQUEST_ID": "7", "CI_MERGE_REQUEST_IID": "3"}
EVENTS = {
    "ci": {"CI_PIPELINE_SOURCE": "merge_request_event"},
    "nightly": {"CI_PIPELINE_SOURCE": "schedule", "PINWHEEL_SCHEDULE": "nightly"},
    "release": {"CI_PIPELINE_SOURCE": "push", "CI_COMMIT_TAG": "v1.2.0"},
}


def node_program() -> pathlib.Path:
    """The entry of gitlab-ci-local."""
    return node_modules("gitlab", PACKAGE) / "gitlab-ci-local" / "src" / "index.js"


class Pipelines:
    """The pipelines of a project."""

    def __init__(self, project, place: pathlib.Path, matrix="matrix.yaml"):
        assert shutil.which("rsync"), "`rsync` is missing: scripts/packages test"
        self.project = project
        self.matrix = matrix
        self.artifacts = project.directory / ".gitlab-ci-local" / "artifacts"
        self.programs = place / "programs"
        self.programs.mkdir(parents=True)
        (self.programs / "pinwheel").symlink_to(project.binary)
        project.git("remote", "add", "origin", "git@gitlab.example:group/project.git")
        (project.directory / ".gitignore").write_text("/.gitlab-ci-local\n/.pinwheel\n/dist\n")
        self.generate()

    def generate(self, change=None) -> None:
        """Writes the pipelines of the matrix, first changed."""
        if change:
            self.project.edit(change)
        (self.project.directory / ".gitlab-ci.yml").unlink(missing_ok=True)
        self.project.run("ci", "generate", self.matrix, "--for", "gitlab")
        self.project.commit()

    def environment(self) -> dict[str, str]:
        return self.project.environment | {"PATH": f"{self.programs}:{self.project.environment['PATH']}"}

    def run(self, name: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
        """Runs gitlab-ci-local in the event of a workflow. All jobs have the variables of the environment, those of
        child pipelines too."""
        variables = [word for pair in EVENTS[name].items() for word in ("--variable", "=".join(pair))]
        if "CI_COMMIT_TAG" in EVENTS[name]:
            variables += ["--unset-variable", "CI_COMMIT_BRANCH"]
        return subprocess.run(
            [str(NODE), str(node_program()), "--shell-isolation", "--no-color",
             *variables, *arguments],
            cwd=self.project.directory, env=self.environment() | environment, capture_output=True, text=True, timeout=900)  # fmt: skip

    def results(self) -> list[str]:
        """The names of the results that jobs have uploaded, without the ids of the jobs."""
        found = self.artifacts.rglob("result-*")
        return sorted({path.name.rpartition("-")[0] for path in found if path.is_dir()})

    def indexes(self) -> list[pathlib.Path]:
        """The directory indexes that jobs have uploaded."""
        return list(self.artifacts.glob("*/.pinwheel-run/index/*"))
