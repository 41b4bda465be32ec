"""A variant for another architecture: refused if nothing produces its code, built in a container of that kind."""

import pathlib
import platform

import pytest
from bases import base_archive
from conftest import PYTHON
from emulation import BASE_PACKAGES, emulated

OTHER = {"x86_64": "aarch64", "aarch64": "x86_64"}[platform.machine()]
VARIANT = f"cp{PYTHON.replace('.', '')}-plain-{OTHER}"
DOCKERFILE = """ARG BASE_IMAGE
FROM ${BASE_IMAGE}
RUN uname -m > /machine && c++ --version && python3 --version
"""


@pytest.fixture
def extension(project):
    extension = project("extension")

    def change(matrix):
        matrix["axes"].update(flavor=["plain"], arch=[OTHER])
        matrix["package"].update(sdist=False)

    extension.edit(change)
    return extension


def test_a_compiler_for_the_wrong_architecture_is_refused_before_compiling(extension):
    outcomes = extension.report("build", "matrix.yaml", code=4)
    outcome = outcomes[f"build:{VARIANT}"]
    message = outcome["error"]["message"]
    assert f"the build is for `{OTHER}`" in message and f"targets `{platform.machine()}`" in message
    assert f"--base-image @{OTHER}=IMAGE" in outcome["error"]["hint"]
    assert outcome["attempts"] == 1 and extension.wheels() == {}


@pytest.mark.docker
@pytest.mark.arm64
def test_a_container_of_that_architecture_builds_and_tests_it(extension, engine):
    image = f"pinwheel-test/debian:bookworm-{OTHER}"
    with emulated(OTHER):
        engine.call("import", str(base_archive("bookworm", OTHER, BASE_PACKAGES)), image)
        (extension.directory / "docker").mkdir()
        pathlib.Path(extension.directory, "docker", "Dockerfile").write_text(DOCKERFILE)

        def change(matrix):
            # This image is not used: `--base-image` replaces it for this architecture.
            matrix["environment"]["container"] = {"dockerfile": "docker/Dockerfile", "base": "nowhere/none:1"}
            matrix["axes"]["python"] = ["3.11"]
            matrix["build"]["timeout"] = matrix["test"]["timeout"] = "15 min"

        extension.edit(change)
        extension.patience = 1800
        extension.environment |= engine.added()
        outcomes = extension.report(
            "test", "matrix.yaml", "--engine", engine.name, "--python", "venv", "--base-image", f"@{OTHER}={image}"
        )
    assert {outcome["state"] for outcome in outcomes.values()} == {"done"}
    assert [outcome["evidence"] for step, outcome in outcomes.items() if step.startswith("test:")] == ["ran"]
    (wheel,) = extension.wheels()
    assert wheel.endswith(f"_{OTHER}.whl")
    assert engine.containers() == []
