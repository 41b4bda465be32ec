"""podman with its own storage, selected by environment variables only."""

import ipaddress
import json
import os
import pathlib
import shutil
import tempfile

from engines import Engine, remove_control_groups, unmount_below
from network import NetworkState, Subnet
from scratch_disk import ScratchDisk

DISK_SIZE = "100G"  # sparse: only what is used takes space

# podman requests more open files than root may have without CAP_SYS_RESOURCE, and then fails to start anything.
CONTAINERS_CONF = """\
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
tmp_dir = "{place}/engine"
[network]
network_config_dir = "{place}/networks"
"""

STORAGE_CONF = """\
[storage]
driver = "overlay"
graphroot = "{place}/images"
runroot = "{place}/running"
"""


PREFIX = "pinwheel-podman-"


def default_network(bridge: str, subnet: ipaddress.IPv4Network, leases: pathlib.Path) -> str:
    """The network that podman attaches containers to, on its own bridge."""
    gateway = str(next(subnet.hosts()))
    addresses = {
        "type": "host-local",
        "dataDir": str(leases),
        "routes": [{"dst": "0.0.0.0/0"}],
        "ranges": [[{"subnet": str(subnet), "gateway": gateway}]],
    }
    link = {"type": "bridge", "bridge": bridge, "isGateway": True, "ipMasq": True, "hairpinMode": True}
    others = [{"type": "portmap", "capabilities": {"portMappings": True}}, {"type": "firewall"}, {"type": "tuning"}]
    return json.dumps({"cniVersion": "0.4.0", "name": "podman", "plugins": [{**link, "ipam": addresses}, *others]})


class Podman(Engine):
    """Its images are `localhost/NAME`; plain NAME finds them too."""

    name = "podman"

    def __init__(self):
        client = shutil.which("podman")
        assert client, "no podman on PATH; run scripts/packages docker"
        self.outer = pathlib.Path(tempfile.mkdtemp(prefix=PREFIX))
        self.disk = ScratchDisk(self.outer / "disk", DISK_SIZE)
        super().__init__(client, self.disk.place)
        self.subnet = Subnet()
        self.bridge = f"pw-{self.outer.name.removeprefix(PREFIX)}"
        self.state = NetworkState()
        self.groups_before = os.path.isdir("/sys/fs/cgroup/cpu/libpod_parent")

    def variables(self) -> dict[str, str]:
        place = self.directory
        return {
            "CONTAINERS_CONF": str(place / "containers.conf"),
            "CONTAINERS_STORAGE_CONF": str(place / "storage.conf"),
            "TMPDIR": str(place / "tmp"),  # where podman keeps the cache mounts of builds
        }

    def start(self) -> None:
        self.disk.mount()
        self.prepare()
        (self.directory / "tmp").mkdir()
        (self.directory / "containers.conf").write_text(
            CONTAINERS_CONF.format(place=self.directory)
        )
        networks = self.directory / "networks"
        networks.mkdir()
        (networks / "87-podman.conflist").write_text(
            default_network(self.bridge, self.subnet.network, self.directory / "leases")
        )
        (self.directory / "storage.conf").write_text(STORAGE_CONF.format(place=self.directory))

    def stop(self) -> None:
        """Removes the containers, then the storage with everything in it."""
        try:
            if (self.directory / "storage.conf").exists():
                self.call("rm", "--all", "--force")
        finally:
            unmount_below(self.directory)
            self.state.restore({self.bridge}, (self.bridge, self.subnet.prefix))
            self.subnet.release()
            if not self.groups_before:
                remove_control_groups("libpod_parent")
            self.disk.remove()
            shutil.rmtree(self.outer)
