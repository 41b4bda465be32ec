"""Runs the GPU cases of every other file again under NVIDIA's compute-sanitizer."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import gpu_skip_reason

pytestmark = pytest.mark.memcheck

HERE = Path(__file__).resolve().parent
FOUND = 86  # the exit code that the sanitizer is configured to return


# They call every operator: the most valuable if there is no time for all files.
FIRST = ("test_every_operator.py", "test_garbage.py")


def files_with_gpu_cases() -> list[str]:
    files = [path for path in HERE.glob("test_*.py") if path != Path(__file__).resolve()]
    own = [path for path in files if not path.name.startswith("test_against_fbgemm")]
    found = [path.name for path in own if re.search(r"^def test_.*\b(device|gpu)\b", path.read_text(), re.M)]
    return sorted(found, key=lambda name: (name not in FIRST, name))


def sanitizer() -> str:
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    search = os.pathsep.join([os.environ.get("PATH", os.defpath), f"{home}/bin"])
    found = shutil.which("compute-sanitizer", path=search)
    return found or pytest.skip("no compute-sanitizer on PATH or in CUDA_HOME")


@pytest.mark.parametrize("file", files_with_gpu_cases())
def test_no_kernel_accesses_memory_out_of_bounds(file: str) -> None:
    if reason := gpu_skip_reason():
        pytest.skip(reason)
    # Failed API calls of torch (out of memory, unsupported by the driver) are not errors of a kernel.
    asked = ["--report-api-errors", "no"]
    command = [sanitizer(), "--tool", "memcheck", *asked, "--error-exitcode", str(FOUND)]
    tests = ["-q", "--maxfail", "3", "-k", "cuda", "-m", "not compiles and not memcheck and not large", str(HERE / file)]
    ran = subprocess.run(
        [*command, sys.executable, "-m", "pytest", *tests],
        # torch's caching allocator would hide accesses past the end of a tensor.
        env={**os.environ, "PYTORCH_NO_CUDA_MEMORY_CACHING": "1"},
        capture_output=True,
        text=True,
    )
    assert ran.returncode != FOUND, "compute-sanitizer found:\n" + ran.stdout[-8000:]
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-4000:]
    assert re.search(r"\b\d+ passed", ran.stdout)
