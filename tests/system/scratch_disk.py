"""A file system in a file: removing it deletes thousands of files at once; one by one that takes a minute."""

import pathlib
import subprocess


class ScratchDisk:
    """An ext4 file system mounted at `place`, of `size` (as truncate understands it), stored sparsely next to it."""

    def __init__(self, place: pathlib.Path, size: str):
        self.place = place
        self.file = place.with_name(place.name + ".img")
        self.size = size

    def mount(self) -> None:
        self.place.mkdir()
        subprocess.run(["truncate", "--size", self.size, str(self.file)], check=True)
        options = ["-E", "nodiscard,lazy_itable_init=1", "-O", "^has_journal", "-m", "0"]
        for command in (
            ["mkfs.ext4", "-q", *options, str(self.file)],
            ["mount", "-o", "loop,noatime,nodiscard", str(self.file), str(self.place)],
        ):
            ran = subprocess.run(command, capture_output=True, text=True)
            if ran.returncode != 0:
                raise RuntimeError(f"{' '.join(command)}: {ran.stderr}")

    def remove(self) -> None:
        """Unmounts and deletes it; a second call does nothing."""
        if self.place.is_mount():
            subprocess.run(["umount", str(self.place)], check=True)
        self.file.unlink(missing_ok=True)
        if self.place.exists():
            self.place.rmdir()
