"""Workflows whose jobs run in a container (`ci.container`), which act starts on the tests' own daemon."""

import json
import platform
import re
import subprocess

import pytest
from act_workflows import Workflows
from bases import base_archive

SUITE = "bookworm"
IMAGE = f"pinwheel-test/ci:{SUITE}"
# The system libraries of a pinwheel from scripts/build; other projects' jobs install the wheel.
LIBRARIES = ("libcurl4", "libdeflate0", "libfmt9", "libgit2-1.5", "libisal2", "libsodium23", "libyaml-cpp0.7")
PACKAGES = ("python3-venv", *LIBRARIES)
PREPARE = "apt-get update -qq && apt-get install -y -qq --no-install-recommends git"
JOBS = ["plan", "build plain", "test cp311-plain", "pinwheel", "publish to index"]
IN_THE_IMAGE = "import pathlib\nassert pathlib.Path('/etc/of-the-image').exists()\n"

pytestmark = [
    pytest.mark.docker,
    pytest.mark.skipif(
        platform.freedesktop_os_release().get("VERSION_CODENAME") != SUITE,
        reason=f"the program under test takes libraries of this system, which is not {SUITE}",
    ),
]


class ContainedWorkflows(Workflows):
    """Their jobs see this machine by mounts: the program under test, the artifacts, and what pip and apt need."""

    def __init__(self, project, place, engine, machine):
        self.engine = engine
        self.machine = machine
        super().__init__(project, place)
        # The workspace of a job is at the path of the repository, and is not the repository.
        self.checkout = "/checkout"
        # A runner's user has the files, and the container's is root.
        checkout = place / "checkout" / "action.yml"
        checkout.write_text(checkout.read_text().replace("$PROJECT/.\" .", "$PROJECT/.\" . && chown -R 1001:1001 ."))
        assert "chown" in checkout.read_text()

    def adapted(self, workflow: str) -> str:
        """act has options for mounts, and gives them to no job that names its container."""
        places = {
            str(self.place): f"{self.place}",
            str(self.project.directory): "/checkout:ro",
            self.project.binary: f"{self.project.binary}:ro",
            f"{self.place}/programs/pinwheel": "/usr/local/bin/pinwheel:ro",
        } | {outside: f"{inside}:ro" for outside, inside in self.machine.volumes().items()}
        volumes = [f"{outside}:{inside}" for outside, inside in places.items()]
        container = json.dumps({"image": IMAGE, "volumes": volumes, "env": self.machine.environment()})
        line = f'container: "{IMAGE}" # zizmor: ignore[unpinned-images]'
        assert workflow.count(line) == workflow.count("runs-on:") > 0
        return super().adapted(workflow).replace(line, f"container: {container}")

    def environment(self) -> dict[str, str]:
        return super().environment() | self.engine.variables()

    def run(self, name: str, event: str = "workflow_dispatch", *arguments: str) -> subprocess.CompletedProcess:
        return super().run(name, event, "--pull=false", "--rm", "--container-daemon-socket", "-", *arguments)


@pytest.fixture(scope="module")
def image(dockerd, tmp_path_factory) -> str:
    """Debian with a Python and without git, and a file that this machine does not have."""
    dockerd.call("import", str(base_archive(SUITE, packages=PACKAGES)), f"{IMAGE}-base")
    place = tmp_path_factory.mktemp("image")
    (place / "Dockerfile").write_text(f"FROM {IMAGE}-base\nRUN touch /etc/of-the-image\n")
    dockerd.build("--tag", IMAGE, str(place))
    return IMAGE


@pytest.fixture
def workflows(project, dockerd, machine, image, tmp_path):
    """A function that makes the workflows of a script whose jobs are prepared by a command."""

    def make(prepare: str) -> ContainedWorkflows:
        script = project("script")
        for name in ("make_wheel.py", "tests/check.py"):
            path = script.directory / name
            path.write_text(IN_THE_IMAGE + path.read_text())

        def change(matrix):
            matrix["axes"].update(python=["3.11"], flavor=["plain"])
            matrix["ci"] = {"container": {"image": image, "prepare": prepare}}

        script.edit(change)
        return ContainedWorkflows(script, tmp_path / "act", dockerd, machine)

    return make


def outputs_of(ran: subprocess.CompletedProcess) -> dict[str, str]:
    """The output of each job."""
    lines: dict[str, list[str]] = {}
    for line in ran.stdout.splitlines():
        if named := re.match(r"\[pinwheel-\w+/([^\]]*?)(?:-1)?\s*\]", line):
            lines.setdefault(named[1], []).append(line)
    return {name: "\n".join(each) for name, each in lines.items()}


@pytest.mark.workflows
@pytest.mark.takes(120)
def test_the_jobs_of_a_release_run_in_the_container_and_publish(workflows, dockerd):
    contained = workflows(PREPARE)
    ran = contained.run("release", "push")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    jobs = outputs_of(ran)
    assert sorted(jobs) == sorted(JOBS)
    for name, text in jobs.items():
        assert f"Start image={IMAGE}" in text and "Success - Main Prepare the container" in text, name
    assert contained.results() == ["result-build-plain-1", "result-test-cp311-plain-1"]
    (index,) = contained.indexes()
    assert [path.name for path in index.rglob("*.whl")] == ["script_only-1.2.0+plain-py3-none-any.whl"]
    assert dockerd.containers() == []


@pytest.mark.takes(20)
def test_a_container_that_cannot_be_prepared_ends_its_job_there(workflows, dockerd):
    contained = workflows("echo there is no mirror && exit 7")
    ran = contained.run("release", "push")
    assert ran.returncode != 0
    jobs = outputs_of(ran)
    # act reads the matrix of a build before its condition, and ends where GitHub skips the job and starts the gate.
    assert list(jobs) == ["plan"]
    assert "there is no mirror" in jobs["plan"] and "exitcode '7'" in jobs["plan"] and "Job failed" in jobs["plan"]
    assert re.findall(r"Run Main (.*)", jobs["plan"]) == ["Prepare the container"]
    assert list(contained.artifacts.iterdir()) == []
    assert dockerd.containers() == []
