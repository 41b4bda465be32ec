"""Fixtures of the system tests: small projects in their own repositories, built by the real binary."""

import contextlib
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import pytest
import slurm_cluster
import yaml
from act_workflows import Workflows
from conda_channel import Channel, make_channel
from conda_oracle import CondaOracle
from dockerd import Dockerd
from shared_cache import cache_directory
from machine import Machine
from made_wheels import make_wheel
from podman_engine import Podman
from rattler_venv import ask, rattler_interpreter

PROJECTS = pathlib.Path(__file__).parent / "projects"
MATRICES = pathlib.Path(__file__).parent / "matrices"
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"


UPLOAD_TIME = re.compile(rb'"upload-time": "[^"]*"|data-upload-time="[^"]*"')


def digests(directory: pathlib.Path) -> dict[str, str]:
    """SHA-256 of every file below a directory, by relative path. The pages of an index are compared without their
    upload times, in which two publications of the same files differ."""
    return {
        str(path.relative_to(directory)): hashlib.sha256(
            UPLOAD_TIME.sub(b"", path.read_bytes()) if path.name.startswith("index.") else path.read_bytes()
        ).hexdigest()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


def outcomes_of(report: dict) -> dict[str, dict]:
    """The outcomes of a report, by step."""
    return {outcome["id"]: outcome for outcome in report["outcomes"]}


class Project:
    """A package in a git repository, with a state directory, an output directory and an index."""

    def __init__(self, binary: str, directory: pathlib.Path, environment: dict[str, str], resolutions: pathlib.Path):
        self.binary = binary
        self.directory = directory
        self.environment = environment
        self.state = directory.parent / (directory.name + "-state")
        self.output = directory.parent / (directory.name + "-dist")
        self.index = directory.parent / "index"
        self.resolutions = resolutions
        self.patience = 600
        self.start_afresh()

    def start_afresh(self) -> None:
        """An empty state that knows what pip resolved before, so that tests ask the network once."""
        shutil.rmtree(self.state, ignore_errors=True)
        shutil.rmtree(self.output, ignore_errors=True)
        self.state.mkdir()
        if self.resolutions.is_dir():
            shutil.copytree(self.resolutions, self.state / "resolutions", ignore=shutil.ignore_patterns(".*"))

    def share_resolutions(self) -> None:
        """Leaves what pip resolved to the projects that come after."""
        self.resolutions.mkdir(exist_ok=True)
        for file in (self.state / "resolutions").glob("*.json"):
            written = self.resolutions / f".{file.name}.{os.getpid()}"
            shutil.copy(file, written)
            written.replace(self.resolutions / file.name)

    def git(self, *arguments: str) -> str:
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"]
        ran = subprocess.run(
            ["git", *identity, *arguments],
            cwd=self.directory,
            env={**self.environment, "GIT_CONFIG_GLOBAL": "/dev/null"},
            check=True,
            capture_output=True,
            text=True,
        )
        return ran.stdout

    def commit(self) -> None:
        """Commits what changed, as version 1.2.0."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "change")
        self.git("tag", "-f", "v1.2.0")

    def edit(self, change) -> None:
        """Rewrites the matrix and commits it: `change` gets it as a dict."""
        path = self.directory / "matrix.yaml"
        matrix = yaml.safe_load(path.read_text())
        change(matrix)
        path.write_text(yaml.safe_dump(matrix, sort_keys=False))
        self.commit()

    def command(self, *arguments: str) -> list[str]:
        places = ["--state-dir", str(self.state), "--output-dir", str(self.output)]
        # Arguments after `--` belong to another program.
        end = arguments.index("--") if "--" in arguments else len(arguments)
        return [self.binary, *arguments[:end], *places, *arguments[end:]]

    def run(self, *arguments: str, code: int = 0, **environment: str) -> subprocess.CompletedProcess:
        ran = subprocess.run(
            self.command(*arguments),
            cwd=self.directory,
            env={**self.environment, **environment},
            capture_output=True,
            text=True,
            timeout=self.patience,
        )
        assert ran.returncode == code, f"exit {ran.returncode}, not {code}\n{ran.stdout}\n{ran.stderr}"
        return ran

    def whole_report(self, *arguments: str, code: int = 0, **environment: str) -> dict:
        ran = self.run(*arguments, "--json", code=code, **environment)
        report = json.loads(ran.stdout)
        assert report["schema"] == "pinwheel-report/2" and report["exit"] == code
        return report

    def report(self, *arguments: str, code: int = 0, **environment: str) -> dict[str, dict]:
        """The outcomes of a run, by step."""
        return outcomes_of(self.whole_report(*arguments, code=code, **environment))

    def wheels(self) -> dict[str, str]:
        """The files of the output directory by name, except the records of releases; an unexpected file shows as
        well."""
        found = digests(self.output) if self.output.is_dir() else {}
        for record in self.output.glob("pinwheel-release*.json"):
            found.pop(record.name)
        assert found.pop(".gitignore", None) in (None, hashlib.sha256(b"*\n").hexdigest())
        return found

    def journal(self) -> list[dict]:
        """The records of the journal, each of which must be a whole line of JSON."""
        path = self.state / "journal.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def starts(self) -> dict[str, int]:
        """How often each step was started."""
        count: dict[str, int] = {}
        for record in self.journal():
            if "started" in record:
                step = record["started"]["id"]
                count[step] = count.get(step, 0) + 1
        return count


@pytest.fixture(scope="session")
def shared(tmp_path_factory) -> pathlib.Path:
    """Base environments and what pip resolved, made once in a session by all workers of pytest-xdist."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return tmp_path_factory.mktemp("shared")
    directory = tmp_path_factory.getbasetemp().parent / "shared"
    directory.mkdir(exist_ok=True)
    return directory


def environment_of_projects(shared: pathlib.Path) -> dict[str, str]:
    """The variables of a user who set nothing for pinwheel or compilers, with the session's cache."""
    dropped = ("PINWHEEL_", "GITHUB_", "CI", "SOURCE_DATE_EPOCH", "CC", "CXX", "CFLAGS", "CXXFLAGS", "LDFLAGS")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(dropped)}
    return kept | {
        "PINWHEEL_CACHE_DIR": str(shared / "cache"),
        "GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z",
        "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z",
        "NO_COLOR": "1",
    }


@pytest.fixture(scope="session")
def make_project(pinwheel, shared):
    """A function that makes a project from one of `projects/` in a directory, tagged v1.2.0."""

    def make(kind: str, directory: pathlib.Path) -> Project:
        shutil.copytree(PROJECTS / kind, directory)
        one = Project(pinwheel, directory, environment_of_projects(shared), shared / "resolutions")
        one.git("init", "-q")
        one.edit(lambda matrix: matrix["axes"].update(python=[PYTHON]))
        return one

    return make


@pytest.fixture
def project(make_project, tmp_path):
    """A function that makes a project of a kind for one test; later tests have what it resolved."""
    made: list[Project] = []

    def make(kind: str, name: str = "work/project") -> Project:
        made.append(make_project(kind, tmp_path / name))
        return made[-1]

    yield make
    for one in made:
        one.share_resolutions()


@pytest.fixture
def script(project):
    """A project with two wheels, which a script writes."""
    return project("script")


@pytest.fixture
def workflows(script, tmp_path):
    """The workflows of this project, run by act."""
    return Workflows(script, tmp_path / "act")


@pytest.fixture
def packages(tmp_path) -> pathlib.Path:
    """An empty directory for the files of an index."""
    directory = tmp_path / "packages"
    directory.mkdir()
    return directory


@pytest.fixture
def wheels(tmp_path) -> pathlib.Path:
    """A directory with `spam` 1.0 and `eggs` 2.0, which no index has."""
    directory = tmp_path / "wheels"
    directory.mkdir()
    make_wheel(directory, "spam", "1.0")
    make_wheel(directory, "eggs", "2.0")
    return directory


@pytest.fixture(scope="session")
def dockerd():
    """A daemon that runs for the session. Where it cannot run a container, tests fail with its log; on a machine that
    nobody knows, PINWHEEL_TEST_CONTAINERS=optional has them skipped with that reason."""
    with contextlib.ExitStack() as at_end:
        try:
            daemon = Dockerd()
            at_end.callback(daemon.stop)
            daemon.start()
            daemon.run(daemon.import_bases()["bookworm"], "true")
        except (AssertionError, OSError, RuntimeError, subprocess.CalledProcessError) as error:
            if os.environ.get("PINWHEEL_TEST_CONTAINERS") != "optional":
                raise
            with contextlib.suppress(OSError, RuntimeError, subprocess.CalledProcessError):
                at_end.close()
            pytest.skip(f"this machine runs no containers: {error}")
        yield daemon


@pytest.fixture(scope="session")
def podman():
    """podman on a storage of the session's own."""
    engine = Podman()
    try:
        engine.start()
        yield engine
    finally:
        engine.stop()


@pytest.fixture(scope="session", params=["docker", pytest.param("podman", marks=pytest.mark.podman)])
def engine(request):
    """Either engine: a test that asks for it runs under both."""
    return request.getfixturevalue({"docker": "dockerd", "podman": "podman"}[request.param])


@pytest.fixture(scope="session")
def bases(engine) -> dict[str, str]:
    """The names of the base images in the engine, by Debian's suite."""
    return engine.import_bases()


@pytest.fixture(scope="session")
def machine(tmp_path_factory) -> Machine:
    """The settings by which pip reaches its mirror inside containers."""
    return Machine(tmp_path_factory.mktemp("machine"))


@pytest.fixture(scope="session")
def served_channel(tmp_path_factory):
    """The channel of `make_channel`, over HTTP on loopback."""
    channel = make_channel(tmp_path_factory.mktemp("channel"))
    with channel.serve():
        yield channel


@pytest.fixture
def channel(served_channel) -> Channel:
    """The channel, without the faults and requests of other tests."""
    with served_channel.quiet():
        yield served_channel


@pytest.fixture(scope="session")
def conda_oracle(tmp_path_factory) -> CondaOracle:
    """A genuine conda, as old as it is."""
    oracle = CondaOracle(tmp_path_factory.mktemp("conda"))
    oracle.install()
    return oracle


@pytest.fixture(scope="session")
def rattler_python() -> pathlib.Path:
    """The interpreter of a venv that has py-rattler."""
    return rattler_interpreter()


@pytest.fixture
def rattler(rattler_python, tmp_path):
    """A function that asks py-rattler to solve or install, with a package cache of the test's own."""

    def send(do: str, **request) -> dict:
        return ask(rattler_python, {"do": do, "cache": str(tmp_path / "rattler"), **request})

    return send


@pytest.fixture(scope="session")
def environments() -> pathlib.Path:
    """pinwheel's cache for the tests that are about what runs in an environment with torch, not about making it: each
    is there under the name of its contents, from whichever session."""
    return cache_directory("pinwheel")


@pytest.fixture(scope="session")
def compiler_cache(tmp_path_factory) -> dict[str, str]:
    """An environment in which the compilers that CMake looks for are ccache's. A build is at the same path in each
    session, so that it finds what an earlier one compiled."""
    programs = tmp_path_factory.mktemp("ccache")
    for name in ("cc", "c++", "gcc", "g++"):
        (programs / name).symlink_to(shutil.which("ccache"))
    return {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}


@pytest.fixture(scope="session")
def kernels_repository(root):
    """A function that puts the bundled kernels and one of `matrices/` into a repository, tagged v1.2.0."""

    def git(directory: pathlib.Path, *arguments: str) -> None:
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"]
        dates = {"GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z"}
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", **dates}
        subprocess.run(["git", *identity, *arguments], cwd=directory, env=environment, check=True, capture_output=True)

    def make(directory: pathlib.Path, matrix: str, *changes: tuple[str, str]) -> pathlib.Path:
        ignored = shutil.ignore_patterns("build", "dist", "__pycache__", ".*")
        shutil.copytree(root / "kernels", directory / "kernels", ignore=ignored)
        text = (MATRICES / matrix).read_text()
        for old, new in (("../../../kernels", "kernels"), *changes):
            assert old in text
            text = text.replace(old, new)
        (directory / "matrix.yaml").write_text(text)
        git(directory, "init", "-q")
        git(directory, "add", "-A")
        git(directory, "commit", "-q", "-m", "first")
        git(directory, "tag", "v1.2.0")
        return directory

    return make


@pytest.fixture
def kernels_project(pinwheel, kernels_repository, environments, shared, tmp_path):
    """A function that makes a project of the bundled kernels and one of `matrices/` for one test."""

    def make(matrix: str) -> Project:
        directory = kernels_repository(tmp_path / "kernels", matrix)
        variables = environment_of_projects(shared) | {"PINWHEEL_CACHE_DIR": str(environments)}
        return Project(pinwheel, directory, variables, shared / "resolutions")

    return make


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 2 MB."""
    if os.geteuid() != 0:
        pytest.skip("mounting a small file system needs root")
    place = tmp_path / "small"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place)], check=True)
    yield place
    subprocess.run(["umount", str(place)], check=True)


@pytest.fixture
def slurm():
    """A function that starts a Slurm cluster, with the arguments of `slurm_cluster.Cluster`, for one test."""
    with contextlib.ExitStack() as at_end:

        def make(**settings) -> slurm_cluster.Cluster:
            # A socket's path is short, and a directory of pytest is not.
            place = at_end.enter_context(tempfile.TemporaryDirectory(prefix="slurm-"))
            return at_end.enter_context(slurm_cluster.cluster(pathlib.Path(place) / "cluster", **settings))

        yield make


@pytest.fixture
def repair(pinwheel, environments, tmp_path):
    """A function that runs `repair`, and returns its report or, with another exit code, its words."""

    def run(wheel: pathlib.Path, *options: str, code: int = 0, cache: pathlib.Path = environments, **variables: str):
        place = () if "--out" in options else ("--out", tmp_path / "out")
        ran = subprocess.run(
            [pinwheel, "repair", wheel, "--json", *place, *options],
            env={**os.environ, "PINWHEEL_CACHE_DIR": str(cache), "NO_COLOR": "1", **variables},
            capture_output=True,
            text=True,
        )
        assert ran.returncode == code, ran.stdout + ran.stderr
        return json.loads(ran.stdout) if code == 0 else ran.stderr

    return run
