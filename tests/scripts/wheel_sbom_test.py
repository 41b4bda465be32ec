"""The bill of materials in the wheel of pinwheel."""

import json
from pathlib import Path

from wheel_sbom import Component, archives_of, bundled, development_packages, document

MAP = """\
             VMA              LMA     Size Align Out     In      Symbol
         10002a8          10002a8       1c     1         main.o:(.text)
         10002c4          10002c4       20     4         /usr/lib/x86_64-linux-gnu/libcrypto.a(libcrypto-lib-sha.o):(.text)
         10002e4          10002e4       20     4         /usr/lib/x86_64-linux-gnu/libcrypto.a(libcrypto-lib-bn.o):(.text)
         1000304          1000304       20     4         /cache/lib/libcurl.a(url.c.o):(.text)
"""
PACKAGES = "# NAME TIER [PROGRAM]\ng++ build\ncmake build cmake\nlibssl-dev build\nnlohmann-json3-dev build\nlibjpeg-dev test\n"


def test_what_the_linker_took_is_in_its_map():
    assert archives_of(MAP) == {"/usr/lib/x86_64-linux-gnu/libcrypto.a", "/cache/lib/libcurl.a"}


def test_libraries_of_headers_alone_are_among_the_packages_of_a_build():
    assert development_packages(PACKAGES) == ["libssl-dev", "nlohmann-json3-dev"]


def test_the_document_names_each_component_by_its_package_url():
    curl = Component("curl", "7.88.1-10+deb12u15", "deb/debian", Path("copyright"))
    certifi = Component("certifi", "2026.1.1", "pypi", Path("LICENSE"))
    bill = document("1.0+local", [certifi, curl])
    assert [part["purl"] for part in bill["components"]] == [
        "pkg:pypi/certifi@2026.1.1",
        "pkg:deb/debian/curl@7.88.1-10%2Bdeb12u15?arch=source",
    ]
    assert bill["metadata"]["component"]["purl"] == "pkg:pypi/pinwheel-cli@1.0%2Blocal"
    (of_main,) = bill["dependencies"]
    assert of_main["dependsOn"] == [part["bom-ref"] for part in bill["components"]]


def test_packages_of_npm_in_the_pages_are_components_without_their_tools(tmp_path):
    packages = {"": {}, "node_modules/@observablehq/plot": {"version": "0.6.17"}, "node_modules/rw": {"version": "1.3.3"}}
    (tmp_path / "package-lock.json").write_text(json.dumps({"packages": packages}))
    # npm may have failed after the lock was copied.
    assert bundled(tmp_path / "node_modules") == []
    (tmp_path / "0123.installed").touch()
    license_text = tmp_path / "node_modules" / "@observablehq" / "plot" / "LICENSE"
    license_text.parent.mkdir(parents=True)
    license_text.touch()
    (plot,) = bundled(tmp_path / "node_modules")
    assert plot == Component("@observablehq/plot", "0.6.17", "npm", license_text)
    assert plot.purl == "pkg:npm/%40observablehq/plot@0.6.17"
    assert bundled(tmp_path / "absent" / "node_modules") == []
