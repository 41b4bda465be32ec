"""The bundled kernels for aarch64: cross-compiled, and run under emulation with the oldest torch they support."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from bases import base_archive
from emulation import BASE_PACKAGES, emulated
from kernel_wheels import KERNELS, build_wheel

pytestmark = [pytest.mark.docker, pytest.mark.arm64]

# torch, what importing it needs, and what the tests need, for CPython 3.11, which bookworm has.
SITE = ["torch==2.10.0", "filelock", "typing-extensions", "sympy", "mpmath", "networkx", "jinja2", "markupsafe",
        "fsspec", "numpy<2.4", "pytest", "iniconfig", "packaging", "pluggy", "pygments"]  # fmt: skip
PLATFORMS = ["manylinux2014_aarch64", "manylinux_2_17_aarch64", "manylinux_2_27_aarch64", "manylinux_2_28_aarch64"]
IMAGE = "pinwheel-test/debian:bookworm-aarch64"


def install(place: Path, *what: str) -> Path:
    """Unpacks wheels for aarch64, without running anything from them."""
    platforms = [part for platform in PLATFORMS for part in ("--platform", platform)]
    pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "--no-compile"]
    choice = ["--only-binary=:all:", "--python-version", "3.11", *platforms, "--target", str(place)]
    subprocess.run([*pip, *choice, *what], check=True)
    return place


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    return install(tmp_path_factory.mktemp("site"), *SITE)


@pytest.fixture(scope="module")
def wheel(site, tmp_path_factory) -> Path:
    toolchain = KERNELS / "cmake" / "aarch64-linux-gnu.cmake"
    return build_wheel(
        tmp_path_factory.mktemp("kernels"),
        CMAKE_ARGS=f"-DCMAKE_TOOLCHAIN_FILE={toolchain} -DPINWHEEL_TORCH_DIR={site}/torch",
        _PYTHON_HOST_PLATFORM="linux-aarch64",
    )


def test_the_wheel_is_for_aarch64_and_old_systems(pinwheel, wheel):
    result = subprocess.run([pinwheel, "inspect", "--json", str(wheel)], check=True, capture_output=True, text=True)
    report = json.loads(result.stdout)
    assert wheel.name.endswith("-py3-none-linux_aarch64.whl")
    assert report["policy"] in {"manylinux_2_17", "manylinux_2_24", "manylinux_2_27", "manylinux_2_28"}


def test_the_operators_agree_with_torch_on_aarch64(wheel, site, dockerd):
    subprocess.run([sys.executable, "-m", "zipfile", "-e", str(wheel), str(site)], check=True)
    with emulated("aarch64"):
        dockerd.call("import", str(base_archive("bookworm", "aarch64", BASE_PACKAGES)), IMAGE)
        ran = dockerd.run(
            *("-v", f"{site}:/site:ro", "-v", f"{KERNELS}:/kernels:ro", "-e", "PYTHONPATH=/site"),
            *("-e", "OMP_NUM_THREADS=1", IMAGE, "python3", "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            # Tests that compile would take hours there.
            *("-k", "not cuda and not compile and not opcheck and not stable_sort", "/kernels/tests"),
            check=False,
        )
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-2000:]
    assert " passed" in ran.stdout
