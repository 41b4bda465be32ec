"""The commands of the store for tests."""

import subprocess

from conftest import Project


def store(project: Project, *arguments: str, code: int = 0, **environment: str) -> subprocess.CompletedProcess:
    return project.run("store", *arguments, code=code, **environment)
