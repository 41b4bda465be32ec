"""Real torch, real kernels: the quickstart into an index, CUDA and ROCm classes without a GPU, a classic C++ extension."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

import pytest

MATRICES = pathlib.Path(__file__).parent / "matrices"


def carry(pinwheel: str, verb: str, matrix: pathlib.Path, place: pathlib.Path, *options: str):
    """Runs a verb with its state and output below `place`; returns the process and its report."""
    ran = subprocess.run(
        [pinwheel, verb, str(matrix), "--json", "--state-dir", str(place / "state"), "-o", str(place / "dist"), *options],
        capture_output=True,
        text=True,
        timeout=900,
    )
    print(ran.stderr)
    return ran, json.loads(ran.stdout) if ran.stdout else None


def outcome(report, step: str):
    (found,) = [each for each in report["outcomes"] if each["id"] == step]
    return found


def quickstart(root: pathlib.Path, place: pathlib.Path, **changes: str) -> pathlib.Path:
    """The matrix of the quickstart in `place`, with these texts changed; it publishes into `place / "index"`."""
    text = (root / "matrix" / "quickstart.yaml").read_text()
    for old, new in {"../kernels": str(root / "kernels"), "../dist/index": "index", **changes}.items():
        assert old in text
        text = text.replace(old, new)
    matrix = place / "quickstart.yaml"
    matrix.write_text(text)
    return matrix


def test_the_quickstart_is_built_tested_published_and_installed(pinwheel, root, tmp_path):
    matrix = quickstart(root, tmp_path)
    ran, report = carry(pinwheel, "release", matrix, tmp_path)
    assert ran.returncode == 0
    assert outcome(report, "test:cp311-cpu-torch2.13")["evidence"] == "ran"
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    assert "-py3-none-manylinux_" in wheel.name
    with zipfile.ZipFile(wheel) as archive:
        (record,) = [name for name in archive.namelist() if name.endswith(".dist-info/pinwheel.json")]
        told = json.loads(archive.read(record))
        assert told["variants"] == ["cp311-cpu-torch2.13"]
        assert outcome(report, f"build:{told['class']}")["state"] == "done"
        (metadata,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        assert archive.read(metadata).decode().count("Requires-Dist: torch") == 1
    target = tmp_path / "installed"
    index = (tmp_path / "index").as_uri() + "/"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--pre", "--target", str(target)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    subprocess.run([*pip, "--isolated", "--index-url", index, "pinwheel-kernels"], check=True, env=environment)
    assert (target / "pinwheel_kernels" / "libpinwheel_ops.so").is_file()

    again, report = carry(pinwheel, "release", matrix, tmp_path)
    assert again.returncode == 0
    assert {each["state"] for each in report["outcomes"]} == {"reused"}


def test_the_gpu_kernels_pass_the_operators_tests_on_an_emulator(pinwheel, root, tmp_path):
    """The GPU's kernels take the place of the CPU's: each case that a GPU would run is run."""
    emulated = "environment:\n  variables: {CMAKE_ARGS: -DPINWHEEL_COMPUTE=emulated}\n"
    matrix = quickstart(
        root, tmp_path, **{"environment:\n": emulated, '"{package}/tests", -q': '"{package}/tests", -q, -k, cuda'}
    )
    ran, report = carry(pinwheel, "test", matrix, tmp_path)
    assert ran.returncode == 0
    test = outcome(report, "test:cp311-cpu-torch2.13")
    assert test["evidence"] == "ran"
    (passed,) = re.findall(r"\b(\d+) passed", pathlib.Path(test["log"]).read_text())
    assert int(passed) > 3000


def test_a_classic_extension_gets_a_wheel_for_its_python_and_torch(pinwheel, tmp_path):
    ran, report = carry(pinwheel, "test", MATRICES / "classic.yaml", tmp_path)
    assert ran.returncode == 0
    (test,) = [each for each in report["outcomes"] if each["id"].startswith("test:")]
    assert test["evidence"] == "ran"
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    assert "-cp311-cp311-manylinux_" in wheel.name and "+pt213cpu" in wheel.name
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        assert "Requires-Dist: torch==2.13.*" in archive.read(metadata).decode()


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on PATH")
def test_a_cuda_class_is_built_and_checked_and_its_test_is_no_pass(pinwheel, tmp_path):
    ran, report = carry(pinwheel, "test", MATRICES / "kernels-cuda.yaml", tmp_path)
    assert ran.returncode == 0
    assert outcome(report, "build:cu13")["state"] == "done"
    test = outcome(report, "test:cp311-cu130-torch2.13")
    assert (test["state"], test["evidence"]) == ("skipped", "inspected")
    assert test["reason"] == "no cu130 torch here"
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    inspected = subprocess.run(
        [pinwheel, "inspect", "--check", "--arch-list", "8.0", str(wheel)], capture_output=True, text=True
    )
    assert inspected.returncode == 5 and "sm_90a" in inspected.stdout

    gate, _ = carry(pinwheel, "release", MATRICES / "kernels-cuda.yaml", tmp_path, "--channel", "ci")
    assert gate.returncode == 5
    assert "without the required evidence" in gate.stderr


def rocm_matrix(root: pathlib.Path, place: pathlib.Path, arch_list: str) -> pathlib.Path:
    """The matrix of Debian's ROCm in `place`, for these architectures; it would publish into `place / "never"`."""
    text = (MATRICES / "kernels-rocm.yaml").read_text()
    for old, new in (("../../../kernels", str(root / "kernels")), ("../../../dist/never", "never"), ("[gfx90a]", arch_list)):
        assert old in text
        text = text.replace(old, new)
    matrix = place / "matrix.yaml"
    matrix.write_text(text)
    return matrix


def test_a_rocm_class_is_built_and_checked_and_never_published(pinwheel, root, tmp_path):
    matrix = rocm_matrix(root, tmp_path, "[gfx90a]")
    ran, report = carry(pinwheel, "test", matrix, tmp_path)
    assert ran.returncode == 0
    (build,) = [each for each in report["outcomes"] if each["id"].startswith("build:")]
    assert build["state"] == "done"
    (test,) = [each for each in report["outcomes"] if each["id"].startswith("test:")]
    assert (test["state"], test["evidence"]) == ("skipped", "inspected")
    assert test["reason"] == "no rocm5.2 torch here"
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    for arch_list, code in (("gfx90a", 0), ("gfx90a;gfx1030", 5)):
        inspect = [pinwheel, "inspect", "--check", "--arch-list", arch_list, str(wheel)]
        assert subprocess.run(inspect, stdout=subprocess.DEVNULL).returncode == code

    refused, _ = carry(pinwheel, "release", matrix, tmp_path, "--channel", "ci")
    assert refused.returncode == 5
    assert "`index` would get nothing: what is selected is experimental" in refused.stderr
    assert not (tmp_path / "never").exists()


def test_an_architecture_that_hipcc_has_not_is_refused_before_anything_compiles(pinwheel, root, tmp_path):
    ran, report = carry(pinwheel, "build", rocm_matrix(root, tmp_path, "[gfx90a, gfx942]"), tmp_path)
    assert ran.returncode == 4
    (build,) = [each for each in report["outcomes"] if each["id"].startswith("build:")]
    said = json.dumps(build["error"])
    assert "rocm/5.2" in said and "does not compile for `gfx942`; it has " in said and "gfx90a" in said
