"""`inspect --kernels`: registers, stack, spills and shared memory of each kernel, compared with cuobjdump and ptxas."""

import json
import pathlib
import re
import shutil
import sysconfig

import pytest
from compiled_wheels import TAGS, call, compiled, make_wheel, report_of

pytestmark = pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on PATH")

SOURCE = """
template <int N> __global__ void tile(float* out, const float* in) {
  __shared__ float rows[N * 33];
  rows[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = rows[N - threadIdx.x];
}
template __global__ void tile<32>(float*, const float*);
template __global__ void tile<64>(float*, const float*);
extern "C" __global__ void __launch_bounds__(1024, 2) spilled(double* out, const double* in, int n) {
  double v[64];
#pragma unroll
  for (int i = 0; i < 64; ++i) v[i] = in[i * n + threadIdx.x];
  __syncthreads();
  double s = 0;
#pragma unroll
  for (int i = 0; i < 64; ++i)
#pragma unroll
    for (int j = 0; j < 8; ++j) s += v[i] * v[(i * 7 + j) & 63];
#pragma unroll
  for (int i = 0; i < 64; ++i) out[i * n + threadIdx.x] = s * v[i];
}
extern "C" __global__ void local_array(int* out, int n) {
  int a[256];
  for (int i = 0; i < 256; ++i) a[i] = i * n;
  out[threadIdx.x] = a[out[threadIdx.x] & 255];
}
__noinline__ __device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
extern "C" __global__ void recursive(int* out) { out[0] = fib(out[1]); }
"""
GENERATE = [f"-gencode=arch=compute_{each},code=sm_{each}" for each in ("75", "80", "90", "100", "120")]


def cuobjdump() -> pathlib.Path:
    (tool,) = pathlib.Path(sysconfig.get_path("purelib"), "nvidia").glob("cu*/bin/cuobjdump")
    return tool


def resources(file: pathlib.Path) -> dict[tuple[str, str], tuple[int, int | None, int, int]]:
    """What cuobjdump reports: registers, stack, shared memory and constant bank 0 of each kernel."""
    found = {}
    for code in call(cuobjdump(), "-res-usage", file).stdout.split("Fatbin elf code:")[1:]:
        arch = "sm_" + re.search(r"^arch = sm_(\w+)$", code, re.M)[1]
        kernel = r"^ Function (\S+):\n\s+REG:(\d+) STACK:(\w+) SHARED:(\d+) LOCAL:\d+ CONSTANT\[0\]:(\d+)"
        for name, registers, stack, shared, constant in re.findall(kernel, code, re.M):
            size = None if stack == "UNKNOWN" else int(stack)
            found[arch, name] = (int(registers), size, int(shared), int(constant))
    return found


def inspected(report: dict) -> dict[tuple[str, str], dict]:
    return {(kernel["arch"], kernel["name"]): kernel["needs"] for kernel in report["kernels"]}


@pytest.mark.parametrize("compression", ["none", "size", "speed"])
def test_kernels_need_what_cuobjdump_reports(pinwheel, tmp_path, compression):
    (tmp_path / "unit.cu").write_text(SOURCE)
    library = tmp_path / "native.so"
    options = ["-shared", "-Xcompiler", "-fPIC", "-cudart", "none", f"-compress-mode={compression}", *GENERATE]
    call("nvcc", *options, "-o", library, tmp_path / "unit.cu")
    wheel = make_wheel(tmp_path, {"demo/_C.so": library.read_bytes()}, TAGS)
    kernels = inspected(report_of(pinwheel, wheel, "--kernels"))
    expected = resources(library)
    assert len(expected) == 5 * len(GENERATE)
    taken = {place: tuple(each[key] for key in ("registers", "stack", "shared", "constant")) for place, each in kernels.items()}
    assert taken == expected
    # A library outside of a wheel has the same.
    assert inspected(report_of(pinwheel, library, "--kernels")) == kernels


@pytest.mark.parametrize("number", ["80", "90"])
def test_spills_are_told_from_local_arrays(pinwheel, tmp_path, number):
    (tmp_path / "unit.cu").write_text(SOURCE)
    done = call("nvcc", "-c", f"-gencode=arch=compute_{number},code=sm_{number}", "-Xptxas", "-v", "-o", tmp_path / "unit.o", tmp_path / "unit.cu")
    (stored,) = re.findall(r"properties for spilled\s+\d+ bytes stack frame, (\d+) bytes spill stores", done.stdout + done.stderr)
    assert int(stored) > 0
    kernels = inspected(report_of(pinwheel, tmp_path / "unit.o", "--kernels"))
    # Each marked instruction moves 4 to 16 bytes; refills are counted too.
    assert kernels[f"sm_{number}", "spilled"]["spills"] >= int(stored) / 16
    assert kernels[f"sm_{number}", "local_array"]["spills"] == 0
    assert kernels[f"sm_{number}", "local_array"]["stack"] == 1024
    assert kernels[f"sm_{number}", "spilled"]["threads"] == 1024


def test_two_wheels_are_compared_by_kernel(pinwheel, tmp_path):
    wheels = []
    for version, size in (("1.0", 32), ("1.1", 48)):
        source = f'extern "C" __global__ void tile(float* v) {{ __shared__ float s[{size}]; s[threadIdx.x] = *v; __syncthreads(); *v = s[1]; }}\n'
        if version == "1.1":
            source += 'extern "C" __global__ void fresh() {}\n'
        (tmp_path / "unit.cu").write_text(source)
        call("nvcc", "-shared", "-Xcompiler", "-fPIC", "-cudart", "none", GENERATE[1], "-o", tmp_path / "native.so", tmp_path / "unit.cu")
        wheels.append(make_wheel(tmp_path, {"demo/_C.so": (tmp_path / "native.so").read_bytes()}, TAGS, version))
    found = json.loads(call(pinwheel, "inspect", *wheels, "--kernels", "--json").stdout)["kernels"]
    assert [(each["name"], each["arch"]) for each in found["gained"]] == [("fresh", "sm_80")]
    assert found["lost"] == []
    (changed,) = found["changed"]
    assert (changed["before"]["shared"], changed["after"]["shared"], changed["needs_more"]) == (128, 192, True)
    text = call(pinwheel, "inspect", *wheels, "--kernels").stdout
    assert "tile for sm_80: shared 128 -> 192" in text and "+ kernel         fresh for sm_80" in text


def test_schemas_of_operators_are_read_from_the_constants(pinwheel, tmp_path):
    source = 'const char* schema(void) { return "demo::scale(Tensor x, float f=1.0) -> Tensor"; }\nconst char* other(void) { return "map(a) -> b"; }\n'
    wheel = make_wheel(tmp_path, {"demo/_C.so": compiled(tmp_path, "native", source)}, TAGS)
    report = report_of(pinwheel, wheel, "--kernels")
    assert report["operators"] == [{"file": "demo/_C.so", "schema": "demo::scale(Tensor x, float f=1.0) -> Tensor"}]
    assert report_of(pinwheel, wheel)["operators"] is None
