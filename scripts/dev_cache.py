"""What development keeps between runs and clones: below the user's cache directory, each entry named by the contents
that it was made from, so that one that fits is right wherever it came from."""

import contextlib
import fcntl
import hashlib
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

KEPT_DAYS = 30


def directory(name: str) -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    place = Path(base) / "pinwheel-dev" / name
    place.mkdir(parents=True, exist_ok=True)
    return place


def key(*parts: str | bytes) -> str:
    """A short name for everything that an entry is made from."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()[:32]


def use(entry: Path) -> bool:
    """Whether the entry is there; if so, it counts as used now."""
    if not entry.exists():
        return False
    os.utime(entry)
    return True


def drop_unused(place: Path, days: float = KEPT_DAYS) -> None:
    """Removes the entries that nobody used for so long."""
    oldest = time.time() - days * 24 * 3600
    for entry in place.iterdir():
        with contextlib.suppress(FileNotFoundError):  # another session removes it, too
            if entry.name[0] == "." or entry.stat().st_mtime > oldest:
                continue
            if entry.is_dir():
                shutil.rmtree(entry)
            else:
                entry.unlink()


@contextlib.contextmanager
def locked(place: Path) -> Iterator[None]:
    """Holds off other sessions that make the same entries."""
    with (place / ".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
