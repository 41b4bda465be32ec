"""Real torch, real kernels: the quickstart into an index, CUDA and ROCm classes without a GPU, a classic C++ extension."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import zipfile

import pytest
from indexes import pip_installs

MATRICES = pathlib.Path(__file__).parent / "matrices"
# Each GPU compiler takes minutes for the whole library, which is the tier `whole`; three families of operators show
# by default that it is led right.
FAMILIES = "cumsum,jagged,quantize"
WHOLE = [pytest.mark.whole, pytest.mark.takes(200)]
FLAVORS = [
    pytest.param(FAMILIES, id="families", marks=pytest.mark.takes(20)),
    pytest.param("full", id="full", marks=WHOLE),
]


@pytest.fixture
def run_kernels(pinwheel, environments, compiler_cache, tmp_path):
    """A function that runs a verb with its state and output below `tmp_path`; it returns the process and its report."""

    def run(verb: str, matrix: pathlib.Path, *options: str):
        places = ["--state-dir", str(tmp_path / "state"), "-o", str(tmp_path / "dist")]
        ran = subprocess.run(
            [pinwheel, verb, str(matrix), "--json", *places, *options],
            env=compiler_cache | {"PINWHEEL_CACHE_DIR": str(environments)},
            capture_output=True,
            text=True,
            timeout=3600,
        )
        print(ran.stderr)
        return ran, json.loads(ran.stdout) if ran.stdout else None

    return run


def changed(matrix: pathlib.Path, place: pathlib.Path, **changes: str) -> pathlib.Path:
    """A matrix in `place` with these texts changed, each of which it must have."""
    text = matrix.read_text()
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    written = place / "matrix.yaml"
    written.write_text(text)
    return written


def with_variables(**variables: str) -> dict[str, str]:
    """The change that adds variables to a matrix's environment."""
    text = "".join(f"    {name}: {json.dumps(value)}\n" for name, value in variables.items())
    return {"environment:\n": f"environment:\n  variables:\n{text}"}


def outcome(report, step: str):
    (found,) = [each for each in report["outcomes"] if each["id"] == step]
    return found


def quickstart(root: pathlib.Path, place: pathlib.Path, **changes: str) -> pathlib.Path:
    """The matrix of the quickstart in `place`, with these texts changed; it publishes into `place / "index"`."""
    places = {"../kernels": str(root / "kernels"), "../dist/index": "index"}
    return changed(root / "matrix" / "quickstart.yaml", place, **places, **changes)


@pytest.mark.takes(200)
def test_the_quickstart_is_built_tested_published_and_installed(run_kernels, root, tmp_path):
    matrix = quickstart(root, tmp_path)
    ran, report = run_kernels("release", matrix)
    assert ran.returncode == 0
    assert outcome(report, "test:cp311-cpu-torch2.13")["evidence"] == "ran"
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    assert "-py3-none-manylinux_" in wheel.name
    with zipfile.ZipFile(wheel) as archive:
        (record,) = [name for name in archive.namelist() if name.endswith(".dist-info/pinwheel.json")]
        result = json.loads(archive.read(record))
        assert result["variants"] == ["cp311-cpu-torch2.13"]
        assert outcome(report, f"build:{result['class']}")["state"] == "done"
        (metadata,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        assert archive.read(metadata).decode().count("Requires-Dist: torch") == 1
    target = tmp_path / "installed"
    index = (tmp_path / "index").as_uri() + "/"
    pip_installs(index, target, "--no-deps", "--pre", "pinwheel-kernels")
    assert (target / "pinwheel_kernels" / "libpinwheel_ops.so").is_file()

    again, report = run_kernels("release", matrix)
    assert again.returncode == 0
    assert {each["state"] for each in report["outcomes"]} == {"reused"}


@pytest.mark.parametrize(
    ("flavor", "tests", "least"),
    [
        pytest.param(FAMILIES, ("cumsum", "jagged", "quantize"), 300, id="families", marks=pytest.mark.takes(60)),
        pytest.param("full", (), 3000, id="full", marks=WHOLE),
    ],
)
def test_the_gpu_kernels_pass_the_operators_tests_on_an_emulator(run_kernels, root, tmp_path, flavor, tests, least):
    """The GPU's kernels take the place of the CPU's: each case that a GPU would run is run."""
    files = [f"{{package}}/tests/test_{name}.py" for name in tests] or ["{package}/tests"]
    changes = {
        **with_variables(CMAKE_ARGS="-DPINWHEEL_COMPUTE=emulated", PINWHEEL_FLAVOR=flavor),
        '"{package}/tests", -q': json.dumps([*files, "-q", "-k", "cuda"])[1:-1],
        "timeout: 20 min": "timeout: 50 min",
    }
    ran, report = run_kernels("test", quickstart(root, tmp_path, **changes))
    assert ran.returncode == 0
    test = outcome(report, "test:cp311-cpu-torch2.13")
    assert test["evidence"] == "ran"
    (passed,) = re.findall(r"\b(\d+) passed", pathlib.Path(test["log"]).read_text())
    assert int(passed) > least


@pytest.mark.takes(20)
def test_a_classic_extension_gets_a_wheel_for_its_python_and_torch(run_kernels, tmp_path):
    ran, report = run_kernels("test", MATRICES / "classic.yaml")
    assert ran.returncode == 0
    (test,) = [each for each in report["outcomes"] if each["id"].startswith("test:")]
    assert test["evidence"] == "ran"
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    assert "-cp311-cp311-manylinux_" in wheel.name and "+pt213cpu" in wheel.name
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        assert "Requires-Dist: torch==2.13.*" in archive.read(metadata).decode()


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on PATH")
@pytest.mark.parametrize("flavor", FLAVORS)
def test_a_cuda_class_is_built_and_checked_and_its_test_is_no_pass(pinwheel, run_kernels, root, tmp_path, flavor):
    variables = with_variables(PINWHEEL_FLAVOR=flavor, CMAKE_CUDA_COMPILER_LAUNCHER="ccache")
    places = {"../../../kernels": str(root / "kernels"), "../../../dist/never": "never"}
    matrix = changed(MATRICES / "kernels-cuda.yaml", tmp_path, **places, **variables)
    ran, report = run_kernels("test", matrix)
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

    gate, _ = run_kernels("release", matrix, "--channel", "ci")
    assert gate.returncode == 5
    assert "without the required evidence" in gate.stderr


def rocm_matrix(root: pathlib.Path, place: pathlib.Path, arch_list: str, flavor: str) -> pathlib.Path:
    """The matrix of Debian's ROCm in `place`, for these architectures; it would publish into `place / "never"`."""
    places = {"../../../kernels": str(root / "kernels"), "../../../dist/never": "never", "[gfx90a]": arch_list}
    variables = with_variables(PINWHEEL_FLAVOR=flavor, CMAKE_ARGS="-DCMAKE_HIP_COMPILER_LAUNCHER=ccache")
    return changed(MATRICES / "kernels-rocm.yaml", place, **places, **variables)


@pytest.mark.parametrize("flavor", FLAVORS)
def test_a_rocm_class_is_built_and_checked_and_never_published(pinwheel, run_kernels, root, tmp_path, flavor):
    matrix = rocm_matrix(root, tmp_path, "[gfx90a]", flavor)
    ran, report = run_kernels("test", matrix)
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

    refused, _ = run_kernels("release", matrix, "--channel", "ci")
    assert refused.returncode == 5
    assert "nothing to publish to `index`: everything selected is experimental" in refused.stderr
    assert not (tmp_path / "never").exists()


def test_an_architecture_that_hipcc_has_not_is_refused_before_anything_compiles(run_kernels, root, tmp_path):
    ran, report = run_kernels("build", rocm_matrix(root, tmp_path, "[gfx90a, gfx942]", "full"))
    assert ran.returncode == 4
    (build,) = [each for each in report["outcomes"] if each["id"].startswith("build:")]
    error_text = json.dumps(build["error"])
    assert "rocm/5.2" in error_text and "does not compile for `gfx942`; it has " in error_text and "gfx90a" in error_text
