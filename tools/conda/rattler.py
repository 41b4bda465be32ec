"""Solves and installs conda packages with py-rattler.

The one argument is a file that holds a request as JSON; the answer is one line of JSON on stdout:

{"do": "solve", "channels", "specs", "subdir", "virtual": [[NAME, VERSION, BUILD]], "cache"} -> {"packages": [...]}
{"do": "install", "packages", "prefix", "subdir", "cache"}                                   -> {"installed": PREFIX}

A failure is also a reply: {"failed": "conflict" | "channel" | "hash" | "install", "reason": TEXT}. The reply to an
"install" request, even after a failure, counts the archives it needed from servers: "fetched" (bytes), "downloads" and
"cached" (archives).
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import hashlib
import json
import os
import pathlib
import shutil
import sys
import traceback
import urllib.parse

import rattler
from rattler.exceptions import (
    GatewayError,
    InstallerError,
    InvalidChannelError,
    InvalidMatchSpecError,
    SolverError,
)
from rattler.networking import RetryMiddleware
from rattler.package_streaming import download_to_path

RETRIES = 3
DOWNLOADS_AT_ONCE = 4


class Failed(Exception):
    """A failure to report: the request cannot be fulfilled."""

    def __init__(self, kind: str, reason: str):
        super().__init__(reason)
        self.kind = kind


class Traffic:
    """The archives that an installation needed from servers; files of local channels are not counted."""

    def __init__(self) -> None:
        self.fetched = 0
        self.downloads = 0
        self.cached = 0


def client() -> rattler.Client:
    """Without this middleware a client gives up on the first response of 500."""
    return rattler.Client([RetryMiddleware(RETRIES)])


# Solving


def described(record: rattler.RepoDataRecord) -> dict:
    return {
        "name": record.name.normalized,
        "version": str(record.version),
        "build": str(record.build),
        "subdir": record.subdir,
        "url": record.url,
        "sha256": record.sha256.hex() if record.sha256 else "",
        "md5": record.md5.hex() if record.md5 else "",
        "size": record.size or 0,
    }


async def solve(request: dict) -> dict:
    virtual = [
        rattler.GenericVirtualPackage(rattler.PackageName(name), rattler.Version(version), rattler.BuildString(build))
        for name, version, build in request["virtual"]
    ]
    cache = pathlib.Path(request["cache"]) / "repodata"
    try:
        records = await rattler.solve(
            request["channels"],
            request["specs"],
            gateway=rattler.Gateway(cache_dir=cache, client=client()),
            platforms=[request["subdir"], "noarch"],
            virtual_packages=virtual,
            channel_priority=rattler.ChannelPriority.Strict,
        )
    except SolverError as error:
        raise Failed("conflict", str(error)) from error
    except (InvalidMatchSpecError, InvalidChannelError) as error:
        raise Failed("request", str(error)) from error
    except GatewayError as error:
        raise Failed("channel", str(error)) from error
    return {"packages": [described(record) for record in records]}


# Installing


def sha256_of(path: pathlib.Path) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


async def fetch(package: dict, cache: pathlib.Path, limit: asyncio.Semaphore, traffic: Traffic) -> pathlib.Path:
    """The archive of a package, in a directory named after its hash.

    py-rattler hashes what it downloads and not what it finds under file://, so that all archives are hashed here.
    """
    url = urllib.parse.urlsplit(package["url"])
    archive = cache / "archives" / package["sha256"] / pathlib.PurePosixPath(url.path).name
    if archive.is_file() and sha256_of(archive) == package["sha256"]:
        traffic.cached += url.scheme != "file"
        return archive
    archive.parent.mkdir(parents=True, exist_ok=True)
    partial = archive.with_name(f"{archive.name}.{os.getpid()}")
    try:
        async with limit:
            if url.scheme == "file":
                shutil.copyfile(urllib.parse.unquote(url.path), partial)
            else:
                await download_to_path(client(), package["url"], partial)
                traffic.downloads += 1
                traffic.fetched += partial.stat().st_size
        found = sha256_of(partial)
        if found != package["sha256"]:
            raise Failed("hash", f"{package['url']} has sha256 {found}, not {package['sha256']}")
        os.replace(partial, archive)
    except Failed:
        raise
    except Exception as error:
        raise Failed("channel", f"{package['url']}: {error}") from error
    finally:
        partial.unlink(missing_ok=True)
    return archive


def record_of(package: dict, archive: pathlib.Path) -> rattler.RepoDataRecord:
    """A record from the archive's own contents, so that the channel need not be queried again."""
    index = rattler.IndexJson.from_package_archive(archive)
    record = rattler.PackageRecord(
        index.name,
        str(index.version),
        rattler.BuildString(str(index.build)),
        index.build_number,
        package["subdir"],
        noarch=index.noarch,
        depends=index.depends,
        constrains=index.constrains,
        sha256=bytes.fromhex(package["sha256"]),
        md5=bytes.fromhex(package["md5"]) if package["md5"] else None,
        size=package["size"] or None,
        python_site_packages_path=index.python_site_packages_path,
    )
    channel = package["url"].rpartition(f"/{package['subdir']}/")[0]
    return rattler.RepoDataRecord(record, archive.name, archive.as_uri(), channel)


def name_origins(prefix: pathlib.Path, packages: list[dict]) -> None:
    """Sets the original URLs in the records of the prefix; the packages were installed from the cache."""
    urls = {package["url"].rpartition("/")[2]: package["url"] for package in packages}
    for path in (prefix / "conda-meta").glob("*.json"):
        entry = json.loads(path.read_text())
        entry["url"] = urls[entry["fn"]]
        for link in ("extracted_package_dir", "package_tarball_full_path", "link"):
            entry.pop(link, None)
        path.write_text(json.dumps(entry, indent=2, sort_keys=True) + "\n")


async def install(request: dict, traffic: Traffic) -> dict:
    packages, prefix, cache = request["packages"], pathlib.Path(request["prefix"]), pathlib.Path(request["cache"])
    limit = asyncio.Semaphore(DOWNLOADS_AT_ONCE)
    archives = await asyncio.gather(*(fetch(package, cache, limit, traffic) for package in packages))
    records = [record_of(package, archive) for package, archive in zip(packages, archives)]
    # With the origin in its keys the cache never confuses packages of the same name and version.
    extracted = rattler.PackageCache.new_layered([cache / "packages"], cache_origin=True)
    try:
        await rattler.install(
            records,
            prefix,
            platform=rattler.Subdir(request["subdir"]),
            show_progress=False,
            client=client(),
            package_cache=extracted,
        )
    except InstallerError as error:
        raise Failed("install", str(error)) from error
    with contextlib.suppress(FileNotFoundError):
        (prefix / "CACHEDIR.TAG").unlink()
    name_origins(prefix, packages)
    return {"installed": str(prefix)}


def main() -> int:
    request = json.loads(pathlib.Path(sys.argv[1]).read_text())
    traffic = Traffic()
    kinds = {"solve": solve, "install": functools.partial(install, traffic=traffic)}
    try:
        answer = asyncio.run(kinds[request["do"]](request))
    except Failed as failed:
        answer = {"failed": failed.kind, "reason": str(failed)}
    except Exception:
        traceback.print_exc()
        return 1
    if request["do"] == "install":
        answer.update(vars(traffic))
    print(json.dumps(answer), flush=True)
    return 0


code = main()
sys.stderr.flush()
os._exit(code)  # py-rattler's threads have crashed interpreters during shutdown
