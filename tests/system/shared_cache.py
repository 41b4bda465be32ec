"""The cache of tests that persists between runs, below the user's cache directory."""

import contextlib
import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys


def cache_directory(name: str) -> pathlib.Path:
    base = os.environ.get("XDG_CACHE_HOME") or str(pathlib.Path.home() / ".cache")
    directory = pathlib.Path(base) / "pinwheel-test" / name
    directory.mkdir(parents=True, exist_ok=True)
    return directory


def key(*parts: str | bytes) -> str:
    """A short digest of everything that an entry was made from."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()[:16]


@contextlib.contextmanager
def locked(directory: pathlib.Path):
    """Excludes other test sessions that make the same entries."""
    with open(directory / ".lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def shared_venv(name: str, *requirements: str) -> pathlib.Path:
    """The directory of programs of a venv with these packages, which stays as it is; made by the first user."""
    cache = cache_directory("python")
    directory = cache / f"{name}-{key(sys.version, sys.executable, *requirements)}"
    with locked(cache):
        if not (directory / "complete").exists():
            subprocess.run([sys.executable, "-m", "venv", "--clear", str(directory)], check=True)
            pip = [str(directory / "bin" / "pip"), "install", "-q", *requirements]
            ran = subprocess.run(pip, capture_output=True, text=True)
            assert ran.returncode == 0, ran.stderr
            (directory / "complete").touch()
    return directory / "bin"


def node_modules(name: str, *packages: str) -> pathlib.Path:
    """The directory of these packages of npm and those that they need, from the cache or from npm."""
    directory = cache_directory(name)
    made = directory / key(*packages)
    with locked(directory):
        if not (made / "complete").exists():
            shutil.rmtree(made, ignore_errors=True)
            made.mkdir()
            install = ["npm", "install", "--silent", "--ignore-scripts", "--prefix", str(made), *packages]
            subprocess.run(install, check=True, capture_output=True)
            (made / "complete").touch()
    return made / "node_modules"
