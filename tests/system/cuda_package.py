"""A conda package of a complete CUDA compiler, made from the toolkit of the nvcc on PATH."""

import pathlib
import re
import shutil
import subprocess
import tempfile

from conda_packages import Package, pack
from shared_cache import cache_directory, key, locked

RECIPE = "1"  # increment when the contents of the package change
# Libraries that device code links to; the math and profiling libraries would be large.
LIBRARIES = ("libcudart*", "libcudadevrt.a")


def nvcc_prefix() -> pathlib.Path:
    """The prefix that nvcc itself uses; the program on PATH may be a wrapper."""
    output = subprocess.run(["nvcc", "--dryrun", "-x", "cu", "-c", "/dev/null"], capture_output=True, text=True).stderr
    return pathlib.Path(re.search(r"TOP=(\S+)", output)[1]).resolve()


def nvcc_release() -> str:
    output = subprocess.run(["nvcc", "--version"], check=True, capture_output=True, text=True).stdout
    return re.search(r", V([\d.]+)", output)[1]


def copy_toolkit(root: pathlib.Path) -> None:
    """Copies the compiler, its headers and the runtime."""
    prefix = nvcc_prefix()
    for part in ("bin", "nvvm", "include"):
        shutil.copytree(prefix / part, root / part, symlinks=True)
    (root / "lib").mkdir()
    for pattern in LIBRARIES:
        for library in (prefix / "lib").glob(pattern):
            shutil.copy2(library, root / "lib" / library.name, follow_symlinks=False)
    (root / "lib64").symlink_to("lib")


def cuda_package() -> tuple[Package, pathlib.Path]:
    """`cuda-toolkit` of that release, packed once and cached."""
    release = nvcc_release()
    package = Package("cuda-toolkit", release, ["__glibc >=2.17,<3.0.a0"])
    cache = cache_directory("conda")
    archive = cache / f"cuda-toolkit-{release}-{key(RECIPE, str(nvcc_prefix()))}.tar.bz2"
    with locked(cache):
        if not archive.exists():
            with tempfile.TemporaryDirectory(dir=cache) as scratch:
                root = pathlib.Path(scratch) / "root"
                root.mkdir()
                copy_toolkit(root)
                pack(package, root, pathlib.Path(scratch) / archive.name)
                shutil.move(pathlib.Path(scratch) / archive.name, archive)
    return package, archive
