"""Libraries compiled for a test, wheels made of them, and pinwheel's reports on those."""

import base64
import hashlib
import json
import pathlib
import subprocess
import zipfile

PLATFORM = "manylinux_2_28_x86_64"
TAGS = f"cp311-cp311-{PLATFORM}"
PLAIN = "int demo_answer(void) { return 42; }\n"


def call(*command, code: int | None = 0) -> subprocess.CompletedProcess:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert code is None or done.returncode == code, done.stdout + done.stderr
    return done


def compiled(place: pathlib.Path, name: str, source: str, *flags: str, compiler: str = "gcc") -> bytes:
    """A shared library compiled from that source."""
    file = place / f"{name}.{'cc' if compiler == 'g++' else 'c'}"
    file.write_text(source)
    library = place / f"{name}.so"
    call(compiler, "-shared", "-fPIC", "-o", library, file, *flags)
    return library.read_bytes()


def make_wheel(place: pathlib.Path, files: dict[str, bytes], tags: str, version: str = "1.0", headers: str = ""):
    """A wheel of these files that satisfies every rule of the format."""
    info = f"demo_kit-{version}.dist-info"
    lines = "".join(f"Tag: {tags}\n")
    root = "true" if tags.endswith("any") else "false"
    members = dict(files)
    members[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: demo-kit\nVersion: {version}\n{headers}".encode()
    members[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: {root}\n{lines}\n".encode()
    record = ""
    for name, data in members.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    members[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    path = place / f"demo_kit-{version}-{tags}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 2, 3, 4, 6)), data, zipfile.ZIP_DEFLATED)
    return path


def report_of(pinwheel: str, path: pathlib.Path, *options: str, code: int = 0) -> dict:
    return json.loads(call(pinwheel, "inspect", path, "--json", *options, code=code).stdout)


def broken(report: dict) -> set[tuple[str, str]]:
    return {(finding["rule"], finding["severity"]) for finding in report["findings"]}
