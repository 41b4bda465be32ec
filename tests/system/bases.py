"""Base images made by debootstrap, because tests use no registry."""

import pathlib
import platform
import shutil
import subprocess
import tempfile

from shared_cache import cache_directory, key, locked
from machine import apt_configuration, debian_mirror

SUITES = ("bookworm", "bullseye")
RECIPE = "2"  # increment when the output of `make_root` changes
DROPPED = ("./dev/*", "./var/cache/apt/*.bin", "./var/cache/apt/archives/*.deb", "./var/lib/apt/lists/*_*")
DEBIAN_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


def image_name(suite: str) -> str:
    return f"pinwheel-test/debian:{suite}"


def make_root(suite: str, architecture: str, mirror: str, packages: tuple[str, ...], root: pathlib.Path) -> None:
    more = [f"--include={','.join(packages)}"] if packages else []
    ran = subprocess.run(
        ["debootstrap", "--variant=minbase", *more, f"--arch={architecture}", suite, str(root), mirror],
        capture_output=True,
        text=True,
    )
    if ran.returncode != 0:
        log = root / "debootstrap" / "debootstrap.log"
        detail = log.read_text(errors="replace")[-2000:] if log.exists() else ran.stderr
        raise RuntimeError(f"debootstrap of `{suite}` failed, exit {ran.returncode}\n{ran.stdout[-2000:]}\n{detail}")
    (root / "etc/apt/apt.conf.d/90pinwheel-test").write_text(apt_configuration())


def label(packages: tuple[str, ...]) -> list[str]:
    """The packages in the name of a directory, which has a limit."""
    names = "-".join(packages)
    return [] if not packages else [names if len(names) <= 100 else key(*packages)]


def base_archive(suite: str, machine: str | None = None, packages: tuple[str, ...] = ()) -> pathlib.Path:
    """A minimal Debian with `packages` as a tar file, made if it is not in the cache."""
    architecture = DEBIAN_ARCHITECTURES[machine or platform.machine()]
    mirror = debian_mirror()
    cache = cache_directory("-".join(["bases/" + suite, architecture, *label(packages)]))
    archive = cache / f"{key(RECIPE, mirror, apt_configuration())}.tar"
    with locked(cache):
        if archive.exists():
            return archive
        with tempfile.TemporaryDirectory(dir=cache) as scratch:
            root = pathlib.Path(scratch) / "root"
            make_root(suite, architecture, mirror, packages, root)
            exclude = [f"--exclude={pattern}" for pattern in DROPPED]
            unfinished = pathlib.Path(scratch) / "base.tar"
            subprocess.run(["tar", "-C", str(root), *exclude, "-cf", str(unfinished), "."], check=True)
            for older in cache.glob("*.tar"):
                older.unlink()
            shutil.move(unfinished, archive)
    return archive
