#!/usr/bin/env python3
"""Writes libc_symbols.txt: which names glibc, musl and zlib export on x86_64 and aarch64, and since which release.

    python tools/inspect/libc_symbols.py ABILISTS MUSL ZLIB > tools/inspect/libc_symbols.txt

ABILISTS is `lib/libc/glibc/abilists` of the wheel `ziglang`, which has glibc's own `*.abilist` files.
MUSL is a directory of `VERSION.nm` files, the output of `nm -D --defined-only lib/libc.so` for builds of musl's tags.
ZLIB is the output of `nm -D --defined-only libz.so.1`.
Each line is a name, the minor version of glibc 2, the version of musl, and `z` for zlib, with `-` for none.
"""

import sys
from pathlib import Path

TARGETS = ("x86_64-linux-gnu", "aarch64-linux-gnu")
# Functions that musl's development tree has since 1.2.5.
LATER = {"posix_getdents": "1.2.6", "renameat2": "1.2.6"}


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def half(self):
        return self.byte() | self.byte() << 8

    def text(self):
        end = self.data.index(0, self.at)
        start, self.at = self.at, end + 1
        return self.data[start:end].decode()

    def number(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            if not byte & 128:
                return value


def glibc_minors(data):
    reader = Reader(data)
    for _ in range(reader.byte()):
        reader.text()  # a library
    versions = [(reader.byte(), reader.byte(), reader.byte()) for _ in range(reader.byte())]
    targets = [reader.text() for _ in range(reader.byte())]
    wanted = [targets.index(target) for target in TARGETS]
    found = {}
    # Functions, data, and thread-local data; all but functions have a size.
    for sized in (False, True, True):
        name = None
        for _ in range(reader.half()):
            name = reader.text() if name is None else name
            mask = reader.number()
            if sized:
                reader.number()
            last_of_name = reader.byte() & 128
            while True:
                byte = reader.byte()
                minor = versions[byte & 127][1]
                if any(mask >> target & 1 for target in wanted):
                    found[name] = min(minor, found.get(name, minor))
                if byte & 128:
                    break
            if last_of_name:
                name = None
    return found


def exported(listing):
    return {line.split()[-1].split("@")[0] for line in listing.splitlines() if len(line.split()) > 1}


def musl_versions(directory):
    found = dict(LATER)
    files = sorted(directory.glob("*.nm"), key=lambda path: [int(part) for part in path.stem.split(".")])
    for path in files:
        # Names that 1.2.4 no longer exports, such as `open64`, are still resolved by its loader.
        for name in exported(path.read_text()):
            found.setdefault(name, path.stem)
    return found


def main():
    abilists, musl, zlib = (Path(argument) for argument in sys.argv[1:])
    glibc, musl, zlib = glibc_minors(abilists.read_bytes()), musl_versions(musl), exported(zlib.read_text())
    zlib = {name for name in zlib if not name.startswith("ZLIB_")}
    for name in sorted({*glibc, *musl, *zlib}):
        print(name, glibc.get(name, "-"), musl.get(name, "-"), "z" if name in zlib else "-")


if __name__ == "__main__":
    main()
