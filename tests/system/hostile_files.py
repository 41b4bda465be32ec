"""Files of about 100 MB designed to cost their readers as much as possible."""

import pathlib
import random
import struct
import zlib

INFO = "demo-1.0.dist-info"
METADATA = b"Metadata-Version: 2.1\nName: demo\nVersion: 1.0\n"
WHEEL = b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
RECORD = f"{INFO}/METADATA,,\n{INFO}/WHEEL,,\n{INFO}/RECORD,,\n".encode()
STORED, DEFLATED = 0, 8
MEGA = 1_000_000


def deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(1, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


class RawZip:
    """A zip file written field by field, so that it can say what no library writes."""

    def __init__(self, metadata: bytes = METADATA, record: bytes = RECORD):
        self.body = bytearray()
        self.directory = bytearray()
        self.count = 0
        self.store(f"{INFO}/METADATA", metadata)
        self.store(f"{INFO}/WHEEL", WHEEL)
        self.store(f"{INFO}/RECORD", record)

    def store(self, name: str, data: bytes) -> None:
        self.add(name, data, len(data), zlib.crc32(data), STORED)

    def add(self, name: str, packed: bytes, size: int, crc: int, method: int) -> int:
        """Adds a member; returns the offset of its header."""
        at = len(self.body)
        head = (20, 0, method, 0x58210000, crc, len(packed), size, len(name), 0)
        self.body += struct.pack("<IHHHIIIIHH", 0x04034B50, *head) + name.encode() + packed
        self.list(name, at, len(packed), size, crc, method)
        return at

    def list(self, name: str, at: int, packed: int, size: int, crc: int, method: int) -> None:
        """Adds an entry to the directory only."""
        head = (0x314, 20, 0, method, 0x58210000, crc, packed, size, len(name), 0, 0, 0, 0, 0o100644 << 16, at)
        self.directory += struct.pack("<IHHHHIIIIHHHHHII", 0x02014B50, *head) + name.encode()
        self.count += 1

    def write(self, directory: pathlib.Path) -> pathlib.Path:
        at, size, count = len(self.body), len(self.directory), self.count
        end = b""
        if count > 0xFFFF:
            end = struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, count, count, size, at)
            end += struct.pack("<IIQI", 0x07064B50, 0, at + size, 1)
            count, at = 0xFFFF, 0xFFFFFFFF
        end += struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, count, count, size, at, 0)
        path = directory / "demo-1.0-py3-none-any.whl"
        path.write_bytes(b"".join((self.body, self.directory, end)))
        return path


def record_of_many_bytes() -> RawZip:
    return RawZip(record=b"".join(b"demo/a%07d.py,sha256=x,1\n" % i for i in range(3_700_000)))


def record_of_many_lines() -> RawZip:
    return RawZip(record=b"a,,\n" * 9_000_000)


def long_metadata() -> RawZip:
    return RawZip(metadata=METADATA + b"Requires-Dist: a\n" * 6_000_000)


def many_headers() -> RawZip:
    return RawZip(metadata=METADATA + b"A:b\n" * 1_900_000)


def shared_data() -> RawZip:
    """60,000 members that share one offset."""
    archive = RawZip()
    contents = bytes(40_000_000)
    packed, crc = deflate(contents), zlib.crc32(contents)
    at = archive.add("demo/a00000.py", packed, len(contents), crc, DEFLATED)
    for i in range(1, 60_000):
        archive.list(f"demo/a{i:05}.py", at, len(packed), len(contents), crc, DEFLATED)
    return archive


def many_members() -> RawZip:
    archive = RawZip()
    for i in range(1_000_000):
        archive.add(f"d/{i:07}", b"", 0, 0, STORED)
    return archive


def bombs() -> RawZip:
    """Each file is within every single limit."""
    archive = RawZip()
    contents = bytes(40_000_000)
    packed, crc = deflate(contents), zlib.crc32(contents)
    for i in range(100_000_000 // len(packed)):
        archive.add(f"demo/a{i:05}.py", packed, len(contents), crc, DEFLATED)
    return archive


def padded_member(size: int) -> tuple[bytes, int, int]:
    """The deflated contents of a member of about that size, 200 times smaller; its size; its CRC."""
    noise = random.Random(1).randbytes(4096)
    block = noise + bytes(MEGA - len(noise))
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    packed = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    crc = 0
    for _ in range(size // MEGA):
        crc = zlib.crc32(block, crc)
    return packed * (size // MEGA) + packer.flush(), size // MEGA * MEGA, crc


def padded(size: int, count: int) -> RawZip:
    """Members of `size` bytes each, and noise; about 100 MB in all."""
    members = [f"demo/a{i}" for i in range(count)] + ["demo/noise"]
    record = "".join(f"{name},,\n" for name in members).encode()
    archive = RawZip(record=RECORD + record)
    packed, unpacked, crc = padded_member(size)
    for name in members[:-1]:
        archive.add(name, packed, unpacked, crc, DEFLATED)
    archive.store("demo/noise", random.Random(2).randbytes(100 * MEGA - len(archive.body)))
    return archive


def one_large_member() -> RawZip:
    return padded(590 * MEGA, 1)


def much_to_write_anew() -> RawZip:
    return padded(650 * MEGA, 7)


def elf_with(section: str, contents: bytes) -> bytes:
    """A shared object for x86_64 with one section and no segments."""
    names = b"\0" + section.encode() + b"\0.shstrtab\0"
    table = 64 + len(contents) + len(names)
    head = b"\x7fELF\2\1\1".ljust(16, b"\0") + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, table, 0, 64, 56, 0, 64, 3, 2)
    rows = struct.pack("<IIQQQQ24x", 0, 0, 0, 0, 0, 0)
    rows += struct.pack("<IIQQQQ24x", 1, 1, 0, 0, 64, len(contents))
    rows += struct.pack("<IIQQQQ24x", len(section) + 2, 3, 0, 0, 64 + len(contents), len(names))
    return head + contents + names + rows


def of_libraries(*libraries: bytes) -> RawZip:
    archive = RawZip()
    for i, library in enumerate(libraries):
        archive.store(f"demo/lib{i}.so", library)
    return archive


def cuda_containers() -> RawZip:
    empty = struct.pack("<IHHQ", 0xBA55ED50, 1, 16, 0)
    return of_libraries(elf_with(".nv_fatbin", empty * (100 * MEGA // len(empty))))


def cuda_entries() -> RawZip:
    """Each library is within its limit."""
    entry = struct.pack("<HHIQI12xI32x", 2, 0x101, 64, 0, 0, 90)[:64]
    container = struct.pack("<IHHQ", 0xBA55ED50, 1, 16, 190_000 * len(entry)) + entry * 190_000
    return of_libraries(*[elf_with(".nv_fatbin", container)] * 8)


def bundle(code: int) -> bytes:
    """The table of a HIP bundle that holds so many bytes of code."""
    target = b"hipv4-amdgcn-amd-amdhsa--gfx1100"
    table = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<QQQQ", 1, 4096, code, len(target)) + target
    return table.ljust(4096, b"\0")


def hip_bundles() -> RawZip:
    empty = b"__CLANG_OFFLOAD_BUNDLE__" + bytes(8)
    return of_libraries(elf_with(".hip_fatbin", empty * (100 * MEGA // len(empty))))


def hip_zlib() -> RawZip:
    """Bundles of 1 MB each that unpack to 1 GB, without a word about where they end."""
    packer = zlib.compressobj(9)
    packed = packer.compress(bundle(1000 * MEGA)) + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(bytes(MEGA)) + packer.flush(zlib.Z_FULL_FLUSH)
    packed += block * 1000
    one = b"CCOB" + struct.pack("<HHIQ", 1, 0, 4096 + 1000 * MEGA, 0) + packed
    return of_libraries(elf_with(".hip_fatbin", one * (100 * MEGA // len(one))))


def elf_tables() -> RawZip:
    """A library that consists mostly of tables: 60,000 segments, names of 90 MB."""
    contents = bytes(90 * MEGA)
    library = bytearray(elf_with(".text", contents))
    library[32:40] = struct.pack("<Q", 64)
    library[56:58] = struct.pack("<H", 60_000)
    return of_libraries(bytes(library))


def tar_header(name: str, size: int) -> bytes:
    header = bytearray(512)
    header[: len(name)] = name.encode()
    header[100:107] = b"0000644"
    header[124:135] = b"%011o" % size
    header[148:156] = b" " * 8
    header[156:157] = b"0"
    header[257:262] = b"ustar"
    header[148:155] = b"%06o\0" % sum(header)
    return bytes(header)


def small_sdist_head() -> bytes:
    return tar_header("demo-1.0/PKG-INFO", len(METADATA)) + METADATA.ljust(512, b"\0")


def gzip_of(directory: pathlib.Path, head: bytes, block: bytes, times: int, tail: bytes) -> pathlib.Path:
    """An sdist whose tar is head, the block many times, tail; compressing the block once."""
    packer = zlib.compressobj(1, zlib.DEFLATED, -15)
    packed = packer.compress(head) + packer.flush(zlib.Z_FULL_FLUSH)
    again = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    end = packer.compress(tail) + packer.flush()
    crc = zlib.crc32(head)
    for _ in range(times):
        crc = zlib.crc32(block, crc)
    size = len(head) + times * len(block) + len(tail)
    path = directory / "demo-1.0.tar.gz"
    with path.open("wb") as out:
        out.write(b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + packed)
        for _ in range(times):
            out.write(again)
        out.write(end + struct.pack("<II", zlib.crc32(tail, crc), size & 0xFFFFFFFF))
    return path


def sdist_of_one_file(directory: pathlib.Path, size: int, block: bytes) -> pathlib.Path:
    times = size // len(block)
    head = small_sdist_head() + tar_header("demo-1.0/data", times * len(block))
    return gzip_of(directory, head, block, times, bytes(1024))


def sdist_of_many_files(directory: pathlib.Path, count: int) -> pathlib.Path:
    members = b"".join(tar_header(f"demo-1.0/{i}", 0) for i in range(count))
    return gzip_of(directory, small_sdist_head(), members, 1, bytes(1024))


def page(kind: str, count: int) -> bytes:
    if kind == "html":
        return b"<html>" + b"<a href=a>" * count
    files = b",".join(b'{"filename":"demo-%d.0.tar.gz","url":"u","hashes":{"sha256":"ab"}}' % i for i in range(count))
    return b'{"meta":{"api-version":"1.0"},"files":[' + files + b"]}"
