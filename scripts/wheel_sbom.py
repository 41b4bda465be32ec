"""The bill of materials of a static `pinwheel` (CycloneDX, PEP 770) and the licenses of what is in it, for its wheel.

usage: wheel_sbom.py MAP PREFIX VERSION DIST_INFO    MAP is the linker's, PREFIX what scripts/static-libs made
"""

import dataclasses
import importlib.metadata
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

ROOT = Path(__file__).resolve().parent.parent
TOOLS = {"commander", "iconv-lite", "rw", "safer-buffer"}
ARCHIVE = re.compile(r"(/\S+\.a)\(")


@dataclasses.dataclass(frozen=True, order=True)
class Component:
    """A source package, and the file that says its license."""

    name: str
    version: str
    kind: str  # `deb/debian`, `pypi` or `npm`
    license: Path = dataclasses.field(compare=False)

    @property
    def purl(self) -> str:
        of_source = "?arch=source" if self.kind.startswith("deb") else ""
        return f"pkg:{self.kind}/{quote(self.name)}@{quote(self.version, safe='')}{of_source}"


def archives_of(map_text: str) -> set[str]:
    """The archives of which the linker took a member."""
    return set(ARCHIVE.findall(map_text))


def development_packages(list_text: str) -> list[str]:
    """The libraries among the packages of scripts/packages.txt that pinwheel is compiled with."""
    rows = [line.split() for line in list_text.splitlines() if line and not line.startswith("#")]
    return [row[0] for row in rows if row[1] == "build" and row[0].endswith("-dev")]


def document(version: str, components: list[Component]) -> dict:
    main = {"type": "application", "name": "pinwheel-cli", "version": version}
    main["purl"] = main["bom-ref"] = f"pkg:pypi/pinwheel-cli@{quote(version, safe='')}"
    parts = [
        {"type": "library", "bom-ref": each.purl, "name": each.name, "version": each.version, "purl": each.purl}
        for each in components
    ]
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": main},
        "components": parts,
        "dependencies": [{"ref": main["bom-ref"], "dependsOn": [part["bom-ref"] for part in parts]}],
    }


def output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def of_debian(package: str) -> Component:
    """What a binary package was made from."""
    source, version = (
        output("dpkg-query", "-W", "-f", "${source:Package} ${source:Version}\n", package).splitlines()[0].split()
    )
    return Component(source, version, "deb/debian", Path("/usr/share/doc") / package.partition(":")[0] / "copyright")


def of_python(name: str) -> Component:
    distribution = importlib.metadata.distribution(name)
    licenses = [Path(distribution.locate_file(file)) for file in distribution.files or [] if "LICENSE" in file.name]
    return Component(name, distribution.version, "pypi", licenses[0])


def of_archive(archive: str, prefix: Path) -> list[Component]:
    """Of those that were built in `prefix` the sources are added as a whole; what lies nowhere known is zig's own."""
    path = Path(archive).resolve()
    if path.is_relative_to(prefix):
        return []
    owner = subprocess.run(["dpkg-query", "-S", str(path)], capture_output=True, text=True, check=False)
    if owner.returncode != 0:
        return [of_python("ziglang")]
    return [of_debian(owner.stdout.partition(": ")[0])]


def built(prefix: Path) -> list[Component]:
    found = []
    for line in (prefix / "sources").read_text().splitlines():
        name, _, version = line.partition("=")
        (directory,) = (prefix / "licenses").glob(f"{name}-*")
        found.append(Component(name, version, "deb/debian", directory / "copyright"))
    return found


def bundled(modules: Path) -> list[Component]:
    """The packages of npm in the HTML pages; none in a build without pages. Command-line tools of d3-dsv are not."""
    lock = modules.parent / "package-lock.json"
    installed = any(modules.parent.glob("*.installed"))
    packages = json.loads(lock.read_text())["packages"] if installed else {}
    found = []
    for place, package in packages.items():
        name = place.removeprefix("node_modules/")
        if not place or name in TOOLS:
            continue
        (text,) = (modules / name).glob("LICENSE*")
        found.append(Component(name, package["version"], "npm", text))
    return found


def main(arguments: list[str]) -> int:
    if len(arguments) != 4:
        print("usage: wheel_sbom.py MAP PREFIX VERSION DIST_INFO", file=sys.stderr)
        return 2
    map_file, prefix, version, info = Path(arguments[0]), Path(arguments[1]).resolve(), arguments[2], Path(arguments[3])
    components = {*built(prefix), of_python("certifi")}
    for archive in archives_of(map_file.read_text()):
        components |= set(of_archive(archive, prefix))
    for package in development_packages((ROOT / "scripts" / "packages.txt").read_text()):
        components.add(of_debian(package))
    components |= set(bundled(map_file.parent / "page" / "node_modules"))
    for each in components:
        target = info / "licenses" / each.name
        target.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(each.license, target / each.license.name)
    (info / "sboms").mkdir(exist_ok=True)
    text = json.dumps(document(version, sorted(components)), indent=2) + "\n"
    (info / "sboms" / "pinwheel-cli.cdx.json").write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
