"""Who waits for the lock of a store says so, and nothing is removed behind a link."""

import subprocess

import pytest
from conftest import Project


@pytest.fixture
def script(project) -> Project:
    script = project("script")
    script.edit(lambda matrix: matrix["axes"].update(flavor=["plain"]))
    return script


@pytest.mark.takes(20)
def test_a_held_lock_is_reported(script, tmp_path):
    place, other = tmp_path / "place", tmp_path / "other"
    here = ["--store", f"dir:{place}"]
    script.run("build", "matrix.yaml", *here)
    script.run("store", "import", str(place), "--store", f"dir:{other}")
    script.share_resolutions()
    script.start_afresh()
    for root, command in (
        (place, ["store", "gc", *here]),
        (other, ["store", "import", str(place), "--store", f"dir:{other}"]),
        (place, ["build", "matrix.yaml", *here]),
    ):
        holder = subprocess.Popen(["flock", str(root / "lock"), "sleep", "1000"])
        try:
            waiting = subprocess.Popen(
                script.command(*command), cwd=script.directory, env=script.environment, stderr=subprocess.PIPE, text=True
            )
            # It is reported while the lock is held: only a hang takes longer than the time limit of the test.
            output = ""
            while f"process {holder.pid}" not in output:
                line = waiting.stderr.readline()
                assert line, output
                output += line
        finally:
            subprocess.run(["pkill", "-P", str(holder.pid)], check=False)
            holder.kill()
            holder.wait()
        output += waiting.communicate(timeout=script.patience)[1]
        assert waiting.returncode == 0, output
        assert f"waiting for `{root}/lock`: process {holder.pid} (`flock`) has held it for " in output


def test_gc_removes_nothing_behind_a_link(script, tmp_path):
    place, elsewhere = tmp_path / "place", tmp_path / "elsewhere"
    here = ["--store", f"dir:{place}"]
    script.run("build", "matrix.yaml", *here)
    (place / "cas").rename(elsewhere)
    (place / "cas").symlink_to(elsewhere)
    before = sorted(path.name for path in elsewhere.iterdir())
    ran = script.run("store", "gc", *here, "--size", "0", "--releases", "0", code=4)
    assert f"`{place}/cas` is not a directory" in ran.stderr
    assert sorted(path.name for path in elsewhere.iterdir()) == before


def test_no_message_has_the_credentials_of_an_address(script):
    address = "https://user:pw12@127.0.0.1:9/a-1.0-py3-none-any.whl?sig=0123456789&x=y"
    for arguments in (["inspect", address], ["-v", "inspect", address], ["-vv", "inspect", address]):
        ran = script.run(*arguments, code=4)
        assert "reading https://" in ran.stderr
        assert "pw12" not in ran.stderr and "0123456789" not in ran.stderr and "pw12" not in ran.stdout
    index = "https://user:pw12@127.0.0.1:9/simple?key=0123456789"
    ran = script.run("-v", "publish", "--repository-url", index, "--no-auth", "none.whl", code=2)
    assert "--repository-url" in ran.stderr
    assert "pw12" not in ran.stderr and "0123456789" not in ran.stderr
