"""The engines and base images that container tests use."""

import pytest
from dockerd import Dockerd
from network import call
from processes import left_behind

pytestmark = pytest.mark.docker

GLIBC = {"bookworm": "2.36", "bullseye": "2.31"}

DOCKERFILE = """\
ARG BASE_IMAGE
FROM ${BASE_IMAGE}
RUN --mount=type=cache,target=/var/cache/apt,sharing=locked \\
    --mount=type=cache,target=/var/lib/apt/lists,sharing=locked \\
    apt-get update && apt-get install -y --no-install-recommends python3-venv
RUN --mount=type=secret,id=pip.conf,target=/etc/pinwheel-test/pip.conf \\
    --mount=type=secret,id=ca.crt,target=/etc/pinwheel-test/ca.crt \\
    python3 -m venv /venv && PIP_CONFIG_FILE=/etc/pinwheel-test/pip.conf /venv/bin/pip install packaging
"""

PIP_BY_MOUNTS = """\
apt-get -qq update && apt-get -qqy install --no-install-recommends python3-pip >/dev/null 2>&1 &&
pip install -q --target /t packaging && ls /t
"""


@pytest.mark.parametrize("suite", sorted(GLIBC))
def test_a_base_runs_and_is_the_right_distribution(engine, bases, suite):
    release = engine.run(bases[suite], "cat", "/etc/os-release").stdout
    assert f"VERSION_CODENAME={suite}" in release
    libc = engine.run(bases[suite], "ldd", "--version").stdout
    assert libc.splitlines()[0].endswith(GLIBC[suite])


def test_apt_and_pip_work_in_a_build_and_leave_no_settings_behind(engine, bases, machine, tmp_path):
    (tmp_path / "Dockerfile").write_text(DOCKERFILE)
    base = ["--build-arg", f"BASE_IMAGE={bases['bookworm']}"]
    engine.build(*base, *machine.build_arguments(), "--tag", "pinwheel-test/pip", str(tmp_path))
    first = engine.call("image", "inspect", "--format", "{{.Id}}", "pinwheel-test/pip").stdout
    installed = engine.run("pinwheel-test/pip", "/venv/bin/python", "-c", "import packaging; print(packaging.__name__)")
    assert installed.stdout == "packaging\n"
    settings = engine.run("pinwheel-test/pip", "sh", "-c", "cat /etc/pinwheel-test/* /etc/pip.conf 2>/dev/null; true")
    assert settings.stdout == ""

    engine.build(*base, *machine.build_arguments(), "--tag", "pinwheel-test/pip", str(tmp_path))
    assert engine.call("image", "inspect", "--format", "{{.Id}}", "pinwheel-test/pip").stdout == first


def test_pip_works_in_a_container_through_mounts_only(engine, bases, machine):
    ran = engine.run(*machine.run_arguments(), bases["bullseye"], "sh", "-c", PIP_BY_MOUNTS)
    assert "packaging" in ran.stdout.split()
    assert engine.containers() == []


def test_a_missing_image_is_named_at_once(engine, bases):
    ran = engine.run("pinwheel-test/absent:1", "true", check=False, timeout=10)
    assert ran.returncode == 125
    assert "pinwheel-test/absent:1" in ran.stderr


IN_CONTAINER = """\
import sys, urllib.request
print(sys.prefix, urllib.request.urlopen(sys.argv[1] + "/noarch/repodata.json").status)
"""


def test_a_conda_interpreter_runs_in_a_container_and_reaches_the_channel(engine, bases, channel, rattler, tmp_path):
    prefix = tmp_path / "prefix"
    records = rattler("solve", channels=[channel.url], specs=["python"])["records"]
    rattler("install", records=records, prefix=str(prefix))
    mount = ["--volume", f"{prefix}:{prefix}:ro", "--network", "host"]
    python = [str(prefix / "bin/python"), "-c", IN_CONTAINER, channel.url]
    assert engine.run(*mount, bases["bookworm"], *python).stdout.split() == [str(prefix), "200"]
    refused = engine.run(*mount, bases["bullseye"], *python, check=False)
    assert refused.returncode == 1 and "GLIBC_2." in refused.stderr


def test_a_daemon_that_cannot_start_shows_its_log_and_leaves_nothing_behind(monkeypatch):
    daemon = Dockerd()
    command = [*daemon.command(), "--storage-driver", "none-such"]
    monkeypatch.setattr(daemon, "command", lambda: command)
    with pytest.raises(RuntimeError, match="level=.*none-such"):
        daemon.start()
    daemon.stop()
    assert not daemon.outer.exists()
    assert left_behind(str(daemon.outer)) == []
    assert daemon.bridge.name not in call("ip", "link")
