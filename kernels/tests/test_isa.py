"""The sources of csrc/simd are compiled for several instruction sets: each copy is correct and separate."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.compiles

HERE = Path(__file__).resolve().parent
SOURCES = sorted((HERE.parent / "csrc" / "simd").glob("*.cpp"))
COMPILER = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")
AVX2 = ["-mavx2", "-mfma", "-mf16c"]
FLAGS = {
    "base": [],
    "avx2": AVX2,
    "avx512": [*AVX2, "-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl"],
}
x86_only = pytest.mark.skipif(
    platform.machine() != "x86_64", reason="only one instruction set on this platform"
)


@x86_only
@pytest.mark.parametrize("isa", ["base", "avx2"])
def test_the_operators_are_correct_on_a_narrower_instruction_set(isa: str):
    tests = [str(path) for s in SOURCES if (path := HERE / f"test_{s.stem}.py").is_file()]
    assert tests
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-k", "cpu", *tests],
        env=os.environ | {"PINWHEEL_ISA": isa},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout[-3000:]


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler here")
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
@pytest.mark.parametrize("isa", FLAGS if platform.machine() == "x86_64" else ["base"])
def test_no_function_is_shared_between_instruction_sets(isa, source, tmp_path):
    """The linker keeps one of several weak functions with the same name, perhaps one that this CPU cannot run."""
    built = tmp_path / "simd.o"
    subprocess.run(
        [COMPILER, "-std=c++17", "-O3", "-DNDEBUG", "-fPIC", *FLAGS[isa], f"-DPINWHEEL_ISA={isa}"]
        + ["-w", "-I", str(HERE.parent / "csrc"), "-c", str(source), "-o", str(built)],
        check=True,
    )
    listed = subprocess.run(["nm", "-C", str(built)], check=True, capture_output=True, text=True)
    defined = re.findall(r"^[0-9a-f]+ ([A-Z]) (.*)$", listed.stdout, re.MULTILINE)
    assert defined
    assert [name for kind, name in defined if kind != "T" or f"::{isa}::" not in name] == []
