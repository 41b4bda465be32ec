"""Where the Python package of pinwheel finds its program, for each way in which pip installs the two."""

import pathlib
import shutil
import subprocess
import sys

import pytest

PACKAGE = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "pinwheel_cli"


def program_in(directory: pathlib.Path) -> pathlib.Path:
    directory.mkdir(parents=True)
    program = directory / "pinwheel"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return program


def found(python: str | pathlib.Path, packages: pathlib.Path, before: str = "") -> pathlib.Path:
    shutil.copytree(PACKAGE, packages / "pinwheel_cli")
    code = f"import sys; sys.path.insert(0, {str(packages)!r}); {before}"
    code += "import pinwheel_cli; print(pinwheel_cli.find_binary())"
    ran = subprocess.run([python, "-I", "-c", code], capture_output=True, text=True, check=True)
    return pathlib.Path(ran.stdout.strip())


@pytest.mark.parametrize(
    "packages, scripts",
    [
        ("lib/python3.12/site-packages", "bin"),  # --prefix, and what --system-site-packages shares
        ("local/lib/python3.11/dist-packages", "local/bin"),  # --prefix on Debian
        ("lib64/python3.12/site-packages", "bin"),
        ("anywhere", "anywhere/bin"),  # --target
    ],
)
def test_the_program_next_to_the_package_is_found(tmp_path, packages, scripts):
    program = program_in(tmp_path / scripts)
    assert found(sys.executable, tmp_path / packages) == program


def test_the_program_of_the_environment_comes_after_that_next_to_the_package(tmp_path):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    (tmp_path / "venv" / "bin" / "pinwheel").symlink_to("/bin/true")
    python = tmp_path / "venv" / "bin" / "python"
    prefix_program = program_in(tmp_path / "prefix" / "bin")
    assert found(python, tmp_path / "prefix" / "lib" / "python3.11" / "site-packages") == prefix_program
    assert found(python, tmp_path / "elsewhere") == tmp_path / "venv" / "bin" / "pinwheel"


def test_the_program_of_the_interpreter_that_made_the_environment_is_found(tmp_path):
    program = program_in(tmp_path / "base" / "bin")
    base = f"sys.base_prefix = {str(tmp_path / 'base')!r}; "
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    assert found(tmp_path / "venv" / "bin" / "python", tmp_path / "elsewhere", base) == program
