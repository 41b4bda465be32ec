"""Wheels of the bundled kernels, as pip builds them from source. The Python that runs this must have torch,
scikit-build-core, cmake and ninja."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

KERNELS = Path(__file__).resolve().parents[2] / "kernels"


def environment(**changes: str) -> dict[str, str]:
    cleared = (
        "PINWHEEL_",
        "TORCH_CUDA_ARCH_LIST",
        "PYTORCH_ROCM_ARCH",
        "SETUPTOOLS_",
        "CMAKE_ARGS",
    )
    kept = {name: value for name, value in os.environ.items() if not name.startswith(cleared)}
    scripts = str(Path(sys.executable).parent)
    return kept | {"PATH": scripts + os.pathsep + kept["PATH"]} | changes


def pip_wheel(place: Path, **changes: str) -> subprocess.CompletedProcess[str]:
    """Runs `pip wheel` on a copy of the sources in `place`."""
    ignored = shutil.ignore_patterns("build", "dist", "__pycache__", ".*")
    shutil.copytree(KERNELS, place / "kernels", ignore=ignored)
    return subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "./kernels", "--no-build-isolation", "--no-deps"]
        + ["--wheel-dir", "out"],
        cwd=place,
        env=environment(**changes),
        capture_output=True,
        text=True,
    )


def build_wheel(place: Path, **changes: str) -> Path:
    done = pip_wheel(place, **changes)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = (place / "out").glob("*.whl")
    assert re.fullmatch(r"pinwheel_kernels-\S+-py3-none-linux_\w+\.whl", wheel.name)
    return wheel


def build(place: Path, **changes: str) -> Path:
    """Builds and unpacks the wheel; returns the directory with its contents."""
    with zipfile.ZipFile(build_wheel(place, **changes)) as archive:
        archive.extractall(place / "unpacked")
    return place / "unpacked"
