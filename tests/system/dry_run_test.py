"""The script that `build --dry-run` prints makes the same files as `build`."""

import re
import subprocess

import pytest
from split_builds import NEEDS_NVCC, Split


@pytest.fixture
def extension(project):
    return project("extension")


def test_the_script_makes_the_same_files(extension, tmp_path):
    script = extension.run("build", "matrix.yaml", "--dry-run").stdout
    assert extension.wheels() == {} and extension.starts() == {}
    clean = tmp_path / "clean"
    clean.mkdir()
    ran = subprocess.run(
        ["bash"], input=script, cwd=clean, env=extension.environment, capture_output=True, text=True, timeout=240
    )
    assert ran.returncode == 0, ran.stderr
    assert list(clean.iterdir()) == []
    by_hand = extension.wheels()
    assert len(by_hand) == 3
    extension.start_afresh()
    extension.run("build", "matrix.yaml")
    assert by_hand == extension.wheels()


def test_a_dry_run_of_a_release_lists_its_actions_and_does_nothing(extension):
    extension.edit(lambda matrix: matrix["publish"]["index"].update({"keep-nightlies": 14}))
    script = extension.run("release", "matrix.yaml", "--dry-run").stdout
    assert "# would publish to index, and keep its newest 14 nightlies\n" in script
    assert script.count("# would install the wheel of build:") == 2
    assert extension.wheels() == {} and not extension.index.exists()
    subprocess.run(["bash", "-n"], input=script, check=True, text=True)


@NEEDS_NVCC
@pytest.mark.parts
@pytest.mark.takes(90)
def test_the_script_compiles_the_device_code_of_each_architecture(project, tmp_path):
    split = Split(project("script"))
    split.use()
    script = split.script.run("build", "matrix.yaml", "--dry-run").stdout
    parts = re.findall(r"^# device:\S+@(\S+)\n(.*?)(?=^# (?:device|build):)", script, re.MULTILINE | re.DOTALL)
    assert [architecture for architecture, _ in parts] == ["8.0", "9.0-ptx"]
    for (_, lines), number in zip(parts, ("80", "90"), strict=True):
        assert re.search(rf"/device-code/mode\W* <<'PINWHEEL_END'\n{number}\nPINWHEEL_END\n", lines), lines
        assert "CMAKE_CUDA_COMPILER_LAUNCHER=" in lines and "cmake --build b" in lines
    # A line for each start of cicc and ptxas whose output was stored.
    script += "find \"$scratch\" -path '*/device-code/uses' -exec sh -c 'echo \"== $1\"; cat \"$1\"' sh {} \\;\n"
    clean = tmp_path / "clean"
    clean.mkdir()
    ran = subprocess.run(
        ["bash"], input=script, cwd=clean, env=split.script.environment, capture_output=True, text=True, timeout=600
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    compiled = []
    for uses in re.split(r"^== ", ran.stdout, flags=re.MULTILINE)[1:]:
        lines = [line.split("\t") for line in uses.splitlines()]
        compiled.append({line[2] for line in lines if line[:2] == ["made", "cicc"] and line[3].endswith("/a.cu")})
    assert sorted(compiled, key=str) == [{"compute_80"}, {"compute_90"}]
    by_hand = split.wheels()
    split.use(None)
    split.build()
    assert by_hand == split.wheels()
