"""Wheel variants (the drafts PEP 825 and PEP 850), with the programs that read them: uv, variantlib and pip."""

import pathlib
import shutil
import sys

import pytest
from compiled_wheels import TAGS, broken, call, make_wheel, report_of

TOOLS = pathlib.Path(sys.executable).parent
PROVIDERS = """
[variant.default-priorities]
namespace = ["nvidia"]
[variant.providers.nvidia]
requires = ["nvidia-variant-provider>=0.0.1"]
plugin-api = "nvidia_variant_provider.plugin:NvidiaVariantPlugin"
"""
KERNEL = "__global__ void scale(float* values) { values[threadIdx.x] *= 2; }\n"

needs_nvcc = pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on PATH")


def cuda_library(place: pathlib.Path, *targets: str) -> bytes:
    """A library with code for these: "sm_80", "sm_90a", "compute_90"."""
    (place / "native.cu").write_text(KERNEL)
    flags = [f"-gencode=arch=compute_{target.rpartition('_')[2]},code={target}" for target in targets]
    call("nvcc", "-shared", "-Xcompiler", "-fPIC", "-cudart", "none", *flags, "-o", place / "native.so", place / "native.cu")
    return (place / "native.so").read_bytes()


def foreign_variant(place: pathlib.Path, wheel: pathlib.Path, label: str, *properties: str) -> pathlib.Path:
    """The variant of the wheel that variantlib makes."""
    (place / "variants.toml").write_text(PROVIDERS)
    out = place / "variantlib"
    out.mkdir(exist_ok=True)
    stated = [part for text in properties for part in ("-p", text)] + ["--variant-label", label]
    fixed = ["--skip-plugin-validation", "--pyproject-toml", place / "variants.toml"]
    made = stated if properties else ["--null-variant"]
    call(TOOLS / "variantlib", "make-variant", "-f", wheel, "-o", out, *made, *fixed)
    return out / wheel.name.replace(".whl", f"-{label}.whl")


@needs_nvcc
def test_inspect_reads_a_variant_that_variantlib_made(pinwheel, tmp_path):
    wheel = make_wheel(tmp_path, {"demo/_C.so": cuda_library(tmp_path, "sm_80", "compute_90")}, TAGS)
    kept = ["nvidia :: cuda_version_lower_bound :: 13.1", "nvidia :: sm_arch :: 80_real", "nvidia :: sm_arch :: 90_virtual"]
    report = report_of(pinwheel, foreign_variant(tmp_path, wheel, "cu131", *kept))
    variant = report["variant"]
    assert (variant["label"], variant["draft"], variant["variants"]) == ("cu131", "pep850", {"cu131": kept})
    assert not any(rule == "variant" for rule, _ in broken(report))
    null = foreign_variant(tmp_path, wheel, "null")
    assert report_of(pinwheel, null)["variant"]["variants"] == {"null": []}
    shown = call(pinwheel, "inspect", null).stdout
    assert "null, draft PEP 850" in shown
    # Another name does not change what the wheel contains.
    renamed = shutil.copy(null, null.with_name(null.name.replace("-null", "-cpu")))
    assert ("variant", "error") in broken(report_of(pinwheel, renamed))
    assert report_of(pinwheel, wheel)["variant"] is None


@needs_nvcc
@pytest.mark.parametrize(
    "promised, severity",
    [
        ("nvidia :: sm_arch :: 90_real", "error"),
        ("nvidia :: sm_arch :: 90a_real", "warning"),
        ("nvidia :: sm_arch :: 100_real", "error"),
        ("nvidia :: cuda_version_lower_bound :: 11.8", "error"),
    ],
)
def test_inspect_finds_promises_that_the_device_code_does_not_keep(pinwheel, tmp_path, promised, severity):
    library = cuda_library(tmp_path, "sm_80", "sm_90a", "compute_80")
    wheel = make_wheel(tmp_path, {"demo/_C.so": library}, TAGS)
    kept = ["nvidia :: sm_arch :: 80_virtual", "nvidia :: cuda_version_lower_bound :: 13.1"]
    stated = [text for text in kept if text.split()[2] != promised.split()[2]]
    variant = foreign_variant(tmp_path, wheel, "x", promised, *stated)
    assert {level for rule, level in broken(report_of(pinwheel, variant)) if rule == "variant"} == {severity}
    call(pinwheel, "inspect", "--check", "--select", "variant", variant, code=5 if severity == "error" else 0)
    call(pinwheel, "inspect", "--check", "--strict", "--select", "variant", variant, code=5)
