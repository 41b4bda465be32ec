"""Programs of a step look into pinwheel's processes, and pinwheel is started as daemons start it."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

VALUE = "pypi-AgEIcHlwaS5vcmcCJDkw0THER"
GIVEN = {
    "PYPI_TOKEN": VALUE,
    "ACTIONS_ID_TOKEN_REQUEST_TOKEN": VALUE[::-1],
    "PIP_EXTRA_INDEX_URL": f"file://user:{VALUE[4:]}@/nowhere",
}
# The variables, memory and descriptors that each ancestor exposes, and one value as if it had been found.
SPY = """
import os, pathlib, runpy, sys
shown = []
pid = os.getppid()
while pid > 1:
    directory = pathlib.Path("/proc", str(pid))
    for name in ("environ", "mem", "fd"):
        try:
            if name == "fd":
                data = " ".join(os.readlink(directory / name / each) for each in os.listdir(directory / name)).encode()
            else:
                with open(directory / name, "rb") as file:
                    data = file.read() if name == "environ" else b"open"
        except OSError as problem:
            data = b""
        if data.strip(b"\\0"):
            shown.append((name, (directory / "comm").read_text().strip(), data.hex()))
    if (directory / "comm").read_text().strip() == "pinwheel":
        print("PASSED", pid)
    pid = int((directory / "stat").read_text().rpartition(")")[2].split()[1])
for name, program, data in shown:
    if program == "pinwheel":
        print("SHOWN", name, data)
print("FOUND", "@VALUE@")
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def users() -> list[int]:
    """Root and an ordinary user, or this one."""
    return [0, 65534] if os.geteuid() == 0 else [os.geteuid()]


@pytest.fixture
def public():
    """A directory that other users reach."""
    directory = pathlib.Path(tempfile.mkdtemp(prefix="pinwheel-users-"))
    directory.chmod(0o755)
    yield directory
    shutil.rmtree(directory)


def run_as(user: int, project, *arguments: str, **given: str) -> subprocess.CompletedProcess:
    place = project.directory.parent
    home = place / "home"
    home.mkdir(exist_ok=True)
    environment = {**project.environment, "HOME": str(home), "PINWHEEL_CACHE_DIR": str(home / "cache")}
    other = {}
    if user != os.geteuid():
        for path in (place, *place.rglob("*")):
            os.chown(path, user, user, follow_symlinks=False)
        other = {"user": user, "group": user, "extra_groups": []}
    return subprocess.run(
        project.command(*arguments),
        cwd=project.directory,
        env={**environment, **given},
        capture_output=True,
        text=True,
        timeout=project.patience,
        **other,
    )


@pytest.mark.takes(20)
@pytest.mark.parametrize("user", users())
def test_no_program_of_a_step_reads_what_pinwheel_knows(make_project, public, user):
    project = make_project("script", public / "project")
    (project.directory / "spy.py").write_text(SPY.replace("@VALUE@", VALUE))

    def change(matrix):
        matrix["axes"].update(flavor=["plain"])
        for section in ("build", "test"):
            matrix[section]["command"].insert(1, "{package}/spy.py")

    project.edit(change)
    ran = run_as(user, project, "test", "matrix.yaml", "-v", **GIVEN)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    logs = [log.read_text() for log in (project.state / "logs").rglob("*.log")]
    spied = [text for text in logs if "FOUND" in text]
    assert len(spied) == 2
    for text in spied:
        assert "PASSED" in text and "SHOWN" not in text
        assert "FOUND ***" in text
    for path in project.state.rglob("*"):
        text = path.read_bytes() if path.is_file() else b""
        for value in GIVEN.values():
            assert value.encode() not in text, path
    assert VALUE not in ran.stdout + ran.stderr


@pytest.mark.takes(20)
@pytest.mark.parametrize("user", users())
def test_a_build_still_leaves_the_network(make_project, public, user):
    own = ["unshare", "--net", "--user", "--map-root-user", "true"]
    if subprocess.run(own, capture_output=True).returncode != 0:
        pytest.skip("needs network namespaces")
    project = make_project("script", public / "project")
    look = "import os, runpy, sys\nprint('DEVICES', sorted(os.listdir('/sys/class/net')), open('/proc/net/dev').read())\n"
    (project.directory / "look.py").write_text(
        look + "sys.argv = sys.argv[1:]\nrunpy.run_path(sys.argv[0], run_name='__main__')\n"
    )

    def change(matrix):
        matrix["axes"].update(flavor=["plain"])
        matrix["build"]["command"].insert(1, "{package}/look.py")

    project.edit(change)
    ran = run_as(user, project, "build", "matrix.yaml")
    assert ran.returncode == 0 and "builds reach the network" not in ran.stderr, ran.stderr
    log = next(text for log in (project.state / "logs").rglob("*.log") if "DEVICES" in (text := log.read_text()))
    devices = [line.split(":")[0].strip() for line in log.splitlines() if ":" in line and line.split(":")[1][:1] in " 0123456789"]
    assert "lo" in devices and not any(name.startswith(("eth", "en")) for name in devices), log


@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1, 2)])
def test_missing_descriptors_take_no_file(project, closed):
    script = project("script")
    script.edit(lambda matrix: matrix["axes"].update(flavor=["plain"]))
    closing = " ".join(f"{number}>&-" for number in closed)
    command = ["sh", "-c", f'exec "$@" {closing}', "sh", *script.command("release", "matrix.yaml")]
    ran = subprocess.run(command, cwd=script.directory, env=script.environment, timeout=script.patience)
    assert ran.returncode == 0
    wheels = sorted(path.name for path in script.index.rglob("*.whl"))
    assert len(wheels) == 1 and (script.index / "index.html").read_text().startswith("<!DOCTYPE html>")
    lines = (script.state / "journal.jsonl").read_text().splitlines()
    assert lines and all(isinstance(json.loads(line), dict) for line in lines)
    again = script.report("release", "matrix.yaml")
    assert {outcome["state"] for outcome in again.values()} == {"reused"}
