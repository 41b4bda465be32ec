"""pinwheel's directory index behind simple-repository-server, which reads its pages over HTTP and serves them as its
own, and judges them in that: pip, uv with a cooldown, and `index check` install the same files from there."""

import json
import os
import pathlib
import subprocess

import pytest
from index_servers import simple_repository
from indexes import pip_install, pip_installs, real_index
from simple_server import simple_server

MACHINE = "cp311-manylinux_2_28_x86_64"


@pytest.fixture(scope="module")
def released(make_project, tmp_path_factory):
    """A release in a directory index, which no test changes. Its wheel has no local version: the server quotes the `+`
    in the links of its source twice."""
    script = make_project("script", tmp_path_factory.mktemp("served") / "project")

    def change(matrix):
        matrix["axes"]["flavor"] = ["plain"]
        matrix["publish"]["index"].pop("label")

    script.edit(change)
    script.run("release", "matrix.yaml")
    return script


@pytest.fixture(scope="module")
def proxy(released, tmp_path_factory):
    """The simple API of simple-repository-server, whose source is the directory index as nginx serves it."""
    place = tmp_path_factory.mktemp("servers")
    with simple_server(released.index, place / "nginx") as url:
        with simple_repository(url, place / "proxy") as simple:
            yield simple


@pytest.fixture
def check(pinwheel, tmp_path):
    def run(place: str, *options: str) -> dict:
        variables = {**os.environ, "NO_COLOR": "1", "PINWHEEL_CACHE_DIR": str(tmp_path / "cache")}
        command = [pinwheel, "index", "check", str(place), "--machine", MACHINE, "--json", *options]
        ran = subprocess.run(command, capture_output=True, text=True, env=variables, timeout=120)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return json.loads(ran.stdout)

    return run


def uv_install(simple: str, place: pathlib.Path, *options: str) -> subprocess.CompletedProcess:
    uv = ["uv", "pip", "install", "--no-config", "--no-cache", "--quiet", "--target", str(place)]
    return subprocess.run(
        [*uv, "--default-index", simple, *options, "script-only==1.2.0"], capture_output=True, text=True, timeout=120
    )


def installed(place: pathlib.Path) -> str:
    return (place / "script_only.py").read_text()


def test_pip_and_uv_install_what_the_directory_has(proxy, released, tmp_path):
    pip_installs(released.index.as_uri() + "/", tmp_path / "directory", "script-only==1.2.0")
    pip_installs(proxy, tmp_path / "pip", "script-only==1.2.0")
    ran = uv_install(proxy, tmp_path / "uv")
    assert ran.returncode == 0, ran.stderr
    assert installed(tmp_path / "pip") == installed(tmp_path / "uv") == installed(tmp_path / "directory")


def test_a_cooldown_reads_the_upload_times_that_pinwheel_wrote(proxy, tmp_path):
    late = uv_install(proxy, tmp_path / "late", "--exclude-newer", "2100-01-01T00:00:00Z")
    assert late.returncode == 0, late.stderr
    early = uv_install(proxy, tmp_path / "early", "--exclude-newer", "2020-01-01T00:00:00Z")
    assert early.returncode != 0 and "script-only" in early.stderr
    pip_installs(proxy, tmp_path / "pip", "--uploaded-prior-to=2100-01-01T00:00:00Z", "script-only==1.2.0")
    refused = pip_install(proxy, tmp_path / "none", "--uploaded-prior-to=2020-01-01T00:00:00Z", "script-only==1.2.0")
    assert refused.returncode != 0


def test_index_check_finds_on_the_served_pages_what_it_finds_in_the_directory(proxy, released, check):
    served, directory = check(proxy), check(released.index)
    assert served["findings"] == directory["findings"] == []
    assert served["files"] == served["hashed"] + served["verified"] == 1
    (choice,) = served["choices"]
    assert choice["pip"]["file"] and choice in directory["choices"]


def test_a_release_is_promoted_from_the_served_pages(proxy, released, pinwheel, tmp_path, packages):
    variables = {**os.environ, "HOME": str(tmp_path), "PINWHEEL_CACHE_DIR": str(tmp_path / "cache"), "NO_COLOR": "1"}
    with real_index(packages) as url:
        whence = ["--from", proxy, "--record", str(released.output / "pinwheel-release.json"), "script-only==1.2.0"]
        command = [str(pinwheel), "publish", *whence, "--repository-url", url + "/", "--no-auth"]
        ran = subprocess.run(command, capture_output=True, text=True, env=variables, timeout=120)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (wheel,) = released.output.glob("*.whl")
    assert {path.name: path.read_bytes() for path in packages.iterdir()} == {wheel.name: wheel.read_bytes()}


def test_its_directory_of_files_serves_the_wheel_of_a_release_without_a_hash(released, check, tmp_path):
    source = tmp_path / "files" / "script-only"
    source.mkdir(parents=True)
    (wheel,) = released.output.glob("*.whl")
    (source / wheel.name).write_bytes(wheel.read_bytes())
    with simple_repository(str(tmp_path / "files"), tmp_path / "server") as simple:
        pip_installs(simple, tmp_path / "pip", "script-only==1.2.0")
        ran = uv_install(simple, tmp_path / "uv", "--exclude-newer", "2100-01-01T00:00:00Z")
        assert ran.returncode == 0, ran.stderr
        report = check(simple)
        assert {finding["rule"] for finding in report["findings"]} == {"no-hash"}
        assert [choice["pip"]["file"] for choice in report["choices"]] == [wheel.name]
