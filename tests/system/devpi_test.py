"""Publishing to a real devpi-server: uploads with credentials, releases, `status`, promotion, and what installers get."""

import itertools
import json
import os
import pathlib
import random
import subprocess

import pytest
from audited_index import sha256
from compiled_wheels import make_wheel as make_compiled
from index_servers import PASSWORD, USER, devpi_server
from indexes import pip_install, pip_installs, real_index
from publish_test import make_wheel

WHEEL = "demo_ops-1.0-py3-none-any.whl"


@pytest.fixture(scope="module")
def devpi(tmp_path_factory):
    with devpi_server(tmp_path_factory.mktemp("devpi") / "place") as server:
        yield server


@pytest.fixture(scope="module")
def numbers():
    return itertools.count()


@pytest.fixture
def index(devpi, numbers):
    """An index of the test's own."""
    return devpi.make_index(f"stage-{next(numbers)}")


@pytest.fixture
def wheel(tmp_path) -> pathlib.Path:
    directory = tmp_path / "dist"
    directory.mkdir()
    return make_wheel(directory)


@pytest.fixture
def pinwheel_run(pinwheel, tmp_path):
    """Runs pinwheel with the account of the index; the password must not appear anywhere."""

    def run(*arguments: str, code: int = 0, password: str = PASSWORD) -> subprocess.CompletedProcess:
        account = {"PINWHEEL_USER_INDEX": USER, "PINWHEEL_TOKEN_INDEX": password}
        places = {"HOME": str(tmp_path), "PINWHEEL_CACHE_DIR": str(tmp_path / "cache"), "NO_COLOR": "1"}
        command = [str(pinwheel), *map(str, arguments)]
        variables = {**os.environ, **places, **account}
        ran = subprocess.run(command, capture_output=True, text=True, env=variables, timeout=120)
        assert ran.returncode == code, ran.stdout + ran.stderr
        assert password not in ran.stdout + ran.stderr
        return ran

    return run


@pytest.fixture
def publish(pinwheel_run, index):
    def run(wheel: pathlib.Path, *options: str, **more) -> subprocess.CompletedProcess:
        place = ["--repository-url", index.upload, "--check-url", index.simple]
        return pinwheel_run("publish", wheel, *place, *options, **more)

    return run


@pytest.fixture
def released(project, index):
    """A project that was released to the index, and its environment with the account of the index."""
    script = project("script")
    target = {"kind": "index", "url": index.upload, "check-url": index.simple, "label": "local"}
    script.edit(lambda matrix: matrix.update(publish={"stage": target}, channels={"release": {"publish": ["stage"]}}))
    script.environment |= {"PINWHEEL_USER_STAGE": USER, "PINWHEEL_TOKEN_STAGE": PASSWORD}
    script.run("release", "matrix.yaml")
    return script


def uv_install(simple: str, place: pathlib.Path, *what: str) -> subprocess.CompletedProcess:
    uv = ["uv", "pip", "install", "--no-config", "--no-cache", "--quiet", "--target", str(place)]
    return subprocess.run([*uv, "--default-index", simple, *what], capture_output=True, text=True, timeout=120)


# Files


def test_a_file_is_sent_once_and_installed_by_pip_and_uv(publish, index, wheel, tmp_path):
    assert publish(wheel).stdout == f"{WHEEL} uploaded\n"
    assert index.page("demo-ops") == {WHEEL: sha256(wheel.read_bytes())}
    assert index.uploads() == 1
    again = publish(wheel)
    assert "identical" in again.stdout and index.uploads() == 1
    pip_installs(index.simple, tmp_path / "pip", "demo-ops==1.0")
    installed = uv_install(index.simple, tmp_path / "uv", "demo-ops==1.0")
    assert installed.returncode == 0, installed.stderr
    for place in ("pip", "uv"):
        assert (tmp_path / place / "demo_ops.py").read_text() == "VALUE = 42\n"


def test_other_bytes_under_the_same_name_are_refused_and_change_nothing(publish, index, wheel):
    publish(wheel)
    before = index.page("demo-ops")
    make_wheel(wheel.parent, salt="CHANGED = 1\n")
    error = publish(wheel, code=6).stderr
    assert f"`{WHEEL}` is in the index with different bytes" in error
    assert before[WHEEL] in error and sha256(wheel.read_bytes()) in error
    assert index.page("demo-ops") == before and index.uploads() == 1


def test_a_wrong_password_is_named_as_that(publish, index, wheel):
    error = publish(wheel, code=6, password="not-the-password").stderr
    assert "was not accepted" in error and "PINWHEEL_TOKEN_INDEX" in error
    assert index.uploads() == 1


def test_index_check_reads_its_pages_and_names_the_times_that_they_lack(publish, pinwheel_run, index, wheel):
    publish(wheel)
    machine = "cp311-manylinux_2_28_x86_64"
    report = json.loads(pinwheel_run("index", "check", index.simple, "--machine", machine, "--json").stdout)
    assert report["files"] == report["hashed"] == 1
    assert {finding["rule"] for finding in report["findings"]} == {"upload-time"}
    assert [choice["pip"]["file"] for choice in report["choices"]] == [WHEEL]
    old = ["--exclude-newer", "2100-01-01T00:00:00Z"]
    checked = pinwheel_run("index", "check", index.simple, "--machine", machine, *old, "--json")
    (choice,) = json.loads(checked.stdout)["choices"]
    assert choice["uv"]["file"] != WHEEL


def test_inspect_downloads_its_files_as_it_has_no_ranges(publish, pinwheel_run, index, tmp_path):
    data = random.Random(1).randbytes(1_000_000)
    files = {"demo_kit/__init__.py": b"", "demo_kit/first.npy": data, "demo_kit/tool": b"x", "demo_kit/last.npy": data[::-1]}
    wheel = make_compiled(tmp_path, files, "py3-none-any")
    publish(wheel)
    ran = pinwheel_run("inspect", "demo-kit==1.0", "--index", index.simple, "--json")
    assert ran.stdout == pinwheel_run("inspect", wheel, "--json").stdout
    assert "its server does not support range requests" in ran.stderr and "in 1 request\n" in ran.stderr


# Releases


def test_a_release_is_complete_and_is_not_sent_again(released, index):
    assert index.uploads() == 2
    assert set(index.page("script-only").values()) == set(released.wheels().values())
    assert "release 1.2.0 is complete" in released.run("status", "matrix.yaml", "--channel", "release").stderr
    released.start_afresh()
    again = released.report("release", "matrix.yaml")
    assert again["publish:stage"]["state"] == "done"
    assert index.uploads() == 2


def test_a_release_is_promoted_from_it_with_the_same_bytes(released, index, pinwheel_run, packages):
    record = released.output / "pinwheel-release.json"
    whence = ["--from", index.simple, "--record", record, "script-only==1.2.0", "--no-auth"]
    with real_index(packages) as url:
        pinwheel_run("publish", *whence, "--repository-url", url + "/")
    assert {path.name: sha256(path.read_bytes()) for path in packages.iterdir()} == index.page("script-only")


def test_a_release_is_promoted_through_it_after_an_install_test(project, index, packages, tmp_path):
    script = project("script")
    first = {"kind": "index", "url": index.upload, "check-url": index.simple, "label": "local"}
    with real_index(packages) as url:
        second = {"kind": "index", "url": url + "/", "label": "local", "auth": "none"}
        release = {"publish": ["final"], "through": "stage"}
        script.edit(
            lambda matrix: matrix.update(publish={"stage": first, "final": second}, channels={"release": release})
        )
        script.environment |= {"PINWHEEL_USER_STAGE": USER, "PINWHEEL_TOKEN_STAGE": PASSWORD}
        report = script.report("release", "matrix.yaml")
    installs = [outcome["state"] for step, outcome in report.items() if step.startswith("install:")]
    assert installs and set(installs) == {"done"}
    assert {path.name: sha256(path.read_bytes()) for path in packages.iterdir()} == index.page("script-only")


def test_pip_gets_nothing_from_an_index_that_has_nothing(devpi, tmp_path):
    empty = devpi.make_index("empty")
    assert pip_install(empty.simple, tmp_path / "place", "demo-ops").returncode != 0
