"""Compiles the index functions of the GPU kernels for the CPU and runs their C++ tests."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.compiles

HERE = Path(__file__).resolve().parent
COMPILER = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler here")
@pytest.mark.parametrize("source", sorted((HERE / "cpp").glob("*_test.cpp")), ids=lambda p: p.stem)
def test_index_functions_hold_on_the_cpu(source: Path, tmp_path: Path):
    program = tmp_path / source.stem
    flags = ["-std=c++17", "-O0", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined"]
    includes = ["-I", str(HERE.parent / "csrc"), "-I", str(HERE / "cpp")]
    built = subprocess.run(
        [COMPILER, *flags, "-fno-sanitize-recover=all", *includes, str(source), "-o", str(program)],
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stderr
    ran = subprocess.run([str(program)], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
