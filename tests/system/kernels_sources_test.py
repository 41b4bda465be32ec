"""Results of the GPU kernels: their source is compiled for the CPU and run by an emulator, without torch."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

KERNELS = Path(__file__).resolve().parents[2] / "kernels"
SOURCES = sorted(path.stem for path in (KERNELS / "tests" / "cpp").glob("*_test.cpp"))


@pytest.mark.parametrize("source", SOURCES)
def test_the_gpu_kernels_agree_with_plain_loops(source: str):
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--noconftest", "-p", "no:cacheprovider", "-m", "compiles", "-k", source]
        + [str(KERNELS / "tests" / "test_index_arithmetic.py")],
        cwd=KERNELS,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-1000:]
    assert "1 passed" in ran.stdout
