"""What the shared library requires from the system, and what it exports."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
import torch

import pinwheel_kernels as pk

GPU_LIBRARIES = {
    "cpu": set(),
    "cuda": {"libtorch_cuda.so"},
    "rocm": {"libtorch_hip.so"},
}
SYSTEM = {
    "ld-linux-aarch64.so.1",
    "ld-linux-x86-64.so.2",
    "libc.so.6",
    "libgcc_s.so.1",
    "libm.so.6",
    "libstdc++.so.6",
}
# Separate libraries in glibc before 2.34.
OLD_GLIBC = {"libpthread.so.0", "libdl.so.2", "librt.so.1"}


def tool(*command: str) -> str:
    if shutil.which(command[0]) is None:
        pytest.skip(f"no {command[0]} here (binutils)")
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def schemas() -> list[str]:
    names = torch._C._dispatch_get_all_op_names()
    return sorted(name for name in names if name.startswith("pinwheel::"))


def test_every_operator_has_its_kernels():
    keys = ["CPU"] if pk.build_info().compute == "cpu" else ["CPU", "CUDA"]
    assert "pinwheel::asynchronous_complete_cumsum" in schemas()
    for name in schemas():
        if torch._C._dispatch_has_kernel_for_dispatch_key(name, "CompositeImplicitAutograd"):
            continue  # composed of operators that have kernels
        for key in [*keys, "Meta"]:
            assert torch._C._dispatch_has_kernel_for_dispatch_key(name, key), (name, key)


def test_every_operator_except_forward_and_backward_has_a_documented_function():
    names = {name.removeprefix("pinwheel::") for name in schemas()}
    for name in names:
        if name not in pk.__all__:
            whole, _, part = name.rpartition("_")
            assert part in {"forward", "backward"} and whole in names, name
    assert all(getattr(pk, name).__doc__ for name in pk.__all__)


def test_the_library_needs_no_symbol_of_python_or_torchs_cpp_interface():
    wanted = re.findall(r" U (\S+)", tool("nm", "-D", str(pk.library_path())))
    assert not [name for name in wanted if name.lstrip("_").startswith("Py")]
    assert not [name for name in wanted if re.match(r"_ZN\w*(2at|3c10|5torch)\d", name)]
    assert [name for name in wanted if name.startswith("aoti_torch_")]


def test_the_library_exports_nothing():
    assert tool("nm", "-D", "--defined-only", str(pk.library_path())).strip() == ""


def test_the_library_needs_only_torch_and_the_system_and_has_no_rpath():
    dynamic = tool("readelf", "-d", str(pk.library_path()))
    needed = set(re.findall(r"NEEDED.*\[(.*)\]", dynamic))
    gpu = GPU_LIBRARIES[pk.build_info().compute.split("/")[0]]
    assert {"libtorch.so", "libtorch_cpu.so"} | gpu <= needed
    rest = needed - {"libtorch.so", "libtorch_cpu.so"} - gpu - SYSTEM - OLD_GLIBC
    assert [name for name in rest if not name.startswith("libamdhip64.so")] == []
    assert "RPATH" not in dynamic and "RUNPATH" not in dynamic


@pytest.mark.skipif(pk.build_info().compute.startswith("rocm"), reason="rocm is never published")
def test_the_symbol_versions_exist_in_manylinux_2_28():
    # What the dynamic linker checks; binutils before 2.36 lists it differently in a symbol table.
    needs = tool("readelf", "-W", "-V", str(pk.library_path()))
    versions = set(re.findall(r"Name: (\w+?)_([\d.]+) ", needs))
    newest = {"GLIBC": (2, 28), "GLIBCXX": (3, 4, 25), "CXXABI": (1, 3, 11), "GCC": (8, 0, 0)}
    assert versions
    for name, version in versions:
        assert tuple(map(int, version.split("."))) <= newest[name], (name, version)


def test_the_build_info_says_what_was_built():
    info = pk.build_info()
    assert info.torch_target == "2.10"
    assert (info.compute == "cpu") == (info.arch_list == ())


def test_the_version_matches_the_distribution():
    assert re.match(r"\d+\.\d+", pk.__version__)
