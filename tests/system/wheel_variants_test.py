"""Wheel variants (the drafts PEP 825 and PEP 850), with the programs that read them: uv, variantlib and pip."""

import contextlib
import functools
import hashlib
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator

import pytest
from bucket_index import bucket_index
from compiled_wheels import TAGS, broken, call, make_wheel, report_of
from github_server import NAME, TOKEN, github_server
from loopback import serving

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


def finish(pinwheel: str, out: pathlib.Path, wheel: pathlib.Path, *options: str) -> pathlib.Path:
    made = call(pinwheel, "finish", wheel, *options, "-o", out).stdout
    return pathlib.Path(made.split(" sha256=")[0])


def variant_of(wheel: pathlib.Path) -> dict:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/variant.json"))
        return json.loads(archive.read(name))


# The variants of the demonstration: label, architectures.
LABELS = {"cu12": ("sm_80", "compute_80"), "cu13": ("sm_90", "compute_100")}
KERNEL_VERSIONS = {"cu12": "1.0+cu121", "cu13": "1.0+cu130"}


@pytest.fixture(scope="module")
def wheels(tmp_path_factory, pinwheel) -> pathlib.Path:
    """A plain wheel, and the variants `null`, `cu12` and `cu13` of PEP 850, all of one version."""
    place = tmp_path_factory.mktemp("variants")
    out = place / "out"
    plain = make_wheel(place, {"demo/__init__.py": b"flavor = 'plain'\n"}, "py3-none-any")
    finish(pinwheel, out, plain)
    finish(pinwheel, out, plain, "--variant", "null")
    for label, targets in LABELS.items():
        code = {"demo/__init__.py": f"flavor = '{label}'\n".encode(), "demo/_C.so": cuda_library(place, *targets)}
        wheel = make_wheel(place, code, TAGS, KERNEL_VERSIONS[label])
        finish(pinwheel, out, wheel, "--strip-local", "--variant", label)
    return out


def files_of(wheels: pathlib.Path) -> list[pathlib.Path]:
    """The wheels with the labels `cu12`, `cu13` and `null`, and that without one."""
    ends = [f"{TAGS}-cu12", f"{TAGS}-cu13", "py3-none-any-null", "py3-none-any"]
    return [wheels / f"demo_kit-1.0-{end}.whl" for end in ends]


@pytest.fixture(scope="module")
def links(wheels, tmp_path_factory) -> pathlib.Path:
    """The same with the file of an index that variantlib makes of them."""
    place = tmp_path_factory.mktemp("links") / "links"
    shutil.copytree(wheels, place)
    call(TOOLS / "variantlib", "generate-index-json", "-d", place)
    return place


@needs_nvcc
def test_finish_makes_variants_whose_properties_are_those_of_the_binaries(pinwheel, wheels, tmp_path):
    cu12, cu13, null, plain = files_of(wheels)
    stated = variant_of(cu12)
    assert stated["$schema"].endswith("/peps/850/v0.2.0.json")
    assert stated["variants"]["cu12"]["nvidia"]["sm_arch"] == ["80_real", "80_virtual"]
    # The PTX of this nvcc needs a newer driver than the release in the version.
    assert float(stated["variants"]["cu12"]["nvidia"]["cuda_version_lower_bound"][0]) >= 12.1
    assert variant_of(cu13)["variants"]["cu13"]["nvidia"]["sm_arch"] == ["100_virtual", "90_real"]
    assert variant_of(null)["variants"] == {"null": {}}
    for wheel in (cu12, cu13, null):
        assert broken(report_of(pinwheel, wheel)) <= {("relro", "warning")}
    again = tmp_path / "again"
    assert finish(pinwheel, again, plain, "--variant", "null").read_bytes() == null.read_bytes()


@needs_nvcc
def test_finish_refuses_labels_that_the_wheel_cannot_have(pinwheel, wheels, tmp_path):
    cu12, _, _, plain = files_of(wheels)
    refused = [
        (plain, "cpu", 5, "has no properties, so it is not the variant `cpu`"),
        (plain, "CPU", 2, "is not the label of a wheel variant"),
        (plain, "a" * 17, 2, "is not the label of a wheel variant"),
        (cu12, "cu13", 5, "is the variant `cu12` already"),
    ]
    for wheel, label, code, message in refused:
        done = call(pinwheel, "finish", wheel, "--variant", label, "-o", tmp_path / "out", code=code)
        assert message in done.stderr
    only = make_wheel(tmp_path, {"demo/_C.so": cuda_library(tmp_path, "sm_90a")}, TAGS, "2.0+cu130")
    done = call(pinwheel, "finish", "--strip-local", "--variant", "{label}", only, "-o", tmp_path / "out", code=5)
    assert "no property describes the GPUs" in done.stderr and "`9.0a`" in done.stderr
    assert not list((tmp_path / "out").glob("*.whl"))


def install_by_uv(project: str, source: list[str], place: pathlib.Path, variants: bool = True, **forced: str) -> None:
    """Installs it as uv does on a machine with this driver and GPU."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NV_VARIANT")}
    environment |= {f"NV_VARIANT_PROVIDER_FORCE_{name}": value for name, value in forced.items()}
    preview = ["--preview-features", "wheel-variants"] if variants else []
    command = ["-m", "uv", "--no-config", "--no-cache", *preview, "pip", "install", "--python-version", "3.11"]
    platform = ["--python-platform", "x86_64-manylinux_2_28", "--target", str(place), project]
    done = subprocess.run([sys.executable, *command, *platform, *source], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def installed_by_uv(source: list[str], place: pathlib.Path, variants: bool = True, **forced: str) -> str:
    """The flavor of the demonstration that uv installs."""
    install_by_uv("demo-kit", source, place, variants, **forced)
    namespace = {}
    exec((place / "demo" / "__init__.py").read_text(), namespace)
    return namespace["flavor"]


# Driver, GPU, and the wheel for them.
MACHINES = [
    ("13.3", "9.0", "cu13"),
    ("13.3", "10.3", "cu13"),
    ("13.3", "8.6", "cu12"),
    ("13.3", "7.5", "null"),
    ("12.0", "8.0", "null"),
    ("", "", "null"),
]


@needs_nvcc
@pytest.mark.parametrize("driver, gpu, flavor", MACHINES)
def test_uv_chooses_the_variant_for_the_machine(links, tmp_path, driver, gpu, flavor):
    forced = {"CUDA_DRIVER_VERSION": driver, "SM_ARCH": gpu} if driver else {}
    chosen = installed_by_uv(["--no-index", "--find-links", str(links)], tmp_path / "target", **forced)
    # The variant without properties has the contents of the plain wheel.
    assert chosen == {"null": "plain"}.get(flavor, flavor)
    (info,) = (tmp_path / "target").glob("*.dist-info")
    assert json.loads((info / "variant.json").read_text())["variants"].keys() == {flavor}


@needs_nvcc
def test_installers_without_variants_take_the_plain_wheel(links, tmp_path):
    source = ["--no-index", "--find-links", str(links)]
    forced = {"CUDA_DRIVER_VERSION": "13.3", "SM_ARCH": "9.0"}
    assert installed_by_uv(source, tmp_path / "uv", variants=False, **forced) == "plain"
    place = tmp_path / "pip"
    for_target = ["--python-version", "3.11", "--platform", "manylinux_2_28_x86_64", "--only-binary", ":all:"]
    call(sys.executable, "-m", "pip", "install", "--no-deps", *source, *for_target, "--target", place, "demo-kit")
    assert "plain" in (place / "demo" / "__init__.py").read_text()
    assert not list(place.glob("*.dist-info/variant.json"))


@needs_nvcc
def test_variantlib_reads_what_pinwheel_made(links):
    index = json.loads((links / "demo_kit-1.0-variants.json").read_text())
    assert index["variants"].keys() == {"cu12", "cu13", "null"}
    for wheel in links.glob("*-cu1*.whl"):
        (label,) = variant_of(wheel)["variants"]
        assert index["variants"][label] == variant_of(wheel)["variants"][label]
        assert index["providers"] == variant_of(wheel)["providers"]
        printed = call(TOOLS / "variantlib", "analyze-wheel", "-i", wheel).stdout
        assert "nvidia :: sm_arch" in printed


@needs_nvcc
def test_a_wheel_of_pep_825_is_written_and_uv_takes_the_plain_one(pinwheel, tmp_path):
    library = cuda_library(tmp_path, "sm_90")
    out = tmp_path / "out"
    finish(pinwheel, out, make_wheel(tmp_path, {"demo/__init__.py": b"flavor = 'plain'\n"}, "py3-none-any"))
    wheel = make_wheel(tmp_path, {"demo/__init__.py": b"flavor = 'cu13'\n", "demo/_C.so": library}, TAGS, "1.0+cu130")
    made = finish(pinwheel, out, wheel, "--strip-local", "--variant", "{label}", "--variant-draft", "pep825")
    assert made.name.endswith("-cu130.whl")
    stated = variant_of(made)
    assert "providers" not in stated and stated["$schema"].endswith("/peps/825/v0.1.1.json")
    assert report_of(pinwheel, made)["variant"]["draft"] == "pep825"
    (out / "demo_kit-1.0-variants.json").write_text(json.dumps(stated))
    # Without providers, uv cannot find out what the machine supports.
    source = ["--no-index", "--find-links", str(out)]
    assert installed_by_uv(source, tmp_path / "target", CUDA_DRIVER_VERSION="13.3", SM_ARCH="9.0") == "plain"


CUDA = {"cu126": ("cuda/12.6", ("sm_80",)), "cu130": ("cuda/13.0", ("sm_90", "sm_90a"))}


@pytest.fixture
def released(script, tmp_path):
    """A project for the CPU and two CUDA releases, which publishes wheel variants to a directory."""
    wheel = ["python", "{package}/make_wheel.py", "{dest_dir}"]
    built = []
    for label, (compute, targets) in CUDA.items():
        (script.directory / f"{label}.bin").write_bytes(cuda_library(tmp_path, *targets))
        command = [*wheel, "--file", f"{{package}}/{label}.bin", "--tag", "py3-none-linux_x86_64"]
        built.append({"when": {"compute": compute}, "build": {"command": command}})

    def change(matrix):
        matrix["axes"] = {"python": ["3.11"], "compute": ["cpu", *(compute for compute, _ in CUDA.values())]}
        matrix["environment"] = {"toolkit": "path", "variables": {"SCRIPT_FLAVOR": "{compute.label}"}}
        matrix["build"]["command"] = wheel
        matrix["overrides"] = built
        matrix["publish"] = {"index": {"kind": "directory", "path": "../index", "default": "cpu", "variants": "pep850"}}

    script.edit(change)
    # The builds only copy what was compiled above, so any compiler of that release will do.
    for variable, release in (("CUDA_HOME", "12.6"), ("CUDA_PATH", "13.0")):
        program = tmp_path / variable / "bin" / "nvcc"
        program.parent.mkdir(parents=True)
        program.write_text(f"#!/bin/sh\necho 'Cuda compilation tools, release {release}, V{release}.20'\n")
        program.chmod(0o755)
        script.environment[variable] = str(tmp_path / variable)
    return script


@contextlib.contextmanager
def site_of(index: pathlib.Path) -> Iterator[str]:
    """The URL of an index in a directory."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(index))
    with serving(handler) as url:
        yield f"{url}/"


def check_choices(url: str, tmp_path: pathlib.Path) -> None:
    """uv installs from the pages of an index what each machine needs."""
    machines = [("13.0", "9.0", "cu130"), ("13.0", "8.9", "cu126"), ("12.8", "9.0", "cpu"), ("12.5", "8.0", "cpu"), ("", "", "cpu")]
    for number, (driver, gpu, flavor) in enumerate(machines):
        forced = {"CUDA_DRIVER_VERSION": driver, "SM_ARCH": gpu} if driver else {}
        place = tmp_path / f"uv{number}"
        install_by_uv("script-only", ["--index-url", url, "--no-deps"], place, **forced)
        assert (place / "script_only.py").read_text() == f"FLAVOR = '{flavor}'\n"


@needs_nvcc
def test_a_release_publishes_variants_that_uv_and_pip_choose_from(pinwheel, released, tmp_path):
    report = released.report("release", "matrix.yaml")
    assert {outcome["state"] for outcome in report.values()} == {"done"}
    stem = "script_only-1.2.0-py3-none"
    linux = next(name for name in released.wheels() if name.endswith("-cu126.whl")).removesuffix("-cu126.whl")
    assert set(released.wheels()) == {f"{stem}-any.whl", f"{stem}-any-null.whl", f"{linux}-cu126.whl", f"{linux}-cu130.whl"}
    page = released.index / "script-only"
    listed = {file["filename"]: file for file in json.loads((page / "index.json").read_text())["files"]}
    assert set(listed) == {*released.wheels(), "script_only-1.2.0-variants.json"}
    described = (page / listed["script_only-1.2.0-variants.json"]["url"]).read_bytes()
    assert hashlib.sha256(described).hexdigest() == listed["script_only-1.2.0-variants.json"]["hashes"]["sha256"]
    stated = json.loads(described)["variants"]
    assert stated == {
        "null": {},
        "cu126": {"nvidia": {"cuda_version_lower_bound": ["12.6"], "sm_arch": ["80_real"]}},
        "cu130": {"nvidia": {"cuda_version_lower_bound": ["13.0"], "sm_arch": ["90_real"]}},
    }
    # variantlib makes the same of these wheels.
    shutil.copytree(released.output, tmp_path / "wheels")
    call(TOOLS / "variantlib", "generate-index-json", "-d", tmp_path / "wheels")
    theirs = json.loads((tmp_path / "wheels" / "script_only-1.2.0-variants.json").read_text())
    assert {**theirs, "$schema": ""} == {**json.loads(described), "$schema": ""}

    with site_of(released.index) as url:
        check_choices(url, tmp_path)
        pip = [sys.executable, "-m", "pip", "install", "--no-cache-dir", "--target", tmp_path / "pip"]
        call(*pip, "--index-url", url, "script-only")
    assert "'cpu'" in (tmp_path / "pip" / "script_only.py").read_text()
    checked = call(pinwheel, "index", "check", released.index, "script-only", "--json", code=None)
    assert not [one for one in json.loads(checked.stdout)["findings"] if "variants.json" in one["file"]]


@needs_nvcc
def test_a_second_version_and_a_repeated_release_keep_the_variants(released):
    released.report("release", "matrix.yaml")
    page = released.index / "script-only" / "index.json"
    first = page.read_text()
    released.report("release", "matrix.yaml")
    assert page.read_text() == first
    released.git("commit", "-q", "--allow-empty", "-m", "change")
    released.git("tag", "v1.3.0")
    released.report("release", "matrix.yaml")
    listed = {file["filename"]: file for file in json.loads(page.read_text())["files"]}
    for version in ("1.2.0", "1.3.0"):
        file = listed[f"script_only-{version}-variants.json"]
        assert json.loads((page.parent / file["url"]).read_text())["variants"].keys() == {"null", "cu126", "cu130"}


@needs_nvcc
def test_labels_that_no_property_distinguishes_stop_a_release_before_it_publishes(released, tmp_path):
    only = cuda_library(tmp_path, "sm_90a")
    (released.directory / "cu126.bin").write_bytes(only)
    released.commit()
    refused = released.report("release", "matrix.yaml", code=5)
    (failed,) = (outcome for outcome in refused.values() if outcome["state"] == "failed")
    assert "no property describes the GPUs" in json.dumps(failed)
    assert not released.index.exists()


VARIANTS = {"default": "cpu", "variants": "pep850"}


@needs_nvcc
def test_uv_chooses_from_a_bucket_which_never_has_a_page_without_its_variants(released, tmp_path):
    pytest.importorskip("moto")
    with bucket_index() as bucket:
        released.environment |= bucket.variables
        target = {"kind": "s3", "bucket": bucket.url, **VARIANTS}
        released.edit(lambda matrix: matrix.update(publish={"index": target}))
        released.report("release", "matrix.yaml")
        (described,) = (path for path in bucket.paths() if path.endswith("-variants.json"))
        assert hashlib.sha256(bucket.get(described)).hexdigest() in described.split("/")
        assert bucket.head(described)["ContentType"] == "application/json"
        with bucket.site() as url:
            check_choices(url, tmp_path)


@needs_nvcc
def test_uv_chooses_from_pages_that_link_to_a_release_on_github(released, tmp_path):
    with github_server() as server:
        released.environment |= {"GITHUB_TOKEN": TOKEN, "GITHUB_API_URL": server.url}
        publish = {
            "github": {"kind": "github-release", "repository": NAME, **VARIANTS},
            "pages": {"kind": "directory", "path": "../index", "files": "github", **VARIANTS},
        }
        channels = {"release": {"publish": ["github", "pages"]}}
        released.edit(lambda matrix: matrix.update(publish=publish, channels=channels))
        released.report("release", "matrix.yaml")
        assert not list(released.index.rglob("*.whl"))
        with site_of(released.index) as url:
            check_choices(url, tmp_path)
