"""The index arithmetic that nvcc generates stays in bounds whatever the contents. nvcc 13 compares by differences that
overflow where no host compiler does, so the C++ tests and the emulator cannot find that."""

from __future__ import annotations

import itertools
import os
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from ptx import Kernel, as_type, kernels_of

pytestmark = pytest.mark.compiles

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "cpp" / "untrusted_units.cu"
CONTENTS = [-(2**63), -(2**63) + 1, -(2**63) + 20, -(2**62), -7, -1, 0, 1, 5, 30, 2**31, 2**62, 2**63 - 1]
LIMITS = [1, 10, 2**40]
NUMBERS, OUT, CONSTANTS = 0x1000, 0x2000, [0, 0, 4]


def nvcc() -> str | None:
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    return shutil.which("nvcc", path=os.pathsep.join([os.environ.get("PATH", os.defpath), f"{home}/bin"]))


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Kernel]:
    if (compiler := nvcc()) is None:
        pytest.skip("no nvcc on PATH or in CUDA_HOME")
    target = tmp_path_factory.mktemp("ptx") / "units.ptx"
    flags = ["-std=c++17", "-O3", "-arch=sm_90", "-ptx", "-I", str(HERE.parent / "csrc")]
    subprocess.run([compiler, *flags, str(SOURCE), "-o", str(target)], check=True)
    return kernels_of(target.read_text())


def ranges_of(kernel: Kernel, contents: tuple[int, ...], limit: int) -> list[list[int]]:
    """What a kernel reports, as [begin, length, size]."""
    words = [as_type(number, "u64") for number in (*contents, *CONSTANTS)]
    memory = {NUMBERS + 8 * i: word for i, word in enumerate(words)}
    memory |= {OUT + 8 * i: 0 for i in range(6)}
    kernel.run([NUMBERS, limit, OUT], memory)
    out = [as_type(memory[OUT + 8 * i], "s64") for i in range(6)]
    return [out[:3], out[3:]]


def names() -> list[str]:
    return re.findall(r"__global__ void (\w+)", SOURCE.read_text())


@pytest.mark.parametrize("name", names())
def test_ranges_from_any_contents_are_in_bounds(kernels, name):
    count = int(name.rpartition("_")[2])
    cases = list(itertools.product(itertools.product(CONTENTS, repeat=count), LIMITS))
    random.Random(name).shuffle(cases)
    for contents, limit in cases[:3000]:
        for begin, length, size in ranges_of(kernels[name], contents, limit):
            found = f"{name}{contents} of {limit}: {length} from {begin} on, of {size}"
            assert begin >= 0 and length >= 0 and begin + length <= size, found
