"""Golden cases: each directory here is one command line with its complete output and exit code.

bash runs `cmd` in an otherwise empty directory with the case's `files/`, if any, in a git repository tagged v1.0.0.
`stdout`, `stderr` and `exit` are compared byte for byte. `pytest tests/cli --bless` writes them.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

HERE = pathlib.Path(__file__).parent
CASES = sorted(path.parent for path in HERE.glob("*/cmd"))
GIT = [
    "git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main",
]  # fmt: skip


def add_pythons(programs: pathlib.Path) -> None:
    """Programs that describe themselves as Pythons, so that no case depends on those of the machine."""
    for minor in range(9, 15):
        program = programs / f"python3.{minor}"
        described = {
            "path": str(program),
            "version": f"3.{minor}.0",
            "implementation": "cpython",
            "free_threaded": False,
            "platform": "linux-x86_64",
            "soabi": f"cpython-3{minor}-x86_64-linux-gnu",
            "include_directory": "/usr/include",
            "has_headers": True,
            "makes_environments": True,
        }
        program.write_text(f"#!/bin/sh\necho '{json.dumps(described)}'\n")
        program.chmod(0o755)


def run_case(case: pathlib.Path, directory: pathlib.Path, pinwheel: str):
    if (case / "files").is_dir():
        shutil.copytree(case / "files", directory, dirs_exist_ok=True)
    environment = {
        "PATH": f"{directory}/.bin:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(directory / ".home"),
        "LANG": "C.UTF-8",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z",
        "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z",
    }
    (directory / ".bin").mkdir()
    add_pythons(directory / ".bin")
    (directory / ".bin" / "pinwheel").symlink_to(pathlib.Path(pinwheel).resolve())
    (directory / ".gitignore").write_text(".bin\n.home\n")
    for arguments in (["init"], ["add", "-A"], ["commit", "-m", "first"], ["tag", "v1.0.0"]):
        subprocess.run([*GIT, *arguments], cwd=directory, env=environment, check=True, capture_output=True)
    return subprocess.run(
        ["bash", "-c", (case / "cmd").read_text()], cwd=directory, env=environment, capture_output=True, text=True, timeout=60
    )


def lasting(text: str) -> str:
    """The text without what differs from run to run: the time of a line of the log, the name of a run's logs."""
    text = re.sub(r"^\d{4}-\d\d-\d\dT[\d:.]+Z", "<time>", text, flags=re.MULTILINE)
    return re.sub(r"/logs/\d{8}T\d{6}-\d+/", "/logs/<run>/", text)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case, tmp_path, pinwheel, request):
    ran = run_case(case, tmp_path, pinwheel)
    seen = {"stdout": ran.stdout, "stderr": ran.stderr, "exit": f"{ran.returncode}\n"}
    seen = {name: lasting(text.replace(str(tmp_path), "<here>")) for name, text in seen.items()}
    if request.config.getoption("--bless"):
        for name, text in seen.items():
            (case / name).write_text(text)
    for name, text in seen.items():
        assert text == (case / name).read_text(), f"{case.name}: {name} differs"


def test_there_are_cases():
    assert len(CASES) > 10
