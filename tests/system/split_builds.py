"""A CMake project with CUDA sources, whose device code compiles in a step for each architecture (`build.split`)."""

import pathlib
import shutil
import zipfile

import pytest

NEEDS_NVCC = pytest.mark.skipif(shutil.which("nvcc") is None, reason="compiles CUDA")

CMAKE = """cmake_minimum_required(VERSION 3.20)
project(split LANGUAGES CXX CUDA)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
add_compile_options($<$<COMPILE_LANGUAGE:CUDA>:--objdir-as-tempdir>)
@MORE@
add_library(split SHARED a.cu b.cu)
"""
A = """#include <cstdio>
@INCLUDE@
namespace {
__device__ int counter;
template <class T> __global__ void add(T* to) { to[threadIdx.x] += T(1); atomicAdd(&counter, 1); }
}  // namespace
extern "C" void run_a(float* to) { add<<<1, 32>>>(to); }
"""
B = """static __device__ float table[4];
__global__ void pick(float* to) {
#if __CUDA_ARCH__ >= 900
  to[0] = table[3];
#else
  to[0] = table[1];
#endif
}
extern "C" void run_b(float* to) { pick<<<1, 1>>>(to); }
extern "C" const char* architectures() {
#define TEXT(...) #__VA_ARGS__
#define LIST(x) TEXT(x)
  return LIST((__CUDA_ARCH_LIST__));
}
"""
# A test imports each extension module of a wheel; this name is not one of a module.
LIBRARY = "libsplit.so.1"
STEPS = ["set -e", "cd {package}", "cmake -S . -B b -G Ninja", "cmake --build b",
         f"cp b/libsplit.so b/{LIBRARY}; "
         f"exec python make_wheel.py {{dest_dir}} --file b/{LIBRARY} --tag py3-none-linux_x86_64"]  # fmt: skip


def torchs_steps(nvcc: str = "$PYTORCH_NVCC") -> list[str]:
    """The steps of a build that starts nvcc as torch extensions do. Unlike CMake, they compile nothing to identify the
    compiler."""
    flags = "-Xcompiler -fPIC --objdir-as-tempdir -gencode=arch=compute_80,code=sm_80"
    flags += " -gencode arch=compute_90,code=[sm_90,compute_90] --generate-dependencies-with-compile"
    compiled = [f"{nvcc} -c {name}.cu -o b/{name}.o {flags} --dependency-output b/{name}.d" for name in ("a", "b")]
    linked = "g++ -shared b/a.o b/b.o -o b/libsplit.so -L$CUDA_HOME/lib64 -lcudart_static"
    return ["set -e", "cd {package}", "mkdir b", *compiled, linked, STEPS[-1]]


class Split:
    """A CMake project with two CUDA sources for two architectures."""

    def __init__(self, script):
        self.script = script
        self.write()

    def write(self, more: str = "", include: str = "") -> None:
        place = self.script.directory
        (place / "CMakeLists.txt").write_text(CMAKE.replace("@MORE@", more))
        (place / "a.cu").write_text(A.replace("@INCLUDE@", include))
        (place / "b.cu").write_text(B)

    def use(self, split: str | None = "architectures", steps: list[str] | None = None, **build) -> None:
        def change(matrix):
            matrix["axes"] = {"python": matrix["axes"]["python"], "compute": ["cuda/13.0"]}
            matrix["abi"] = {"python": "none", "compute": "major"}
            matrix["environment"] = {"build-requires": "none"}
            matrix["package"]["ignore"] = ["matrix.yaml"]
            settings = {"command": ["sh", "-c", "; ".join(steps or STEPS)], "arch-list": ["8.0", "9.0+PTX"],
                        "timeout": "30 min", "retry": {"transient": 0}, **build}  # fmt: skip
            matrix["build"] = settings | ({"split": split} if split else {})

        self.script.edit(change)

    def build(self, *options: str, code: int = 0) -> dict[str, dict]:
        """The outcomes of a build that starts afresh."""
        self.script.start_afresh()
        return self.script.report("build", "matrix.yaml", *options, code=code)

    def wheels(self) -> dict[str, str]:
        return {name: digest for name, digest in self.script.wheels().items() if name.endswith(".whl")}


def uses(outcome: dict) -> tuple[int, int]:
    (found,) = [each for each in outcome["trace"][-1]["caches"] if each["cache"] == "device code"]
    return found["hits"], found["misses"]


def build_of(outcomes: dict[str, dict]) -> dict:
    (build,) = [outcome for step, outcome in outcomes.items() if step.startswith("build:")]
    return build


def repeats(outcome: dict) -> list[str]:
    """The warnings of a build that it compiled device code again."""
    return [warning for warning in outcome.get("warnings", []) if "of device code ran in" in warning]


def library_in(directory: pathlib.Path) -> bytes:
    """The library of the one wheel below a directory, where its name may be a digest. A wheel also has the commit, which
    each change of a test replaces."""
    found = []
    for path in sorted(directory.rglob("*")):
        if path.is_file() and zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                found += [archive.read(LIBRARY)] if LIBRARY in archive.namelist() else []
    (library,) = found
    return library
