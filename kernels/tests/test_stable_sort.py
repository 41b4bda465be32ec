"""Tests the call of torch's sort by name, which GPU builds use, without a GPU."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import torch

HERE = Path(__file__).resolve().parent
COMPILER = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")


@pytest.fixture(scope="module")
def stable_sort(tmp_path_factory: pytest.TempPathFactory):
    if COMPILER is None:
        pytest.skip("no C++ compiler here")
    torch_dir = Path(torch.__file__).parent
    library = tmp_path_factory.mktemp("stable_sort") / "stable_sort.so"
    flags = ["-std=c++17", "-O0", "-shared", "-fPIC", "-DTORCH_TARGET_VERSION=0x020A000000000000"]
    includes = ["-I", str(HERE.parent / "csrc"), "-isystem", str(torch_dir / "include")]
    built = subprocess.run(
        [COMPILER, *flags, *includes, str(HERE / "cpp" / "stable_sort_library.cpp")]
        + ["-L", str(torch_dir / "lib"), "-ltorch_cpu", "-o", str(library)],
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stderr
    torch.ops.load_library(str(library))
    return torch.ops.pinwheel_test.stable_sort


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
@pytest.mark.parametrize("length", [0, 1, 2000])
def test_the_sort_is_ascending_and_stable(length, dtype, stable_sort):
    values = torch.randint(0, 50, (length,), dtype=dtype)
    got, order = stable_sort(values)
    want = torch.sort(values, stable=True)
    assert torch.equal(got, want.values)
    assert torch.equal(order, want.indices) and order.dtype == torch.int64
