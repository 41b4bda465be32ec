"""Runs py-rattler in the interpreter of a venv that has it: one JSON request in, one JSON answer out.

{"do": "solve", "channels", "specs", "virtual": {"__glibc": "2.31"}, "cache"} -> {"records"} or {"conflict"}
{"do": "install", "records", "prefix", "cache"}                               -> {} or {"refused"}

A channel that does not answer gives {"unreachable"}. `retries` is how often its client retries; 0 by default.

The solver only has the packages of `virtual`; the machine's are not detected.
"""

import asyncio
import json
import os
import sys
import traceback

import rattler
from rattler.exceptions import GatewayError, InstallerError, SolverError
from rattler.networking import RetryMiddleware


def virtual_packages(versions: dict[str, str]) -> list:
    return [
        rattler.GenericVirtualPackage(rattler.PackageName(name), rattler.Version(version), rattler.BuildString("0"))
        for name, version in versions.items()
    ]


def locked(record) -> dict:
    """The fields of a record that a lock needs, so that it installs without the channel's index."""
    return {
        "name": record.name.normalized,
        "version": str(record.version),
        "build": str(record.build),
        "build_number": record.build_number,
        "subdir": record.subdir,
        "depends": record.depends,
        "noarch": "python" if record.noarch and record.noarch.python else None,
        "sha256": record.sha256.hex(),
        "url": record.url,
        "channel": record.channel,
    }


def unlocked(entry: dict):
    package = rattler.PackageRecord(
        entry["name"],
        entry["version"],
        rattler.BuildString(entry["build"]),
        entry["build_number"],
        entry["subdir"],
        noarch=entry["noarch"],
        depends=entry["depends"],
        sha256=bytes.fromhex(entry["sha256"]),
    )
    return rattler.RepoDataRecord(package, entry["url"].rpartition("/")[2], entry["url"], entry["channel"])


def client(request: dict):
    """Without the middleware, a single status 500 is an error."""
    return rattler.Client([RetryMiddleware(request.get("retries", 0))])


async def solve(request: dict) -> dict:
    try:
        records = await rattler.solve(
            request["channels"],
            request["specs"],
            gateway=rattler.Gateway(cache_dir=request["cache"], client=client(request)),
            platforms=["linux-64", "noarch"],
            virtual_packages=virtual_packages(request["virtual"]),
            channel_priority=rattler.ChannelPriority.Strict,
        )
    except SolverError as error:
        return {"conflict": str(error)}
    except GatewayError as error:
        return {"unreachable": str(error)}
    return {"records": [locked(record) for record in sorted(records, key=lambda one: one.name.normalized)]}


async def install(request: dict) -> dict:
    records = [unlocked(entry) for entry in request["records"]]
    try:
        await rattler.install(
            records,
            request["prefix"],
            cache_dir=request["cache"],
            platform=rattler.Subdir("linux-64"),
            show_progress=False,
            client=client(request),
        )
    except InstallerError as error:
        return {"refused": str(error)}
    return {}


def main() -> int:
    request = json.load(sys.stdin)
    try:
        answer = asyncio.run({"solve": solve, "install": install}[request["do"]](request))
    except Exception:
        traceback.print_exc()
        return 1
    print(json.dumps(answer), flush=True)
    return 0


os._exit(main())  # py-rattler's threads have crashed the interpreter during shutdown
