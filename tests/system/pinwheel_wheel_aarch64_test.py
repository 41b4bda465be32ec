"""The wheel of pinwheel itself for aarch64, built and tested by pinwheel under emulation as a runner of that kind does."""

import pathlib

import pytest
from bases import base_archive
from emulation import emulated, native_compiler
from pinwheel_wheels import (
    MATRIX,
    ROOT,
    assert_auditwheel_agrees_on_its_tag,
    assert_small_and_for_old_systems,
    clone_below,
    output,
    version_of,
)

pytestmark = [pytest.mark.wheel, pytest.mark.docker, pytest.mark.arm64]

MACHINE = "aarch64"
# The first one is made by pip, where a runner installs the last release.
BUILD = """
set -eu
apt-get update -qq
git clone -q /clone /checkout
cd /checkout
scripts/packages wheel
python3 -m venv /venv
export PATH=/venv/bin:$PATH
pip install -q scikit-build-core setuptools-scm certifi ziglang
PINWHEEL_STATIC=ON CMAKE_CXX_COMPILER_LAUNCHER=ccache pip install -q --no-build-isolation --no-deps .
pinwheel test matrix/pinwheel.yaml --select arch=aarch64 --output-dir /out
"""
USE = """
set -eu
python3 -m venv /venv
/venv/bin/pip install -q --no-index --disable-pip-version-check /wheels/*.whl
export PATH=/venv/bin:$PATH
pinwheel --version
git clone -q /clone /checkout
cd /checkout
pinwheel plan matrix/pinwheel.yaml --format ids --select arch=aarch64
"""


def packages() -> tuple[str, ...]:
    """The packages that scripts/packages installs for the wheel."""
    lines = [line.split() for line in (ROOT / "scripts" / "packages.txt").read_text().splitlines() if line[:1] != "#"]
    return tuple(name for name, tier, *_ in lines if tier in ("build", "wheel"))


@pytest.fixture(scope="module")
def clone(tmp_path_factory) -> pathlib.Path:
    return clone_below(tmp_path_factory.mktemp("clone"))


def run_on(dockerd, machine, suite: str, contents: tuple[str, ...], script: str, *mounts: str) -> str:
    image = f"pinwheel-test/debian:{suite}-{MACHINE}-{len(contents)}"
    with emulated(MACHINE):
        dockerd.call("import", str(base_archive(suite, MACHINE, contents)), image)
        volumes = [word for mount in mounts for word in ("--volume", mount)]
        ran = dockerd.run(*volumes, *machine.run_arguments(), image, "sh", "-c", script, check=False)
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-8000:]
    return ran.stdout


@pytest.fixture(scope="module")
def wheel(dockerd, machine, clone, tmp_path_factory) -> pathlib.Path:
    place = tmp_path_factory.mktemp("dist")
    compiler = [f"{outside}:{inside}:ro" for outside, inside in native_compiler(MACHINE).items()]
    run_on(dockerd, machine, "bookworm", packages(), BUILD, f"{clone}:/clone:ro", f"{place}:/out", *compiler)
    (file,) = place.glob("*.whl")
    return file


@pytest.mark.takes(3000)
def test_it_is_small_and_for_old_systems(wheel):
    assert_small_and_for_old_systems(wheel, MACHINE)


def test_auditwheel_and_pinwheel_agree_on_its_tag(pinwheel, wheel):
    output(pinwheel, "inspect", "--check", "--strict", "--matrix", MATRIX, wheel, cwd=ROOT)
    assert_auditwheel_agrees_on_its_tag(wheel)


@pytest.mark.takes(300)
def test_it_runs_on_the_oldest_debian(dockerd, machine, clone, wheel):
    contents = ("git", "python3", "python3-venv")
    printed = run_on(dockerd, machine, "bullseye", contents, USE, f"{clone}:/clone:ro", f"{wheel.parent}:/wheels:ro")
    assert printed.splitlines()[0] == f"pinwheel {version_of(wheel)}"
    assert "aarch64" in printed.splitlines()[-1]
