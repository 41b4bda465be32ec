"""Makes a project run in containers of the tests' engines."""

import os
import pathlib
import shutil

DOCKERFILES = pathlib.Path(__file__).parents[2] / "docker"
# Fails on any distribution but the image's, and as any user but the caller.
WHERE_AM_I = "import os; assert 'VERSION_CODENAME={}' in open('/etc/os-release').read(); assert os.getuid() == {}"


def contain(script, base: str, suite: str, python: str) -> None:
    """Gives a project the shipped Dockerfile for test images, on a base."""
    shutil.copytree(DOCKERFILES, script.directory / "docker")

    def change(matrix):
        matrix["axes"]["python"] = [python]
        matrix["environment"]["container"] = {"dockerfile": "docker/test.Dockerfile", "base": base}
        matrix["test"]["command"] = ["python", "-c", WHERE_AM_I.format(suite, os.getuid())]

    script.edit(change)


def contain_kernels(kernels, engine, channel: str, target: str, flavor: str) -> None:
    """Makes a kernels project build in a stage of the shipped build image on bookworm, with a Python of a channel."""
    bases = engine.import_bases()
    shutil.copytree(DOCKERFILES, kernels.directory / "docker")
    kernels.environment |= engine.added()
    kernels.environment |= {"PINWHEEL_CONDA": "rattler"}
    environment = {
        "container": {"dockerfile": "docker/build.Dockerfile", "target": target, "base": "debian:bookworm"},
        "conda": {"channels": [channel], "packages": ["python={python}"]},
        "variables": {"PINWHEEL_FLAVOR": flavor},
        "mirrors": {f"debian:{suite}": base for suite, base in bases.items()},
    }
    kernels.edit(lambda matrix: matrix["environment"].update(environment))


def in_bullseye(project, engine, bases):
    """A project in bullseye, with its Python 3.9."""
    script = project("script")
    contain(script, bases["bullseye"], "bullseye", "3.9")
    script.environment |= engine.added()
    script.levels = ["--engine", engine.name, "--python", "venv"]
    return script


def states(outcomes) -> set[str]:
    return {outcome["state"] for outcome in outcomes.values()}
