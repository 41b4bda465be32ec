"""Which operators each flavor of the library has, and what happens when others are called."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import pinwheel_kernels as pk

pytestmark = pytest.mark.compiles

KERNELS = Path(__file__).resolve().parent.parent
PACKAGE = KERNELS / "python" / "pinwheel_kernels"
LEFT_OUT = {
    "full": set(),
    "inference": {
        "tbe_backward_dense",
        "tbe_backward_indice_weights",
        "tbe_backward_rowwise_adagrad_",
        "tbe_backward_sgd_",
    },
    "adagrad": {"tbe_backward_sgd_"},
}
COMPILER = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")
needs_cmake = pytest.mark.skipif(
    COMPILER is None or shutil.which("cmake") is None, reason="no CMake or no C++ compiler here"
)


def configure(flavor: str, build: Path, *options: str) -> None:
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    ran = subprocess.run(
        ["cmake", "-S", str(KERNELS), "-B", str(build), *generator, *options]
        + [f"-DPINWHEEL_FLAVOR={flavor}", "-DPINWHEEL_COMPUTE=cpu"]
        + [f"-DPINWHEEL_TORCH_DIR={Path(torch.__file__).parent}"],
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr


def sources(build: Path) -> set[str]:
    """The files in csrc/ that a configured build compiles."""
    commands = json.loads((build / "compile_commands.json").read_text())
    csrc = KERNELS / "csrc"
    return {str(Path(c["file"]).relative_to(csrc)) for c in commands if csrc in Path(c["file"]).parents}


def operators_of(files: set[str]) -> set[str]:
    """The operators whose schemas these files define."""
    text = "".join((KERNELS / "csrc" / file).read_text() for file in files if file.startswith("ops/"))
    return set(re.findall(r'm\.def\(\s*"(\w+)\(', text))


def registered() -> set[str]:
    names = torch._C._dispatch_get_all_op_names()
    return {n.removeprefix("pinwheel::") for n in names if n.startswith("pinwheel::")}


@pytest.fixture(scope="module")
def built_from(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """The sources of each flavor, by flavor."""
    flavors = {}
    for flavor in LEFT_OUT:
        build = tmp_path_factory.mktemp(flavor)
        configure(flavor, build)
        flavors[flavor] = sources(build)
    return flavors


@needs_cmake
def test_each_flavor_has_all_operators_except_those_it_leaves_out(built_from):
    everything = operators_of(built_from["full"])
    assert everything > LEFT_OUT["inference"]
    for flavor, missing in LEFT_OUT.items():
        assert operators_of(built_from[flavor]) == everything - missing, flavor


@needs_cmake
def test_no_source_of_an_absent_operator_is_compiled(built_from):
    def of(flavor: str, word: str) -> set[str]:
        return {name for name in built_from[flavor] if word in name}

    for family in ("embedding_sgd", "embedding_adagrad", "embedding_update", "embedding_dense"):
        assert len(of("full", family)) >= 2, family
        assert of("inference", family) == set()
    assert of("adagrad", "embedding_sgd") == set()
    assert of("adagrad", "embedding_update") == of("full", "embedding_update")


@needs_cmake
def test_this_library_has_the_operators_of_its_flavor(built_from):
    assert registered() == operators_of(built_from[pk.build_info().flavor])


@needs_cmake
@pytest.mark.parametrize("asked", ["adam", "cumsum,adam", "embedding_update"])
def test_an_unknown_flavor_is_an_error(asked, tmp_path):
    with pytest.raises(AssertionError, match="must be full, inference, adagrad"):
        configure(asked, tmp_path)


@needs_cmake
def test_a_list_of_families_is_a_flavor_with_what_they_use(tmp_path):
    configure("embedding_sgd,bucketize", tmp_path)
    built = sources(tmp_path)
    assert operators_of(built) == {
        "tbe_backward_sgd_",
        "block_bucketize_sparse_features",
        "asynchronous_complete_cumsum",
        "asynchronous_exclusive_cumsum",
        "asynchronous_inclusive_cumsum",
    }
    assert {"ops/embedding_update.cpp", "cpu/cumsum.cpp"} <= built


def lay_out(where: Path, library: Path, flavor: str) -> Path:
    """Creates a package with this library; returns the directory to put on sys.path."""
    package = where / "pinwheel_kernels"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(library, package / "libpinwheel_ops.so")
    (package / "_build.py").write_text(
        f'compute = "cpu"\narch_list = ""\nflavor = "{flavor}"\ntorch_target = "2.10"\n'
    )
    return where


ASK = """
import json, torch, pinwheel_kernels as pk
names = torch._C._dispatch_get_all_op_names()
said = {}
for name in sorted(pk._OPERATORS):
    if not hasattr(torch.ops.pinwheel, name):
        try:
            getattr(pk, name)(1, two=2)
        except RuntimeError as error:
            said[name] = str(error)
print(json.dumps([pk.build_info().flavor, sorted(n for n in names if n.startswith("pinwheel::")), said]))
"""


def ask(where: Path) -> tuple[str, set[str], dict[str, str]]:
    """The flavor of the package in `where`, its operators, and the errors of the missing ones."""
    ran = subprocess.run(
        [sys.executable, "-c", ASK],
        env=os.environ | {"PYTHONPATH": str(where)},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    flavor, names, said = json.loads(ran.stdout)
    return flavor, {name.removeprefix("pinwheel::") for name in names}, said


def message(name: str, flavor: str) -> str:
    return (
        f"the operator `{name}` is not in this build of pinwheel-kernels, of the flavor `{flavor}`; "
        "the flavor `full` has it"
    )


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler here")
def test_the_package_loads_without_any_operator_and_says_what_is_missing(tmp_path):
    empty = tmp_path / "empty.so"
    subprocess.run(
        [COMPILER, "-shared", "-fPIC", "-x", "c++", os.devnull, "-o", str(empty)], check=True
    )
    flavor, names, said = ask(lay_out(tmp_path / "package", empty, "inference"))
    assert (flavor, names) == ("inference", set())
    assert said == {name: message(name, "inference") for name in pk._OPERATORS}


@needs_cmake
@pytest.mark.skipif(
    "PINWHEEL_TEST_BUILDS" not in os.environ,
    reason="builds the library three times, which takes minutes: set PINWHEEL_TEST_BUILDS=1",
)
def test_the_flavors_that_are_built_are_smaller_and_name_what_they_lack(built_from, tmp_path):
    launcher = shutil.which("ccache")
    options = [f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}"] if launcher else []
    bytes_of = {}
    for flavor, missing in LEFT_OUT.items():
        build = tmp_path / flavor
        configure(flavor, build, *options)
        subprocess.run(["cmake", "--build", str(build)], check=True, capture_output=True)
        library = build / "libpinwheel_ops.so"
        bytes_of[flavor] = library.stat().st_size
        _, names, said = ask(lay_out(tmp_path / f"package-{flavor}", library, flavor))
        assert names == operators_of(built_from[flavor])
        assert said == {name: message(name, flavor) for name in missing}
    assert bytes_of["inference"] < bytes_of["adagrad"] < bytes_of["full"], bytes_of
