"""Networks for containers that leave this machine as it was."""

import collections.abc
import ipaddress
import pathlib
import shlex
import subprocess

FORWARDING = pathlib.Path("/proc/sys/net/ipv4/ip_forward")
LINKS = pathlib.Path("/sys/class/net")
TABLES = ("filter", "nat")


def call(*arguments: str) -> str:
    return subprocess.run(arguments, check=True, capture_output=True, text=True).stdout


def rules(table: str) -> list[str]:
    """What iptables-save says of a table, without counters: policies, chains, rules."""
    lines = call("iptables-save", "-t", table).splitlines()
    return [line.split(" [")[0] for line in lines if line.startswith((":", "-A"))]


def free_subnet() -> ipaddress.IPv4Network:
    """A /24 that no address or route of this machine touches."""
    used = []
    for line in call("ip", "-4", "-o", "addr").splitlines() + call("ip", "-4", "route").splitlines():
        for word in line.split():
            try:
                used.append(ipaddress.IPv4Network(word, strict=False))
            except ValueError:
                continue  # a word, not an address
    used = [network for network in used if network.prefixlen > 0]
    for third in range(255):
        subnet = ipaddress.IPv4Network(f"172.29.{third}.0/24")
        if not any(subnet.overlaps(other) for other in used):
            return subnet
    raise RuntimeError("no free subnet in 172.29.0.0/16")


def mtu() -> int:
    """The smallest of the machine's uplinks: packets that fit there need no help from ICMP."""
    links = [link for link in LINKS.iterdir() if (link / "device").exists()]
    return min([int((link / "mtu").read_text()) for link in links], default=1500)


class NetworkState:
    """Links, iptables and forwarding as they are when this is made, and the way back."""

    def __init__(self) -> None:
        self.forwarding = FORWARDING.read_text()
        self.rules = {table: rules(table) for table in TABLES}
        self.links = {link.name for link in LINKS.iterdir()}

    def restore(self, links: set[str], ours: collections.abc.Callable[[str], bool]) -> None:
        """Deletes what is new of these links, and the new lines of iptables that `ours` says yes to."""
        for link in links - self.links:
            if (LINKS / link).exists():
                call("ip", "link", "delete", link)
        for table in TABLES:
            new = [line for line in rules(table) if line not in self.rules[table] and ours(line)]
            for line in new:
                if line.startswith("-A"):
                    call("iptables", "-t", table, "-D", *shlex.split(line)[1:])
            for line in new:
                if line.startswith(":"):
                    call("iptables", "-t", table, "-X", line[1:].split()[0])
        policy = next((line.split()[1] for line in self.rules["filter"] if line.startswith(":FORWARD ")), "ACCEPT")
        call("iptables", "-P", "FORWARD", policy)
        FORWARDING.write_text(self.forwarding)


class Bridge:
    """A bridge with a subnet of its own for a daemon that leaves iptables alone, from `create` until `remove`.

    A daemon that manages iptables empties the chains of any other one on the machine when it starts.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.subnet = free_subnet()
        self.state = NetworkState()
        self.rules = (
            ("nat", "POSTROUTING", "-s", str(self.subnet), "!", "-o", name, "-j", "MASQUERADE"),
            ("filter", "FORWARD", "-i", name, "-j", "ACCEPT"),
            ("filter", "FORWARD", "-o", name, "-m", "conntrack", "--ctstate", "RELATED,ESTABLISHED", "-j", "ACCEPT"),
        )

    def create(self) -> None:
        call("ip", "link", "add", self.name, "type", "bridge")
        call("ip", "addr", "add", f"{next(self.subnet.hosts())}/24", "dev", self.name)
        call("ip", "link", "set", self.name, "up")
        for table, chain, *rule in self.rules:
            call("iptables", "-t", table, "-I", chain, *rule)

    def remove(self) -> None:
        """Takes away what `create` made, as far as it came, and what the daemon did to forwarding."""
        self.state.restore({self.name}, lambda line: self.name in line)
