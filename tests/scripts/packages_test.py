"""scripts/packages while another apt runs: the real apt and dpkg, with a repository, a root and locks of the test's own."""

import fcntl
import hashlib
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parent.parent.parent / "scripts" / "packages"
NAME = "pinwheel-test-package"
LOCKS = ("lib/apt/lists/lock", "cache/apt/archives/lock", "root/var/lib/dpkg/lock-frontend")


def make_repository(place: Path) -> None:
    """A flat repository with one empty package."""
    control = place / "package" / "DEBIAN" / "control"
    control.parent.mkdir(parents=True)
    fields = f"Package: {NAME}\nVersion: 1\nArchitecture: all\nMaintainer: nobody <nobody@example.org>\nDescription: empty\n"
    control.write_text(fields)
    archive = place / f"{NAME}.deb"
    subprocess.run(["dpkg-deb", "--build", place / "package", archive], check=True, capture_output=True)
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    size = archive.stat().st_size
    (place / "Packages").write_text(f"{fields}Filename: ./{archive.name}\nSize: {size}\nSHA256: {digest}\n")


class Machine:
    """A machine whose apt, dpkg and packages.txt are below one directory."""

    def __init__(self, place: Path):
        self.place = place
        for directory in ("repository", "lib/apt/lists/partial", "cache/apt/archives/partial", "root/var/lib/dpkg/info",
                          "root/var/lib/dpkg/updates", "scripts", "bin"):  # fmt: skip
            (place / directory).mkdir(parents=True)
        make_repository(place / "repository")
        self.admin = place / "root" / "var" / "lib" / "dpkg"
        (self.admin / "status").touch()
        shutil.copy(SCRIPT, place / "scripts" / "packages")
        (place / "scripts" / "packages.txt").write_text(f"{NAME} build\n")
        (place / "sources.list").write_text(f"deb [trusted=yes] copy:{place}/repository ./\n")
        (place / "apt.conf").write_text(
            f'Dir::State "{place}/lib/apt";\nDir::State::status "{self.admin}/status";\nDir::Cache "{place}/cache/apt";\n'
            f'Dir::Etc::SourceList "{place}/sources.list";\nDir::Etc::SourceParts "-";\nAPT::Sandbox::User "";\n'
            f'Dir::Log "{place}/log";\nDir::Etc::Parts "-";\nAPT::Architecture "amd64";\n'
            f'DPkg::Options {{ "--root={place}/root"; "--force-not-root"; "--force-script-chrootless"; }};\n'
        )
        # Nobody needs to be root to install below a directory of one's own.
        (place / "bin" / "sudo").write_text('#!/bin/sh\nexec "$@"\n')
        (place / "bin" / "sudo").chmod(0o755)

    def start(self) -> subprocess.Popen:
        variables = {"PATH": f"{self.place}/bin:{os.environ['PATH']}:/usr/sbin:/sbin", "HOME": str(self.place),
                     "APT_CONFIG": str(self.place / "apt.conf"), "DPKG_ADMINDIR": str(self.admin)}  # fmt: skip
        return subprocess.Popen([self.place / "scripts" / "packages", "build"], env=variables, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)  # fmt: skip

    def installed(self) -> bool:
        return f"Package: {NAME}\nStatus: install ok installed" in (self.admin / "status").read_text()


@pytest.fixture
def machine(tmp_path) -> Machine:
    return Machine(tmp_path)


@pytest.mark.parametrize("lock", LOCKS)
def test_another_apt_is_waited_for_whichever_lock_it_holds(machine, lock):
    with (machine.place / lock).open("a") as held:
        fcntl.lockf(held, fcntl.LOCK_EX)
        started = machine.start()
        time.sleep(3)
        waiting = started.poll() is None
    output = started.communicate()[0]
    assert waiting, output
    assert started.returncode == 0 and machine.installed(), output


def test_what_is_installed_needs_no_apt(machine):
    first = machine.start()
    assert first.communicate()[0].startswith(f"packages: installing {NAME}\n") and first.returncode == 0
    second = machine.start()
    assert second.communicate()[0] == "" and second.returncode == 0


def test_another_failure_ends_it_at_once_with_the_message_of_apt(machine):
    (machine.place / "scripts" / "packages.txt").write_text("pinwheel-no-such-package build\n")
    started = machine.start()
    output = started.communicate()[0]
    assert started.returncode == 1 and "Unable to locate package pinwheel-no-such-package" in output
