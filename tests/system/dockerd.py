"""The tests' own Docker daemon, independent of any daemon of the machine."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

from engines import Engine, remove_control_groups, unmount_below
from network import Bridge, mtu
from scratch_disk import ScratchDisk

PREFIX = "pinwheel-dockerd-"
START_SECONDS = 60
STOP_SECONDS = 60
DISK_SIZE = "100G"  # sparse: only what is used takes space


def builds_with_buildkit(client: str) -> bool:
    """Clients from 23 on need the buildx plugin for BuildKit; older ones have it built in."""
    version = subprocess.run([client, "--version"], capture_output=True, text=True).stdout
    number = version.removeprefix("Docker version ").split(".")[0]
    if number.isdigit() and int(number) < 23:
        return True
    return subprocess.run([client, "buildx", "version"], capture_output=True).returncode == 0


def find_client() -> str:
    """The first client on PATH that can build; plain `docker` may be one without the plugin."""
    places = [str(pathlib.Path(place) / "docker") for place in os.environ["PATH"].split(os.pathsep)]
    for client in places:
        if os.access(client, os.X_OK) and builds_with_buildkit(client):
            return client
    raise RuntimeError(f"no Docker client with BuildKit among {places}; run scripts/packages docker")


class Dockerd(Engine):
    """The daemon and its client: `host` is its DOCKER_HOST, `log` its log; its storage is limited to `disk_size`."""

    name = "docker"

    def __init__(self, disk_size: str = DISK_SIZE):
        self.outer = pathlib.Path(tempfile.mkdtemp(prefix=PREFIX))
        self.disk = ScratchDisk(self.outer / "disk", disk_size)
        super().__init__(find_client(), self.disk.place)
        self.host = f"unix://{self.directory}/docker.sock"
        self.log = self.outer / "dockerd.log"
        unique = self.outer.name.removeprefix(PREFIX)
        self.group = f"pinwheel-test-{unique}"
        self.bridge = Bridge(f"pw-{unique}")
        self.process: subprocess.Popen | None = None

    def variables(self) -> dict[str, str]:
        """The daemon's socket, without the user's settings."""
        return {"DOCKER_HOST": self.host, "DOCKER_CONFIG": str(self.directory / "config")}

    def build(self, *arguments: str, **options) -> subprocess.CompletedProcess:
        """Builds with BuildKit, which reports its progress on stderr."""
        variables = {"DOCKER_BUILDKIT": "1", **options.pop("variables", {})}
        return self.call("build", "--progress=plain", *arguments, variables=variables, **options)

    def command(self) -> list[str]:
        place = self.directory
        return [
            # The daemon dies with its parent, so a killed test run leaves none behind.
            *("setpriv", "--pdeathsig", "TERM", "dockerd", "--host", self.host),
            *("--data-root", str(place / "data"), "--exec-root", str(place / "exec")),
            *("--pidfile", str(place / "docker.pid"), "--config-file", str(place / "daemon.json")),
            *("--bridge", self.bridge.name, "--mtu", str(mtu()), "--iptables=false"),
            *("--exec-opt", "native.cgroupdriver=cgroupfs", "--cgroup-parent", f"/{self.group}"),
            *("--shutdown-timeout", "5"),
        ]

    def start(self) -> None:
        """Returns when the daemon answers; raises an error with its log if it does not."""
        self.disk.mount()
        self.prepare()
        (self.directory / "config").mkdir()
        (self.directory / "daemon.json").write_text("{}")
        self.bridge.create()
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                self.command(), stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        limit = time.monotonic() + START_SECONDS
        while self.call("version", check=False).returncode != 0:
            if self.process.poll() is not None or time.monotonic() > limit:
                raise RuntimeError(f"dockerd does not answer\n{' '.join(self.command())}\n{self.log.read_text()}")
            time.sleep(0.1)

    def stop(self) -> None:
        """Stops the daemon and removes everything that it started, mounted or created."""
        try:
            self._end_daemon()
        finally:
            unmount_below(self.directory)
            self.bridge.remove()
            remove_control_groups(self.group)
            self.disk.remove()
            shutil.rmtree(self.outer)

    def _end_daemon(self) -> None:
        if self.process is None or self.process.poll() is not None:
            return
        for name in self.containers():
            self.call("rm", "--force", name)
        self.call("network", "prune", "--force")
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)  # its own session, which includes containerd
            self.process.wait()
            raise RuntimeError(f"dockerd did not stop when told to\n{self.log.read_text()[-4000:]}") from None
