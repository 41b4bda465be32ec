"""The channel that the conda environment tests use, and the two clients."""

import subprocess
import sys

import pytest
from conda_packages import Package
from rattler_venv import VIRTUAL

pytestmark = pytest.mark.docker

PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"


def names(answer: dict) -> list[str]:
    return [record["name"] for record in answer["records"]]


def says(*command) -> str:
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout.strip()


def test_rattler_installs_what_it_solved_and_the_packages_run(channel, rattler, tmp_path):
    solved = rattler("solve", channels=[channel.url], specs=[f"python={PYTHON}", "hello<2", "noted", "ninja"])
    assert names(solved) == ["hello", "ninja", "noted", "python"]
    prefix = tmp_path / "prefix"
    assert rattler("install", records=solved["records"], prefix=str(prefix)) == {}
    assert says(prefix / "bin/hello") == "hello 1.0"
    script = "import sys, ssl, ctypes, sqlite3, lzma, noted; print(sys.prefix, noted.note)"
    assert says(prefix / "bin/python", "-c", script) == f"{prefix} kept"
    assert says(prefix / "bin/ninja", "--version").startswith("1.")
    assert str(prefix) in says(prefix / "bin/pip", "--version")


@pytest.mark.parametrize(
    ("specs", "reason"),
    [
        (["left", "right"], "shared 1.0, which conflicts with the versions reported above"),
        (["lonely"], "absent >=3, for which no candidates were found"),
        (["for-new-glibc"], "__glibc >=9.9, for which no candidates were found"),
        (["for-cuda"], "__cuda >=13, for which no candidates were found"),
    ],
)
def test_rattler_explains_a_conflict(channel, rattler, specs, reason):
    assert reason in rattler("solve", channels=[channel.url], specs=specs)["conflict"]


def test_rattler_uses_the_given_virtual_packages(channel, rattler):
    cuda = {**VIRTUAL, "__cuda": "13.0"}
    assert names(rattler("solve", channels=[channel.url], specs=["for-cuda"], virtual=cuda)) == ["for-cuda"]
    old = rattler("solve", channels=[channel.url], specs=["python"], virtual={"__glibc": "2.16"})
    assert "__glibc" in old["conflict"]


def test_rattler_retries_only_when_told_to(channel, rattler, tmp_path):
    channel.fail("linux-64/repodata.json$")
    assert "500" in rattler("solve", channels=[channel.url], specs=["shared"])["unreachable"]
    channel.fail("linux-64/repodata.json$")
    solved = rattler("solve", channels=[channel.url], specs=["shared"], retries=2)
    channel.fail("/shared-")
    assert rattler("install", records=solved["records"], prefix=str(tmp_path / "prefix"), retries=2) == {}
    fetched = [status for path, status in channel.requests if "/shared-" in path]
    assert fetched == [500, 200]


def test_rattler_refuses_a_file_that_does_not_match_the_index(channel, rattler, tmp_path):
    solved = rattler("solve", channels=[channel.url], specs=["spoilt"])
    refused = rattler("install", records=solved["records"], prefix=str(tmp_path / "prefix"))["refused"]
    assert "hash mismatch" in refused and solved["records"][0]["sha256"] in refused


def test_rattler_refuses_a_file_that_does_not_match_the_lock(channel, rattler, tmp_path):
    records = rattler("solve", channels=[channel.url], specs=["shared"])["records"]
    records[0]["sha256"] = "0" * 64
    assert "hash mismatch" in rattler("install", records=records, prefix=str(tmp_path / "prefix"))["refused"]


def test_conda_accepts_an_explicit_list(channel, conda_oracle, tmp_path):
    conda_oracle.forget_packages()
    shared = channel.add(Package("explicit", "1.0"), {"share/explicit": "yes\n"})
    (tmp_path / "explicit.txt").write_text(channel.explicit(shared, kind="md5"))
    prefix = tmp_path / "prefix"
    made = conda_oracle.call(
        "create", "--yes", "--quiet", "--prefix", str(prefix), "--file", str(tmp_path / "explicit.txt")
    )
    assert made.returncode == 0, made.stderr
    assert (prefix / "share/explicit").read_text() == "yes\n"
    listed = conda_oracle.call("list", "--prefix", str(prefix), "--explicit").stdout
    assert f"@EXPLICIT\n{channel.url}/linux-64/explicit-1.0-0.tar.bz2" in listed


def test_conda_checks_the_md5_of_an_explicit_list(channel, conda_oracle, tmp_path):
    conda_oracle.forget_packages()
    file = tmp_path / "explicit.txt"
    package = channel.add(Package("explicit", "2.0"), {"share/explicit": "no\n"})
    file.write_text(channel.explicit(package, kind="md5").rpartition("#")[0] + "#" + "0" * 32 + "\n")
    made = conda_oracle.call("create", "--yes", "--quiet", "--prefix", str(tmp_path / "prefix"), "--file", str(file))
    assert made.returncode == 1 and "MD5MismatchError" in made.stderr
    assert not (tmp_path / "prefix").exists()


def test_conda_solves_from_a_channel_named_on_its_command_line(channel, conda_oracle, tmp_path):
    prefix = tmp_path / "prefix"
    channels = ["--override-channels", "--channel", f"{channel.url}/legacy"]
    made = conda_oracle.call(
        "create", "--yes", "--quiet", "--prefix", str(prefix), *channels, f"python={PYTHON}", "hello<2"
    )
    assert made.returncode == 0, made.stderr
    assert says(prefix / "bin/hello") == "hello 1.0"
    conflict = conda_oracle.call("create", "--yes", "--prefix", str(tmp_path / "other"), *channels, "left", "right")
    assert conflict.returncode == 1 and "right -> shared >=2" in conflict.stderr
