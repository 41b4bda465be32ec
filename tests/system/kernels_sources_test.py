"""Results of the GPU kernels without torch: their source is compiled for the CPU and run by an emulator, and what nvcc
makes of their index arithmetic runs in an interpreter of PTX."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

KERNELS = Path(__file__).resolve().parents[2] / "kernels"
SECONDS = {
    "gpu_embedding_update_test": 100,
    "gpu_kernels_test": 70,
    "gpu_jagged_elementwise_test": 40,
    "gpu_ranges_test": 40,
    "gpu_jagged_softmax_test": 30,
    "gpu_quantize_test": 30,
}
SOURCES = [
    pytest.param(path.stem, id=path.stem, marks=pytest.mark.takes(SECONDS.get(path.stem, 15)))
    for path in sorted((KERNELS / "tests" / "cpp").glob("*_test.cpp"))
]


def run_compiled_tests(file: str, *options: str) -> str:
    """Runs a file of the kernels' tests that compile something, without torch; returns what pytest printed."""
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--noconftest", "-p", "no:cacheprovider", "-m", "compiles", *options]
        + [str(KERNELS / "tests" / file)],
        cwd=KERNELS,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-1000:]
    return ran.stdout


@pytest.mark.parametrize("source", SOURCES)
def test_the_gpu_kernels_agree_with_plain_loops(source: str):
    assert "1 passed" in run_compiled_tests("test_index_arithmetic.py", "-k", source)


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on PATH")
def test_ptx_stays_in_bounds_for_any_contents():
    assert "skipped" not in run_compiled_tests("test_nvcc_arithmetic.py")
