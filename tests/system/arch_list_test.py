"""`build.arch-list` reaches a CMake project without torch; if the project goes its own way, the hint says where."""

import json
import shutil

import pytest

pytestmark = [
    pytest.mark.skipif(shutil.which("nvcc") is None, reason="compiles CUDA"),
    pytest.mark.takes(40),
]

FILES = {
    "pyproject.toml": "[build-system]\nrequires = ['scikit-build-core>=0.10']\n"
    "build-backend = 'scikit_build_core.build'\n"
    "[project]\nname = 'cuda-demo'\nversion = '1.2.0'\n[tool.scikit-build]\nwheel.py-api = 'py3'\n",
    "CMakeLists.txt": "cmake_minimum_required(VERSION 3.20)\nproject(cuda_demo LANGUAGES CXX CUDA)\n{own}"
    "add_library(demo SHARED demo.cu)\ninstall(TARGETS demo DESTINATION cuda_demo)\n"
    "install(FILES __init__.py DESTINATION cuda_demo)\n",
    "demo.cu": '__global__ void twice(int* x) { *x *= 2; }\nextern "C" void run(int* x) { twice<<<1, 1>>>(x); }\n',
    "__init__.py": "",
}
MATRIX = {
    "schema": "pinwheel/1",
    "package": {"name": "cuda-demo", "source": ".", "version": {"from": "project"}},
    "axes": {"python": ["3.11"], "compute": ["cuda/13.0"]},
    "abi": {"python": "none"},
    "build": {"arch-list": ["8.0", "9.0+PTX"], "timeout": "10 min"},
}


@pytest.fixture
def cuda(project):
    """A function that makes the project; `own` is a line of its CMakeLists.txt, once CUDA is found."""

    def make(own: str = ""):
        one = project("script")
        for name, text in FILES.items():
            (one.directory / name).write_text(text.replace("{own}", own))
        (one.directory / "matrix.yaml").write_text(json.dumps(MATRIX))
        one.commit()
        return one

    return make


def test_a_cmake_project_without_torch_gets_the_architectures(cuda):
    one = cuda()
    (build,) = [each for step, each in one.report("build", "matrix.yaml").items() if step.startswith("build:")]
    assert build["state"] == "done"
    ran = one.run("inspect", "--json", build["outputs"][0]["path"])
    assert all(name in ran.stdout for name in ("sm_80", "sm_90", "compute_90"))
    assert "compute_80" not in ran.stdout


def test_a_project_that_sets_its_own_gets_a_hint_how_to_pass_them(cuda):
    one = cuda("set(CMAKE_CUDA_ARCHITECTURES 75)\n")
    ran = one.run("build", "matrix.yaml", code=5)
    assert "sm_75" in ran.stderr
    assert "the log shows CMake's CUDA language, which reads `CUDAARCHS`" in ran.stderr

    def passed(matrix):
        matrix["build"]["command"] = ["python", "-m", "build", "--wheel", "--no-isolation", "--outdir", "{dest_dir}"]
        matrix["build"]["command"] += ["-Ccmake.define.CMAKE_CUDA_ARCHITECTURES={arch-list.cmake}", "{package}"]
        matrix["environment"] = {"pip": ["build"]}

    (one.directory / "CMakeLists.txt").write_text(FILES["CMakeLists.txt"].replace("{own}", ""))
    one.edit(passed)
    one.run("build", "matrix.yaml")
