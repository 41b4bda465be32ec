"""Real builds of the bundled kernels: the same bytes everywhere, and the requested device code for each available GPU
toolkit."""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from kernel_wheels import KERNELS, build, environment, pip_wheel

pytestmark = pytest.mark.torch

LIBRARY = "pinwheel_kernels/libpinwheel_ops.so"


def output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def run_python(code: str, unpacked: Path, **changes: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(PYTHONPATH=str(unpacked), **changes),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def assert_no_path_of_this_machine(library: Path, place: Path) -> None:
    contents = library.read_bytes()
    for path in (place, KERNELS, Path(sysconfig.get_paths()["purelib"]), Path.home()):
        assert str(path).encode() not in contents, f"{path} leaked into {library.name}"


def test_two_directories_give_the_same_library(tmp_path: Path):
    first, second = tmp_path / "a", tmp_path / "a longer name" / "b"
    for place in (first, second):
        place.mkdir(parents=True)
    version = {"SETUPTOOLS_SCM_PRETEND_VERSION": "1.2.3.dev4"}
    one = build(first, MAX_JOBS="1", CMAKE_BUILD_PARALLEL_LEVEL="1", **version)
    previous = os.umask(0o077)
    try:
        two = build(second, **version)
    finally:
        os.umask(previous)
    assert (one / LIBRARY).read_bytes() == (two / LIBRARY).read_bytes()
    assert (one / "pinwheel_kernels-1.2.3.dev4.dist-info" / "METADATA").is_file()
    assert_no_path_of_this_machine(one / LIBRARY, first)


def device_code(library: Path, place: Path) -> set[str]:
    """The entries of all CUDA fat binaries: `sm_90`, `compute_90a`."""
    section = place / "fatbin"
    output("objcopy", "-O", "binary", "--only-section=.nv_fatbin", "--set-section-flags",
           ".nv_fatbin=alloc,contents", str(library), str(section))  # fmt: skip
    data = section.read_bytes()
    found = set()
    at = 0
    while at + 16 <= len(data):
        magic, _, header, size = struct.unpack_from("<IHHQ", data, at)
        if magic != 0xBA55ED50:
            at += 8  # containers are padded
            continue
        entry, end = at + header, at + header + size
        while entry < end:
            kind, _, entry_header, payload = struct.unpack_from("<HHIQ", data, entry)
            (number,) = struct.unpack_from("<I", data, entry + 28)
            (flags,) = struct.unpack_from("<Q", data, entry + 40)
            suffix = "a" if flags & 0x100000 else "f" if flags & 0x200000 else ""
            found.add(f"{ {1: 'compute', 2: 'sm'}[kind] }_{number}{suffix}")
            entry += entry_header + payload
        at = end
    return found


def nvcc_version() -> str | None:
    home = os.environ.get("CUDA_HOME")
    nvcc = f"{home}/bin/nvcc" if home else shutil.which("nvcc")
    if not nvcc:
        return None
    return re.search(r"release (\d+\.\d+)", output(nvcc, "--version"))[1]


@pytest.mark.skipif(nvcc_version() is None, reason="no nvcc here")
def test_a_cuda_build_has_exactly_the_requested_architectures(tmp_path: Path):
    first, second = tmp_path / "a", tmp_path / "other"
    for place in (first, second):
        place.mkdir()
    compute = f"cuda/{nvcc_version()}"
    asked = {"PINWHEEL_COMPUTE": compute, "TORCH_CUDA_ARCH_LIST": "9.0a;12.0+PTX"}
    unpacked = build(first, **asked)
    library = unpacked / LIBRARY
    assert device_code(library, first) == {"sm_90a", "sm_120", "compute_120"}
    assert library.read_bytes() == (build(second, **asked) / LIBRARY).read_bytes()
    assert_no_path_of_this_machine(library, first)

    needed = output("readelf", "-d", str(library))
    assert "libtorch_cuda.so" in needed and "libcudart" not in needed
    versions = re.findall(r"\(GLIBC_([\d.]+)\)", output("objdump", "-T", str(library)))
    assert max(tuple(map(int, version.split("."))) for version in versions) <= (2, 28)
    load_with_an_empty_gpu_torch(unpacked, tmp_path, "libtorch_cuda.so", compute)


def load_with_an_empty_gpu_torch(unpacked: Path, place: Path, name: str, compute: str) -> None:
    """Loads the library into a torch without GPU support: with an empty library instead of torch's, its operators
    are registered, and those for the CPU compute."""
    empty = place / "empty"
    empty.mkdir()
    source = empty / "stream.c"
    source.write_text("int aoti_torch_get_current_cuda_stream(int d, void** s) { return 1; }\n")
    link = ["-shared", "-fPIC", f"-Wl,-soname,{name}", "-o", str(empty / name)]
    output("cc", "-w", str(source), *link)
    code = """if True:
        import torch
        import pinwheel_kernels as pk
        has = torch._C._dispatch_has_kernel_for_dispatch_key
        for name in torch._C._dispatch_get_all_op_names():
            # An operator composed of others has no kernels of its own.
            if name.startswith("pinwheel::") and not has(name, "CompositeImplicitAutograd"):
                for key in ("CPU", "CUDA", "Meta"):
                    assert has(name, key), (name, key)
        print(pk.build_info().compute, pk.asynchronous_complete_cumsum(torch.tensor([1, 2])).tolist())
    """
    paths = os.pathsep.join([str(empty), os.environ.get("LD_LIBRARY_PATH", "")]).rstrip(os.pathsep)
    printed = run_python(code, unpacked, LD_LIBRARY_PATH=paths)
    assert printed.strip() == f"{compute} [0, 1, 3]"


def test_instruction_sets_and_flavors_are_separate(tmp_path: Path):
    """The kernels' own tests that compile: objects for each instruction set, and a build of each flavor."""
    unpacked = build(tmp_path)
    tests = [str(KERNELS / "tests" / f"test_{name}.py") for name in ("isa", "flavors")]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "compiles", *tests],
        env=environment(PYTHONPATH=str(unpacked), PINWHEEL_TEST_BUILDS="1"),
        cwd=KERNELS,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-4000:]
    assert " passed" in ran.stdout and "skipped" not in ran.stdout


def runtime(name: str) -> str:
    """The path of one of the compiler's runtime libraries."""
    return output("g++", f"-print-file-name={name}").strip()


def build_sanitized(place: Path, **changes: str) -> Path:
    """The library built with AddressSanitizer and UndefinedBehaviorSanitizer."""
    flags = "-fsanitize=address,undefined -fno-sanitize-recover=all -g1 -O1"
    return build(place, CXX="g++", CXXFLAGS=flags, CMAKE_ARGS="-DCMAKE_BUILD_TYPE=None", **changes)


def assert_sound(unpacked: Path, cases: str, **changes: str) -> None:
    """The operators' own tests with these names pass without a sanitizer report."""
    sanitizers = " ".join(runtime(f"lib{name}.so") for name in ("asan", "ubsan", "stdc++"))
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-k", cases, str(KERNELS / "tests")]
        + ["-m", "not compiles and not memcheck"]  # with what is out of range, and large
        + [f"--ignore={KERNELS}/tests/test_library.py"]  # it tests a different library
        + ["--capture=sys"],  # if pytest captured file descriptor 2, reports would be lost with the process
        env=environment(
            PYTHONPATH=str(unpacked),
            LD_PRELOAD=sanitizers,
            # CPython does not free everything at exit, and tests request results that exceed memory.
            ASAN_OPTIONS="detect_leaks=0:detect_odr_violation=0:allocator_may_return_null=1",
        )
        | changes,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[:4000]
    assert " passed" in ran.stdout


def test_the_operators_have_no_undefined_behavior_on_the_cpu(tmp_path: Path):
    assert_sound(build_sanitized(tmp_path), "not cuda")


def test_the_gpu_kernels_have_no_undefined_behavior_on_an_emulator(tmp_path: Path):
    """The tests for a GPU, with the threads of a block in ascending and in descending order."""
    unpacked = build_sanitized(tmp_path, PINWHEEL_COMPUTE="emulated")
    assert_sound(unpacked, "cuda")
    assert_sound(unpacked, "cuda", PINWHEEL_THREAD_ORDER="falling")


def hip_version() -> str:
    home = os.environ.get("ROCM_PATH")
    hipcc = f"{home}/bin/hipcc" if home else shutil.which("hipcc")
    assert hipcc, "hipcc is not on PATH"
    amd = environment(HIP_PLATFORM="amd")
    done = subprocess.run([hipcc, "--version"], env=amd, capture_output=True, text=True)
    return re.search(r"HIP version: (\d+\.\d+)", done.stdout)[1]


def test_a_rocm_build_has_exactly_the_requested_architectures(tmp_path: Path):
    compute = f"rocm/{hip_version()}"
    unpacked = build(tmp_path, PINWHEEL_COMPUTE=compute, PYTORCH_ROCM_ARCH="gfx90a;gfx1030")
    library = unpacked / LIBRARY
    found = set(re.findall(rb"amdgcn-amd-amdhsa--(gfx\w+)", library.read_bytes()))
    assert found == {b"gfx90a", b"gfx1030"}
    needed = output("readelf", "-d", str(library))
    assert "libtorch_hip.so" in needed and "libamdhip64.so" in needed
    assert_no_path_of_this_machine(library, tmp_path)
    load_with_an_empty_gpu_torch(unpacked, tmp_path, "libtorch_hip.so", compute)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"PINWHEEL_COMPUTE": "cuda"},
            "PINWHEEL_COMPUTE is `cuda`; it must be cpu, cuda/<version>",
        ),
        ({"PINWHEEL_COMPUTE": "cuda/99.0"}, "this build is for CUDA 99.0 but"),
        (
            {"PINWHEEL_COMPUTE": f"cuda/{nvcc_version()}", "TORCH_CUDA_ARCH_LIST": "8.0;Hopper"},
            "`Hopper` in TORCH_CUDA_ARCH_LIST is not an architecture",
        ),
        ({"CMAKE_ARGS": "-DPINWHEEL_TORCH_DIR=/nowhere"}, "no torch >= 2.10"),
    ],
    ids=["compute without version", "another toolkit", "unknown architecture", "no torch"],
)
def test_a_wrong_request_fails_saying_what_is_wrong(
    changes: dict[str, str], message: str, tmp_path: Path
):
    if "cuda/" in changes.get("PINWHEEL_COMPUTE", "") and nvcc_version() is None:
        pytest.skip("no nvcc here")
    done = pip_wheel(tmp_path, **changes)
    assert done.returncode != 0
    printed = re.sub(r"\s+", " ", done.stdout + done.stderr)
    assert message in printed, printed
