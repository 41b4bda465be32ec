"""Predictions of `compat`, compared with the real dynamic linker after importing a real torch."""

import pathlib
import platform
import subprocess
import sys
import zipfile

import pytest
from real_torch import (
    assert_loads_as_predicted,
    compat,
    fetch_wheels,
    judged,
    judged_here,
    opened,
    site_packages,
    torch_python,
)

pytestmark = [
    pytest.mark.xdist_group("real-torch"),
    pytest.mark.skipif(
        platform.machine() != "x86_64" or sys.version_info[:2] != (3, 11), reason="the wheels are for 3.11 on x86_64"
    ),
]

TORCH = "2.13.0"
# Releases for this torch and for older and newer ones, with and without CUDA, for the C++ ABI and the Stable ABI,
# and some that do not use torch at all.
WHEELS = [
    "fbgemm-gpu-cpu==1.6.0",
    "fbgemm-gpu-cpu==1.7.0",
    "fbgemm-gpu-cpu==1.8.0",
    "fbgemm-gpu-cpu==1.9.0",
    "torchaudio==2.9.0",
    "torchaudio==2.11.0",
    "torchcodec==0.8.0",
    "torchcodec==0.17.0",
    "torchvision==0.24.0",
    "torchtext==0.18.0",
    "torchao==0.18.0",
    "sentencepiece==0.2.3",
    "pillow==13.0.0",
    "numpy==2.4.6",
]


@pytest.fixture(scope="module")
def python() -> pathlib.Path:
    """An interpreter with the torch that this module tests."""
    return torch_python(TORCH)


@pytest.mark.parametrize("requirement", WHEELS)
def test_every_library_of_a_real_wheel_loads_exactly_as_predicted(requirement, pinwheel, python, tmp_path):
    (wheel,) = fetch_wheels([requirement])
    assert_loads_as_predicted(judged_here(pinwheel, wheel, python), opened(wheel, python, tmp_path))


def test_a_real_wheel_for_another_torch_is_refused_by_name(pinwheel, python):
    (wheel,) = fetch_wheels(["fbgemm-gpu-cpu==1.7.0"])
    ran = compat(pinwheel, wheel, python, "--torch", TORCH + "+cpu", "--require", f"torch=={TORCH}", code=5)
    assert f"does not load on torch {TORCH}+cpu: `" in ran.stderr
    assert "[undefined-symbols] `fbgemm_gpu/" in ran.stderr and "is missing (" in ran.stderr
    (right,) = fetch_wheels(["fbgemm-gpu-cpu==1.8.0"])
    compat(pinwheel, right, python, "--torch", TORCH + "+cpu", "--require", f"torch=={TORCH}")


class Extension:
    """A wheel with libraries linked to the installed torch."""

    def __init__(self, place: pathlib.Path, python: pathlib.Path, package: str = "demo"):
        self.place = place
        self.package = package
        self.torch = site_packages(python) / "torch" / "lib"
        self.files: dict[str, pathlib.Path] = {}

    def compile(self, name: str, source: str, *arguments: str) -> "Extension":
        text = self.place / f"{name}.cc"
        text.write_text(source)
        output = self.place / name
        link = ["-L", self.torch, "-L", self.place, "-Wl,--no-as-needed", *arguments]
        subprocess.run(
            ["g++", "-shared", "-fPIC", "-o", output, text, f"-Wl,-soname,{name}", "-Wl,-rpath,$ORIGIN", *link], check=True
        )
        self.files[f"{self.package}/{name}"] = output
        return self

    def wheel(self) -> pathlib.Path:
        path = self.place / f"{self.package}-1.0-cp311-cp311-manylinux_2_28_x86_64.whl"
        info = f"{self.package}-1.0.dist-info"
        with zipfile.ZipFile(path, "w") as archive:
            for member, file in self.files.items():
                archive.write(file, member)
            archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {self.package}\nVersion: 1.0\n")
            tag = "cp311-cp311-manylinux_2_28_x86_64"
            archive.writestr(f"{info}/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: {tag}\n")
            archive.writestr(f"{info}/RECORD", "")
        return path


@pytest.fixture
def extension(python, tmp_path):
    return Extension(tmp_path, python)


TORCH_LIBRARIES = ("-ltorch_cpu", "-lc10")


def agreed(extension: Extension, pinwheel: str, python: pathlib.Path, place: pathlib.Path) -> dict:
    """The verdict, once the dynamic linker has confirmed it."""
    wheel = extension.wheel()
    verdict = judged(pinwheel, wheel, python)
    assert_loads_as_predicted(verdict, opened(wheel, python, place))
    return verdict


def test_a_missing_symbol_is_named(extension, pinwheel, python, tmp_path):
    source = "namespace c10 { void vanished(int); }\nvoid f() { c10::vanished(1); }\n"
    verdict = agreed(extension.compile("_C.so", source, *TORCH_LIBRARIES), pinwheel, python, tmp_path)
    assert not verdict["loads"] and verdict["verdict"] == "no"
    (missing,) = verdict["missing"]
    assert missing["symbol"] == "_ZN3c108vanishedEi" and missing["name"] == "c10::vanished(int)"
    assert missing["needed_by"] == ["demo/_C.so"]


def test_a_weak_symbol_may_stay_undefined(extension, pinwheel, python, tmp_path):
    source = 'extern "C" void __attribute__((weak)) aoti_torch_optional();\nvoid f() { if (aoti_torch_optional) aoti_torch_optional(); }\n'
    verdict = agreed(extension.compile("_C.so", source, *TORCH_LIBRARIES), pinwheel, python, tmp_path)
    assert verdict["loads"] and verdict["missing"] == []


def test_a_symbol_of_a_sibling_library_is_found(extension, pinwheel, python, tmp_path):
    extension.compile("libhelp.so", "namespace at { int help() { return 1; } }\n")
    source = "namespace at { int help(); }\nint f() { return at::help(); }\n"
    verdict = agreed(extension.compile("_C.so", source, "-lhelp", *TORCH_LIBRARIES), pinwheel, python, tmp_path)
    assert verdict["loads"] and verdict["failing"] == []


def test_a_symbol_of_a_sibling_that_is_not_needed_is_missing(extension, pinwheel, python, tmp_path):
    extension.compile("libhelp.so", "namespace at { int help() { return 1; } }\n")
    source = "namespace at { int help(); }\nint f() { return at::help(); }\n"
    verdict = agreed(extension.compile("_C.so", source, *TORCH_LIBRARIES), pinwheel, python, tmp_path)
    assert [each["symbol"] for each in verdict["missing"]] == ["_ZN2at4helpEv"]


def test_a_torch_symbol_outside_the_closure_is_missing(extension, pinwheel, python, tmp_path):
    source = 'extern "C" int aoti_torch_device_type_cpu();\nint f() { return aoti_torch_device_type_cpu(); }\n'
    inside = agreed(extension.compile("_C.so", source, "-ltorch_cpu"), pinwheel, python, tmp_path / "inside")
    assert inside["loads"] and inside["verdict"] == "guaranteed"
    outside = agreed(extension.compile("_C.so", source, "-lc10"), pinwheel, python, tmp_path / "outside")
    assert [each["symbol"] for each in outside["missing"]] == ["aoti_torch_device_type_cpu"]


def test_a_library_that_nothing_provides_is_listed_separately(extension, pinwheel, python, tmp_path):
    extension.compile("libcudart.so.12", "int cudart;\n").files.clear()
    extension.compile("_C.so", "int f() { return 1; }\n", *TORCH_LIBRARIES, "-l:libcudart.so.12")
    verdict = agreed(extension, pinwheel, python, tmp_path)
    assert verdict["loads"] and verdict["needed_unresolved"] == ["libcudart.so.12"]
    assert verdict["verdict"] == "symbols-resolve"
