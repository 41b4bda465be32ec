"""The interface of the tests to any container engine; the daemon and podman have their own modules."""

import os
import pathlib
import subprocess

from bases import SUITES, base_archive, image_name


class Engine:
    """A client on its own storage: `call(...)` runs it, `added()` is for programs that run it themselves."""

    name: str

    def __init__(self, client: str, directory: pathlib.Path):
        self.client = client
        self.directory = directory
        self.bases: dict[str, str] = {}

    def variables(self) -> dict[str, str]:
        """The options that make the client use this storage."""
        raise NotImplementedError

    def added(self) -> dict[str, str]:
        """The variables by which a program finds this engine: its client first on PATH, and its storage."""
        path = f"{self.directory / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return {"PATH": path, **self.variables()}

    def prepare(self) -> None:
        tools = self.directory / "bin"
        tools.mkdir()
        (tools / self.name).symlink_to(self.client)

    def call(self, *arguments: str, check: bool = True, **options) -> subprocess.CompletedProcess:
        """Runs the client to its end; a failure shows what it said."""
        environment = {**os.environ, **self.added(), **options.pop("variables", {})}
        ran = subprocess.run([self.client, *arguments], env=environment, capture_output=True, text=True, **options)
        output = f"{self.name} {' '.join(arguments)}: exit {ran.returncode}\n{ran.stdout}\n{ran.stderr}"
        assert not check or ran.returncode == 0, output
        return ran

    def run(self, *arguments: str, **options) -> subprocess.CompletedProcess:
        """A container that is removed when it ends, of an image that must be here."""
        return self.call("run", "--rm", "--pull", "never", *arguments, **options)

    def build(self, *arguments: str, **options) -> subprocess.CompletedProcess:
        return self.call("build", *arguments, **options)

    def containers(self) -> list[str]:
        """The names of all containers, running or not."""
        return self.call("ps", "--all", "--format", "{{.Names}}").stdout.split()

    def running(self, argument: str) -> list[str]:
        """The names of the running containers that have this argument: a step has several, one after the other."""
        listed = self.call("ps", "--no-trunc", "--format", "{{.Names}}\t{{.Command}}").stdout.splitlines()
        return [name for name, _, command in (line.partition("\t") for line in listed) if argument in command]

    def import_bases(self) -> dict[str, str]:
        """The names of the base images, by suite; imported once, since what is built on a base is not built again only
        while the base is the same image."""
        for suite in SUITES:
            if suite not in self.bases:
                self.call("import", str(base_archive(suite)), image_name(suite))
                self.bases[suite] = image_name(suite)
        return dict(self.bases)


def mounts_below(directory: pathlib.Path) -> list[str]:
    """Mount points below a directory, the innermost first."""
    lines = pathlib.Path("/proc/self/mountinfo").read_text().splitlines()
    points = [line.split()[4] for line in lines]
    return sorted((point for point in points if point.startswith(f"{directory}/")), key=len, reverse=True)


def unmount_below(directory: pathlib.Path) -> None:
    for point in mounts_below(directory):
        subprocess.run(["umount", "--lazy", point], check=True)


def remove_control_groups(name: str) -> None:
    """Removes the control groups of that name in every hierarchy; one that is in use is an error."""
    root = pathlib.Path("/sys/fs/cgroup")
    tops = [place for place in (root / name, *root.glob(f"*/{name}")) if place.is_dir()]
    found = [pathlib.Path(place) for top in tops for place, _, _ in os.walk(top)]
    for group in sorted(found, key=lambda place: len(str(place)), reverse=True):
        group.rmdir()
