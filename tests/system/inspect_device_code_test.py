"""`inspect` on device code compiled for these tests, compared with cuobjdump and clang-offload-bundler."""

import collections
import pathlib
import re
import shutil
import sysconfig

import pytest
from compiled_wheels import TAGS, broken, call, make_wheel, report_of

FIXTURES = pathlib.Path(__file__).resolve().parents[1] / "data" / "device_code"
CUBIN_80 = "-gencode=arch=compute_80,code=sm_80"
PTX_90 = "-gencode=arch=compute_90,code=compute_90"
FEATURES = [f"-gencode=arch=compute_{one},code={kind}_{one}" for one, kind in (("90a", "sm"), ("100f", "sm"), ("120f", "compute"))]
BUNDLER = "clang-offload-bundler-19"
KERNEL = "__global__ void {name}(float* values) {{ values[threadIdx.x] = {call}(values[threadIdx.x]); }}\n"

needs_nvcc = pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on PATH")


def cuobjdump(library: pathlib.Path) -> collections.Counter:
    """The number of pieces of each kind, architecture and compression state."""
    (tool,) = pathlib.Path(sysconfig.get_path("purelib"), "nvidia").glob("cu*/bin/cuobjdump")
    pieces = collections.Counter()
    for code in call(tool, library).stdout.split("Fatbin ")[1:]:
        kind = {"elf": "cubin", "ptx": "ptx", "nvvm": "ltoir"}[code.split()[0]]
        name = re.search(r"^arch = sm_(\w+)$", code, re.M)[1]
        prefix = {"cubin": "sm", "ptx": "compute", "ltoir": "lto"}[kind]
        pieces[kind, f"{prefix}_{name}", "\ncompressed\n" in code] += 1
    return pieces


def counted(report: dict) -> collections.Counter:
    """The same from the report of `inspect`."""
    pieces = collections.Counter()
    for code in report["device_code"]:
        pieces[code["kind"], code["arch"], code["compression"] != "none"] += code["pieces"]
    return pieces


def wheel_of(place: pathlib.Path, library: pathlib.Path, version: str = "1.0") -> pathlib.Path:
    return make_wheel(place, {"demo/_C.so": library.read_bytes()}, TAGS, version)


def nvcc(place: pathlib.Path, *flags: str, sources: tuple[str, ...] = (KERNEL.format(name="scale", call=""),)):
    """A library compiled from these sources, without the CUDA runtime."""
    files = [place / f"unit{number}.cu" for number in range(len(sources))]
    for file, source in zip(files, sources):
        file.write_text(source)
    call("nvcc", "-shared", "-Xcompiler", "-fPIC", "-cudart", "none", *flags, "-o", place / "native.so", *files)
    return place / "native.so"


@pytest.mark.parametrize("name", ["plain", "size", "speed", "kinds"])
def test_the_code_of_the_fixtures_is_what_cuobjdump_lists(pinwheel, tmp_path, name):
    library = tmp_path / "native.so"
    # The fixtures were not compiled for a shared library, and `kinds` was not device-linked.
    call("gcc", "-shared", "-Wl,-z,notext,-Bsymbolic", "-o", library, FIXTURES / f"{name}.o")
    pieces = cuobjdump(library)
    assert pieces and counted(report_of(pinwheel, wheel_of(tmp_path, library))) == pieces


@pytest.mark.parametrize("name", ["plain", "size", "speed", "kinds"])
def test_the_code_of_an_object_is_what_cuobjdump_lists(pinwheel, name):
    report = report_of(pinwheel, FIXTURES / f"{name}.o")
    assert counted(report) == cuobjdump(FIXTURES / f"{name}.o")
    # An object is not a library, and not in a wheel.
    assert (report["findings"], report["platform_tag"], report["needed"]) == ([], None, [])


@needs_nvcc
@pytest.mark.parametrize(
    "flags",
    [["-c", CUBIN_80, PTX_90], ["-dc", CUBIN_80, PTX_90], ["-dc", "-gencode=arch=compute_90,code=lto_90"]],
    ids=["whole", "relocatable", "lto"],
)
def test_objects_of_this_nvcc_are_listed_alone_and_with_a_library(pinwheel, tmp_path, flags):
    (tmp_path / "unit.cu").write_text(KERNEL.format(name="scale", call=""))
    call("nvcc", *flags, "-o", tmp_path / "unit.o", tmp_path / "unit.cu")
    pieces = cuobjdump(tmp_path / "unit.o")
    assert pieces and counted(report_of(pinwheel, tmp_path / "unit.o")) == pieces
    library = nvcc(tmp_path, "-gencode=arch=compute_90,code=sm_90")
    members = {"demo/_C.so": library.read_bytes(), "demo/unit.o": (tmp_path / "unit.o").read_bytes()}
    for place in (tmp_path, make_wheel(tmp_path, members, TAGS)):
        report = report_of(pinwheel, place, "--arch-list", "9.0")
        assert counted(report) == pieces + cuobjdump(library)
        # Relocatable code does not determine what runs.
        assert "device-code" not in {finding["rule"] for finding in report["findings"]}
        assert (support(report)["A100"], support(report)["H100"]) == ("none", "native")


@needs_nvcc
@pytest.mark.parametrize(
    "flags, compression",
    [
        (["-compress-mode=none", CUBIN_80, *FEATURES], {"none"}),
        (["-compress-mode=size", CUBIN_80, *FEATURES], {"zstd"}),
        (["-compress-mode=speed", CUBIN_80, PTX_90], {"none", "lz4"}),
    ],
    ids=["uncompressed", "zstd", "lz4"],
)
def test_architectures_and_compression_are_what_cuobjdump_lists(pinwheel, tmp_path, flags, compression):
    library = nvcc(tmp_path, *flags)
    wheel = wheel_of(tmp_path, library)
    report = report_of(pinwheel, wheel)
    assert counted(report) == cuobjdump(library)
    assert {code["compression"] for code in report["device_code"]} == compression
    # Drivers before CUDA 12.4 cannot decompress zstd.
    assert (report["driver"]["load"] is not None) == (compression == {"zstd"})
    asked = "8.0;9.0+PTX" if PTX_90 in flags else "8.0;9.0a;10.0f;12.0f+PTX"
    found = report_of(pinwheel, wheel, "--arch-list", asked)["findings"]
    # `+PTX` in a list means the cubin too, which is missing here.
    absent = {"8.0;9.0+PTX": "sm_90"}.get(asked, "sm_120f")
    assert [one["message"] for one in found if one["rule"] == "device-code"] == [f"has no device code for {absent}"]


def support(report: dict) -> dict[str, str]:
    return {gpu["product"]: gpu["support"] for gpu in report["gpus"]}


@needs_nvcc
def test_architecture_and_family_specific_code_runs_where_nvidia_documents_it(pinwheel, tmp_path):
    gpus = support(report_of(pinwheel, wheel_of(tmp_path, nvcc(tmp_path, *FEATURES))))
    # `a` code runs on that chip only, `f` code on its family; a family's PTX is compiled for that family only.
    assert gpus["H100"] == gpus["B200"] == gpus["B300"] == "native"
    assert gpus["GeForce RTX 5090"] == gpus["DGX Spark (GB10)"] == "ptx"
    assert gpus["A100"] == gpus["L4"] == gpus["Jetson AGX Thor"] == "none"


@needs_nvcc
def test_ptx_alone_runs_on_newer_gpus_and_lacks_every_cubin(pinwheel, tmp_path):
    library = nvcc(tmp_path, PTX_90)
    assert set(cuobjdump(library)) == {("ptx", "compute_90", True)}
    wheel = wheel_of(tmp_path, library)
    report = report_of(pinwheel, wheel)
    assert counted(report) == cuobjdump(library) and report["driver"]["ptx"] is not None
    gpus = support(report)
    assert gpus["H100"] == gpus["B200"] == gpus["GeForce RTX 5090"] == "ptx"
    assert gpus["A100"] == gpus["GeForce RTX 4090"] == "none"
    printed = call(pinwheel, "inspect", "--check", "--arch-list", "9.0+PTX", wheel, code=5)
    assert "has no device code for sm_90 (has PTX compute_90; claimed PTX compute_90, sm_90)" in printed.stdout


@needs_nvcc
def test_a_missing_architecture_is_an_error_and_so_is_an_extra_one(pinwheel, tmp_path):
    wheel = wheel_of(tmp_path, nvcc(tmp_path, CUBIN_80), "1.0+cu130")
    assert broken(report_of(pinwheel, wheel, "--arch-list", "8.0")) == set()
    printed = call(pinwheel, "inspect", "--check", "--arch-list", "8.0;9.0", wheel, code=5).stdout
    assert "[device-code] `demo/_C.so`: has no device code for sm_90 (" in printed
    printed = call(pinwheel, "inspect", "--check", "--arch-list", "9.0", wheel, code=5).stdout
    assert "has device code that was not requested: sm_80" in printed


@needs_nvcc
def test_device_linked_units_are_all_listed(pinwheel, tmp_path):
    one = "extern __device__ float twice(float v);\n" + KERNEL.format(name="scale", call="twice")
    two = "__device__ float twice(float v) { return 2 * v; }\n"
    library = nvcc(tmp_path, "-rdc=true", CUBIN_80, "-gencode=arch=compute_90,code=sm_90", sources=(one, two))
    assert "__nv_relfatbin" in call("readelf", "-SW", library).stdout
    report = report_of(pinwheel, wheel_of(tmp_path, library))
    pieces = cuobjdump(library)
    assert counted(report) == pieces and min(pieces.values()) >= 2
    assert broken(report_of(pinwheel, wheel_of(tmp_path, library), "--arch-list", "8.0;9.0")) == set()


def hip_object(place: pathlib.Path, name: str, *targets: str) -> pathlib.Path:
    source = place / f"{name}.hip"
    source.write_text("#include <hip/hip_runtime.h>\n" + KERNEL.format(name=name, call=""))
    offload = [f"--offload-arch={target}" for target in targets]
    call("env", "HIP_PLATFORM=amd", "hipcc", "-fPIC", *offload, "-c", source, "-o", place / f"{name}.o")
    return place / f"{name}.o"


def bundle_of(file: pathlib.Path) -> pathlib.Path:
    """The section into which hipcc puts its bundle."""
    out = file.with_suffix(".bundle")
    call("objcopy", "-O", "binary", "--only-section=.hip_fatbin", file, out)
    return out


def listed(bundle: pathlib.Path) -> list[str]:
    """The ids of a bundle's GPU entries, as clang's own program lists them."""
    names = call(BUNDLER, "--list", "--type=o", f"--input={bundle}").stdout.split()
    return [name for name in names if name.startswith("hip")]


def compress_bundle(file: pathlib.Path) -> pathlib.Path:
    """The object with its bundle repacked by the program of a newer compiler than Debian's."""
    bundle, packed, out = bundle_of(file), file.with_suffix(".ccob"), file.with_suffix(".packed.o")
    ids = listed(bundle)
    codes = [file.with_suffix(f".{number}.code") for number in range(len(ids))]
    outputs = [f"--output={code}" for code in codes]
    call(BUNDLER, "--unbundle", "--type=o", f"--targets={','.join(ids)}", f"--input={bundle}", *outputs)
    # As in the compiler's output, the host's entry comes first and is empty.
    targets = f"--targets={','.join(['host-x86_64-unknown-linux', *ids])}"
    inputs = [f"--input={code}" for code in ("/dev/null", *codes)]
    call(BUNDLER, "--compress", "--type=o", "--bundle-align=4096", targets, *inputs, f"--output={packed}")
    assert packed.read_bytes().startswith(b"CCOB") and sorted(listed(packed)) == sorted(ids)
    call("objcopy", f"--update-section=.hip_fatbin={packed}", file, out)
    return out


def test_the_bundle_of_a_hip_object_is_read(pinwheel, tmp_path):
    unit = hip_object(tmp_path, "scale", "gfx90a:xnack+", "gfx1030")
    for file in (unit, compress_bundle(unit), FIXTURES / "hip.o"):
        report = report_of(pinwheel, file)
        assert report["findings"] == []
        assert {code["arch"] for code in report["device_code"]} == {"gfx90a:xnack+", "gfx1030"}


@pytest.mark.parametrize("compressed", [(), (0,), (0, 1)], ids=["plain", "mixed", "compressed"])
def test_every_bundle_of_several_hip_units_is_read(pinwheel, tmp_path, compressed):
    units = [hip_object(tmp_path, "scale", "gfx90a:xnack+", "gfx1030"), hip_object(tmp_path, "shift", "gfx906")]
    targets = {name.split("--", 1)[1] for unit in units for name in listed(bundle_of(unit))}
    assert targets == {"gfx90a:xnack+", "gfx1030", "gfx906"}
    for number in compressed:
        units[number] = compress_bundle(units[number])
    library = tmp_path / "native.so"
    call("gcc", "-shared", "-o", library, *units)
    wheel = wheel_of(tmp_path, library)
    codes = {code["arch"]: code for code in report_of(pinwheel, wheel)["device_code"]}
    assert set(codes) == targets and {code["kind"] for code in codes.values()} == {"code-object"}
    packed = {"gfx90a:xnack+", "gfx1030"} if 0 in compressed else set()
    packed |= {"gfx906"} if 1 in compressed else set()
    assert {arch for arch, code in codes.items() if code["compression"] == "zstd"} == packed
    call(pinwheel, "inspect", "--check", "--arch-list", "gfx90a:xnack+;gfx1030;gfx906", wheel)
    call(pinwheel, "inspect", "--check", "--arch-list", "gfx90a:xnack+;gfx1030;gfx908", wheel, code=5)
