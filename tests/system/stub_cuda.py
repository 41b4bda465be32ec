"""Stub CUDA libraries, so that a CUDA build of torch can be imported without the real ones: made by the compiler,
independent of those that pinwheel generates."""

import collections
import pathlib
import re
import subprocess
import zipfile

CUDA = re.compile(r"lib(cu\w+|nccl|nvrtc|nvToolsExt|nvJitLink|nvshmem_host)\.so[.\d]*$")
CUDA_SYMBOL = re.compile(r"_*(cu|nccl|nvrtc|nvtx|nvshmem|nvJitLink)")


def output_of(*command) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def wanted(libraries: list[pathlib.Path]) -> dict[str, set[tuple[str, str]]]:
    """The symbols that libraries import from CUDA's: (symbol, version or none) by library. The dynamic linker searches
    everywhere for unversioned symbols, so they go into the runtime."""
    found = collections.defaultdict(set)
    for library in libraries:
        for name in re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "-dW", library)):
            if CUDA.match(name):
                found[name]
    (runtime,) = [name for name in found if name.startswith("libcudart")]
    for library in libraries:
        files = {}
        for line in output_of("readelf", "-VW", library).splitlines():
            if match := re.search(r"Version: 1  File: (\S+)", line):
                file = match[1]
            elif match := re.search(r"  Name: (\S+)  Flags", line):
                files[match[1]] = file
        for line in output_of("nm", "-D", "--undefined-only", library).splitlines():
            symbol, _, version = line.split()[-1].partition("@")
            if CUDA_SYMBOL.match(symbol):
                found[files.get(version, runtime)].add((symbol, version))
    return found


def compile_stub(file: pathlib.Path, symbols: set[tuple[str, str]]) -> None:
    """Every function returns "no device"."""
    source = "".join(f"int {symbol}(void) {{ return 100; }}\n" for symbol in sorted({symbol for symbol, _ in symbols}))
    versions = collections.defaultdict(list)
    for symbol, version in sorted(symbols):
        versions[version].append(symbol)
    script = file.with_name(file.name + ".map")
    script.write_text("".join(f"{name} {{ {'; '.join(versions[name])}; }};\n" for name in versions if name))
    link = [f"-Wl,-soname,{file.name}"] + ([f"-Wl,--version-script,{script}"] if any(versions) else [])
    command = ["cc", "-w", "-shared", "-fPIC", *link, "-x", "c", "-", "-o", file]
    subprocess.run(command, input=source, text=True, check=True)
    script.unlink()


def make_stub_cuda(site_packages: pathlib.Path, directory: pathlib.Path) -> pathlib.Path:
    """Makes the libraries that this torch needs in the directory, for LD_LIBRARY_PATH, and next to it a wheel with the
    same libraries."""
    directory.mkdir()
    for name, symbols in wanted(sorted((site_packages / "torch" / "lib").glob("*.so*"))).items():
        compile_stub(directory / name, symbols)
    wheel = directory.with_name("stub_cuda-1.0-py3-none-manylinux_2_28_x86_64.whl")
    with zipfile.ZipFile(wheel, "w") as archive:
        for file in sorted(directory.iterdir()):
            archive.write(file, f"stub_cuda/{file.name}")
        info = "stub_cuda-1.0.dist-info"
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: stub-cuda\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-manylinux_2_28_x86_64\n")
        archive.writestr(f"{info}/RECORD", "")
    return wheel
