"""`build.split: architectures`: the device code of each architecture compiles in a step of its own, the wheel has the
bytes of a build in one step, and a build that does not allow it fails with the reason."""

import json

import pytest
from split_builds import NEEDS_NVCC, STEPS, Split, build_of, library_in, repeats, torchs_steps, uses

pytestmark = [NEEDS_NVCC, pytest.mark.takes(120)]


@pytest.fixture
def split(project):
    return Split(project("script"))


def test_the_wheel_has_the_bytes_of_a_build_in_one_step(split, tmp_path):
    split.use(None)
    build_of(split.build())
    plain = split.wheels()
    assert len(plain) == 1
    split.use()
    again = split.script.report("build", "matrix.yaml")
    assert build_of(again)["state"] == "reused" and not [step for step in again if step.startswith("device:")]
    outcomes = split.build()
    devices = sorted(step for step in outcomes if step.startswith("device:"))
    assert len(devices) == 2 and devices[0].endswith("@8.0") and devices[1].endswith("@9.0-ptx")
    assert split.wheels() == plain
    # cicc and ptxas, for two sources and two architectures. CMake tries the compiler before.
    assert uses(build_of(outcomes)) == (12, 0) and repeats(build_of(outcomes)) == []
    assert all(uses(outcomes[step]) == (0, 6) for step in devices)
    assert set(build_of(outcomes)["needs"]) >= set(devices)
    # Each step as a job of its own, which shares only a store.
    store = ("--store", f"dir:{tmp_path / 'store'}")
    for step in [*devices, next(step for step in outcomes if step.startswith("build:"))]:
        split.script.start_afresh()
        ran = split.script.report("build", "matrix.yaml", "--step", step, *store)
        assert ran[step]["state"] == "done"
        assert all(outcome["state"] == "reused" for one, outcome in ran.items()
                   if one in devices and one != step)  # fmt: skip
    assert split.wheels() == plain and uses(build_of(ran)) == (12, 0)
    # A job for device code of a wheel that the store has does nothing.
    split.script.start_afresh()
    assert split.script.report("build", "matrix.yaml", "--step", devices[0], *store) == {}
    assert split.wheels() == {}
    # A job that has the wheel fetches no device code.
    split.script.start_afresh()
    last = split.script.report("build", "matrix.yaml", *store)
    assert build_of(last)["state"] == "reused" and not set(last) & set(devices)
    assert split.wheels() == plain and not (split.script.output / ".device-code").exists()


@pytest.mark.parts
def test_sources_that_differ_between_steps_fail_and_are_named(split):
    split.write("string(RANDOM LENGTH 8 ALPHABET 0123456789abcdef word)\n"
                'file(WRITE ${CMAKE_BINARY_DIR}/word.h "static const char* word = \\"${word}\\";\\n")\n'
                "include_directories(${CMAKE_BINARY_DIR})", '#include "word.h"')  # fmt: skip
    split.use()
    outcome = build_of(split.build(code=5))
    message = json.dumps(outcome["error"])
    assert "`a.cu` for `compute_80` is not what the job of its architecture compiled" in message or (
        "`a.cu` for `compute_90`" in message
    )
    assert "its preprocessed code differs" in message and "remove `build.split`" in message


@pytest.mark.parts
def test_a_build_that_starts_nvcc_by_itself_fails_and_says_how_it_could_be_started(split):
    gencode = "-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=[sm_90,compute_90]"
    compile_all = f"nvcc -shared -Xcompiler -fPIC {gencode} a.cu -o b/libsplit.so"
    steps = ["set -e", "cd {package}", "mkdir b", compile_all, STEPS[-1]]
    split.use(steps=steps)
    outcomes = split.build(code=5)
    # The second step does not start after the first one failed.
    errors = [outcome["error"] for step, outcome in outcomes.items() if step.startswith("device:") and "error" in outcome]
    assert errors and all("compiled no device code that another job could use" in each["message"] for each in errors)
    assert "CMAKE_CUDA_COMPILER_LAUNCHER" in json.dumps(errors)
    assert build_of(outcomes)["state"] == "blocked"


@pytest.mark.parts
def test_an_architecture_that_no_step_compiles_is_compiled_with_the_wheel(split):
    split.write("set(CMAKE_CUDA_ARCHITECTURES 80-real 90 100-real)")
    split.use(None)
    split.build(code=5)  # `device-code`: the list is binding
    split.use()
    outcome = build_of(split.build(code=5))
    assert "sm_100" in json.dumps(outcome["error"]) and uses(outcome) == (12, 4)


def test_a_build_that_starts_nvcc_as_torch_extensions_do_is_split(split):
    split.use(None, torchs_steps("nvcc"))
    split.build()
    library = library_in(split.script.output)
    split.use("architectures", torchs_steps())
    outcome = build_of(split.build())
    assert uses(outcome) == (8, 0)
    # The wheels also have the digest of the command.
    assert library_in(split.script.output) == library


def test_wrong_settings_are_named(split):
    split.use(**{"arch-list": ["8.0"]})
    ran = split.script.run("plan", "matrix.yaml", code=2)
    assert "`build.split` needs several architectures" in ran.stderr
    split.script.edit(lambda matrix: matrix["axes"].update(compute=["cpu"]))
    ran = split.script.run("plan", "matrix.yaml", code=2)
    assert "`build.split` needs device code of CUDA" in ran.stderr
