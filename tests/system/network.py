"""Networks for containers that leave the machine's configuration unchanged."""

import contextlib
import fcntl
import ipaddress
import json
import pathlib
import shlex
import subprocess

from shared_cache import cache_directory

FORWARDING = pathlib.Path("/proc/sys/net/ipv4/ip_forward")
LINKS = pathlib.Path("/sys/class/net")
TABLES = ("filter", "nat")


def call(*arguments: str) -> str:
    return subprocess.run(arguments, check=True, capture_output=True, text=True).stdout


def rules(table: str) -> list[str]:
    """A table as iptables-save prints it, without counters: policies, chains, rules."""
    lines = call("iptables-save", "-t", table).splitlines()
    return [line.split(" [")[0] for line in lines if line.startswith((":", "-A"))]


class Subnet:
    """A /24 that overlaps no address or route of this machine and that no other test session uses.

    It is reserved by a lock, until `release` or until this process exits.
    """

    def __init__(self) -> None:
        used = addresses_in_use()
        for third in range(255):
            self.network = ipaddress.IPv4Network(f"172.29.{third}.0/24")
            if any(self.network.overlaps(other) for other in used):
                continue
            self.lock = open(cache_directory("networks") / f"172.29.{third}", "w")
            try:
                fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                self.lock.close()
        raise RuntimeError("no free subnet in 172.29.0.0/16")

    @property
    def prefix(self) -> str:
        """The prefix of all its addresses."""
        return str(self.network).removesuffix("0/24")

    def release(self) -> None:
        self.lock.close()


def addresses_in_use() -> list[ipaddress.IPv4Network]:
    used = []
    for line in call("ip", "-4", "-o", "addr").splitlines() + call("ip", "-4", "route").splitlines():
        for word in line.split():
            try:
                used.append(ipaddress.IPv4Network(word, strict=False))
            except ValueError:
                continue  # not an address
    return [network for network in used if network.prefixlen > 0]


def mtu() -> int:
    """The smallest MTU of the machine's uplinks: packets of that size need no path MTU discovery."""
    links = [link for link in LINKS.iterdir() if (link / "device").exists()]
    return min([int((link / "mtu").read_text()) for link in links], default=1500)


class NetworkState:
    """Saves links, iptables and forwarding on construction, to restore them later.

    Forwarding, and the chains that podman's plugins share, belong to all test sessions on the machine: the first
    session saves them, the last one restores them.
    """

    def __init__(self) -> None:
        self.links = {link.name for link in LINKS.iterdir()}
        self.noted = open(cache_directory("networks") / "before.json", "a+")
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(self.noted, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self.noted.truncate(0)
            before = {"forwarding": FORWARDING.read_text(), "rules": {table: rules(table) for table in TABLES}}
            json.dump(before, self.noted)
            self.noted.flush()
        fcntl.flock(self.noted, fcntl.LOCK_SH)

    def restore(self, links: set[str], names: tuple[str, ...]) -> None:
        """Deletes those of the links that are new, and the iptables lines that contain one of the names."""
        for link in links - self.links:
            if (LINKS / link).exists():
                call("ip", "link", "delete", link)
        for table in TABLES:
            delete_rules(table, [line for line in rules(table) if any(name in line for name in names)])
        with self.noted, contextlib.suppress(BlockingIOError):
            fcntl.flock(self.noted, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self.noted.seek(0)
            self._restore_shared(json.load(self.noted))

    @staticmethod
    def _restore_shared(before: dict) -> None:
        for table in TABLES:
            old = before["rules"][table]
            delete_rules(table, [line for line in rules(table) if line not in old and "CNI-" in line])
        policy = next((line.split()[1] for line in before["rules"]["filter"] if line.startswith(":FORWARD ")), "ACCEPT")
        call("iptables", "-w", "-P", "FORWARD", policy)
        FORWARDING.write_text(before["forwarding"])


def delete_rules(table: str, lines: list[str]) -> None:
    """Deletes rules, then the chains that are empty afterwards."""
    for line in lines:
        if line.startswith("-A"):
            call("iptables", "-w", "-t", table, "-D", *shlex.split(line)[1:])
    for line in lines:
        if line.startswith(":"):
            call("iptables", "-w", "-t", table, "-X", line[1:].split()[0])


class Bridge:
    """A bridge with its own subnet, from `create` until `remove`, for a daemon that does not manage iptables.

    A daemon that manages iptables flushes the chains of every other one on the machine when it starts.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.subnet = Subnet()
        self.state = NetworkState()
        self.rules = (
            ("nat", "POSTROUTING", "-s", str(self.subnet.network), "!", "-o", name, "-j", "MASQUERADE"),
            ("filter", "FORWARD", "-i", name, "-j", "ACCEPT"),
            ("filter", "FORWARD", "-o", name, "-m", "conntrack", "--ctstate", "RELATED,ESTABLISHED", "-j", "ACCEPT"),
        )

    def create(self) -> None:
        call("ip", "link", "add", self.name, "type", "bridge")
        call("ip", "addr", "add", f"{next(self.subnet.network.hosts())}/24", "dev", self.name)
        call("ip", "link", "set", self.name, "up")
        for table, chain, *rule in self.rules:
            call("iptables", "-w", "-t", table, "-I", chain, *rule)

    def remove(self) -> None:
        """Removes what `create` made, even if it did not finish, and undoes the daemon's changes to forwarding."""
        self.state.restore({self.name}, (self.name,))
        self.subnet.release()
