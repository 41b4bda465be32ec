"""The bundled library in a repository with its own matrix."""

import pathlib
import shutil

from conftest import Project, environment_of_projects


def kernels_checkout(
    pinwheel: str, shared: pathlib.Path, root: pathlib.Path, place: pathlib.Path, text: str
) -> Project:
    """A project below `place` with `kernels/` and the matrix in `matrix/matrix.yaml`, tagged v1.2.0. Nothing is known
    of what pip resolved before."""
    directory = place / "one" / "project"
    made = shutil.ignore_patterns("__pycache__", "build", ".pytest_cache")
    shutil.copytree(root / "kernels", directory / "kernels", ignore=made)
    (directory / "matrix").mkdir()
    (directory / "matrix" / "matrix.yaml").write_text(text)
    one = Project(pinwheel, directory, environment_of_projects(shared), place / "no-resolutions")
    one.index = directory / "index"
    one.patience = 3600
    one.git("init", "-q")
    one.commit()
    return one
