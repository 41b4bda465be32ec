"""What matrix/pinwheel.yaml tests of the wheel, where nothing but it is installed."""

import importlib.metadata
import pathlib
import shutil
import subprocess
import sys

import pinwheel_cli
import pytest

MATRIX = """\
schema: pinwheel/1
package: {name: demo, source: ..}
axes: {python: ["3.11"]}
"""


def output(*command: str, **options: object) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def test_the_program_is_the_release_that_was_installed():
    version, _, _of_commit = importlib.metadata.version("pinwheel-cli").partition("+")
    expected = f"pinwheel {version}\n"
    assert output(pinwheel_cli.find_binary(), "--version") == expected
    assert output(sys.executable, "-m", "pinwheel_cli", "--version") == expected


def test_it_is_on_the_path():
    found = shutil.which("pinwheel")
    assert found is not None
    assert pathlib.Path(found).samefile(pinwheel_cli.find_binary())


def test_python_m_returns_the_exit_code():
    ran = subprocess.run([sys.executable, "-m", "pinwheel_cli", "no-such-command"], capture_output=True, check=False)
    assert ran.returncode == 2


def test_a_program_that_is_gone_is_an_error_with_a_hint(monkeypatch, tmp_path):
    monkeypatch.setattr("sysconfig.get_path", lambda *_, **__: str(tmp_path))
    monkeypatch.setattr(pinwheel_cli, "__file__", str(tmp_path / "lib" / "pinwheel_cli" / "__init__.py"))
    with pytest.raises(FileNotFoundError, match="hint: pip install"):
        pinwheel_cli.find_binary()


def test_it_plans(tmp_path):
    if shutil.which("git") is None:
        pytest.skip("no git")
    (tmp_path / "matrix").mkdir()
    (tmp_path / "matrix" / "demo.yaml").write_text(MATRIX)
    (tmp_path / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["flit-core"]\nbuild-backend = "flit_core.buildapi"\n'
    )
    output("git", "init", "-q", cwd=tmp_path)
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    output("git", "add", "-A", cwd=tmp_path)
    output("git", *identity, "commit", "-q", "-m", "first", cwd=tmp_path)
    assert "cp311" in output("pinwheel", "plan", "matrix/demo.yaml", cwd=tmp_path)
