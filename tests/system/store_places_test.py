"""Results that are shared through servers: two machines, and servers that fail in every way."""

import contextlib
import json
import pathlib
import shutil
import subprocess
import sys

import pytest
from conftest import digests
from dav_server import dav_server
from jobs import Jobs
from s3_server import BUCKET, s3_server

SERVER = pathlib.Path(__file__).parents[1] / "fakes/store_server.py"


@contextlib.contextmanager
def store_server(*arguments: str):
    """The address of a server of results, below a prefix."""
    server = subprocess.Popen(
        [sys.executable, SERVER, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        port = server.stdout.readline().split()[1]
        yield f"http://127.0.0.1:{port}/a/prefix"
    finally:
        server.stdin.close()
        server.wait()


@pytest.fixture
def jobs(project, tmp_path):
    return Jobs(project("script"), tmp_path / "jobs")


def states(report: dict, kind: str) -> set[str]:
    return {outcome["state"] for step, outcome in report.items() if step.startswith(kind)}


def check_two_machines(jobs: Jobs, place: str, **environment: str) -> None:
    """A second machine reuses the results of the first, with the same bytes."""
    first = jobs.job("first")
    report = first.report("test", "matrix.yaml", "--store", place, **environment)
    assert states(report, "build:") == {"done"}
    second = jobs.job("second")
    report = second.report("test", "matrix.yaml", "--store", place, **environment)
    assert states(report, "build:") == {"reused"} and states(report, "test:") == {"reused"}
    assert second.wheels() == first.wheels() != {}
    assert not any(step.startswith(("build:", "test:")) for step in second.starts())


def test_results_are_shared_through_a_server_with_the_rules_of_bazel_remote(jobs):
    with store_server("--token", "battery staple") as url:
        check_two_machines(jobs, url, PINWHEEL_STORE_TOKEN="battery staple")


def test_a_server_gets_the_credentials_that_netrc_has_for_it(jobs, tmp_path):
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password correct-horse\n")
    with store_server("--user", "me", "--password", "correct-horse") as url:
        check_two_machines(jobs, url, NETRC=str(netrc))
        netrc.write_text("machine cache.example.org login me password correct-horse\n")
        other = jobs.job("other").run("build", "matrix.yaml", "--store", url, NETRC=str(netrc))
        assert f"the store `{url}` could not be read: it answered 401" in other.stderr


def test_results_are_shared_through_a_server_of_plain_files(jobs):
    with store_server("--fault", "plain") as url:
        check_two_machines(jobs, url)


def test_results_are_shared_through_nginx_which_accepts_everything(jobs, tmp_path):
    with dav_server(tmp_path / "nginx") as url:
        check_two_machines(jobs, url)
        asked = [line.split('"')[1].split()[0] for line in (tmp_path / "nginx/access.log").read_text().splitlines()]
        assert set(asked) == {"GET", "HEAD", "PUT"}
        # It compares nothing, so readers do.
        for path in (tmp_path / "nginx/files/results/cas").iterdir():
            if path.read_bytes()[:2] == b"PK":
                path.write_bytes(path.read_bytes()[:-1] + b"x")
        third = jobs.job("third")
        ran = third.run("build", "matrix.yaml", "--store", url)
        assert f"the store `{url}` could not be read" in ran.stderr and third.wheels() != {}
        # The damaged blob was sent again.
        fourth = jobs.job("fourth")
        report = fourth.report("build", "matrix.yaml", "--store", url)
        assert states(report, "build:") == {"reused"} and fourth.wheels() == third.wheels()


def test_results_are_shared_through_a_bucket_that_checks_signatures(jobs):
    pytest.importorskip("moto")
    with s3_server() as variables:
        check_two_machines(jobs, f"s3://{BUCKET}/a+prefix", **variables)
        refused = jobs.job("refused").run(
            "build",
            "matrix.yaml",
            "--store",
            f"s3://{BUCKET}/a+prefix",
            **variables | {"AWS_SECRET_ACCESS_KEY": "wrong"},
        )
        assert "answered 403" in refused.stderr


@pytest.mark.takes(40)
@pytest.mark.parametrize(
    "fault", ["500", *(pytest.param(fault, marks=pytest.mark.stores) for fault in ("cut", "wrong", "long", "slow", "full"))]
)
def test_a_release_with_a_failing_server_is_correct_and_warns(jobs, tmp_path, fault):
    root = tmp_path / "root"
    clean = jobs.job("clean")
    with store_server("--root", str(root)) as url:
        clean.run("release", "matrix.yaml", "--store", url)
    served = root if fault != "full" else tmp_path / "empty"
    job = jobs.job("beside")
    with store_server("--root", str(served), "--fault", fault) as url:
        ran = job.run("release", "matrix.yaml", "--store", url)
    assert f"the store `{url}` could not be" in ran.stderr
    assert digests(job.index) == digests(clean.index) != {}


def test_a_store_is_counted_checked_cleaned_and_exported(jobs):
    job = jobs.job("local")
    job.run("build", "--plan", "plan.json", "--store", "local")

    def store(*arguments: str, code: int = 0):
        ran = subprocess.run(
            [job.binary, "store", *arguments],
            check=False,
            cwd=job.directory,
            env=job.environment,
            capture_output=True,
            text=True,
        )
        assert ran.returncode == code, ran.stderr
        return ran

    counted = json.loads(store("stat", "--json").stdout)
    assert counted["results"]["branch"] >= 2 and counted["bytes"] > 0
    store("verify")
    store("export", "--plan", "plan.json", "carried")
    other = jobs.job("other", job.directory / "carried")
    subprocess.run(
        [other.binary, "store", "import", "in"],
        cwd=other.directory,
        env=other.environment,
        check=True,
    )
    # Files that no option names would be source.
    shutil.rmtree(other.directory / "in")
    report = other.report("build", "--plan", "plan.json", "--store", "local")
    assert states(report, "build:") == {"reused"}
    assert json.loads(store("gc", "--json").stdout)["removed-results"] == 0
    assert (
        json.loads(store("gc", "--json", "--grace", "0s", "--size", "0", "--releases", "0").stdout)["kept-bytes"] == 0
    )
    assert json.loads(store("stat", "--json").stdout)["blobs"] == 0
    (blob,) = [path for path in (job.directory / "carried/cas").iterdir() if path.read_bytes()[:2] == b"PK"][:1]
    blob.chmod(0o644)
    blob.write_bytes(b"damaged")
    damaged = store("verify", "--store", "dir:carried", code=5)
    assert blob.name in damaged.stdout and "damaged" in damaged.stderr
