"""The wheel of pinwheel itself: built by it from matrix/pinwheel.yaml, and installed where people will install it."""

import http.server
import json
import os
import pathlib
import platform
import re
import shutil
import ssl
import subprocess
import sys
import zipfile

import pytest
from bases import base_archive
from compiled_python import PREFIX, compiled_python
from indexes import real_index
from loopback import running
from pinwheel_wheels import (
    MATRIX,
    ROOT,
    assert_auditwheel_agrees_on_its_tag,
    assert_small_and_for_old_systems,
    clone_below,
    output,
    version_of,
)
from trusted_index import make_certificates

pytestmark = pytest.mark.wheel

SUITES = ("bullseye", "bookworm", "trixie")
# The system packages of the quickstart, as on the first page: the wheel has the rest.
PACKAGES = ("g++", "git", "python3", "python3-venv")
PYTHON = "3.11"  # of the matrix; in addition to Debian's own, which has the wheel
# Installed as pipx does it: the program on PATH, its environment not.
IN_CONTAINER = """
set -eu
python3 -m venv /venv
/venv/bin/pip install --no-index --disable-pip-version-check -q /wheels/{wheel}
/venv/bin/python -c 'import pinwheel_cli; print(pinwheel_cli.find_binary())'
ln -s /venv/bin/pinwheel /usr/local/bin/
pinwheel --version
export PATH={prefix}/bin:$PATH
git clone -q /clone /checkout
PINWHEEL=pinwheel /checkout/scripts/quickstart
"""


@pytest.fixture(scope="module")
def variables() -> dict[str, str]:
    return {
        name: value for name, value in os.environ.items() if not name.startswith(("PINWHEEL_", "GITHUB_", "CC", "CXX"))
    }


@pytest.fixture(scope="module")
def run(pinwheel, variables, tmp_path_factory):
    """pinwheel on its own matrix, with a state and an output of the session."""
    place = tmp_path_factory.mktemp("pinwheel")
    places = ["--state-dir", place / "state", "--output-dir", place / "dist"]

    def call(*arguments, code=0) -> subprocess.CompletedProcess:
        command = [str(word) for word in (pinwheel, *arguments, *places)]
        ran = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True)
        assert ran.returncode == code, f"exit {ran.returncode}, not {code}\n{ran.stdout}\n{ran.stderr}"
        return ran

    call.dist = place / "dist"
    return call


@pytest.fixture(scope="module")
def wheel(run) -> pathlib.Path:
    run("test", MATRIX, "--select", f"arch={platform.machine()}")
    (file,) = run.dist.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def members(wheel) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> pathlib.Path:
    """The programs of an environment with the wheel."""
    place = tmp_path_factory.mktemp("venv")
    output(sys.executable, "-m", "venv", place)
    output(place / "bin" / "pip", "install", "--no-index", "--no-deps", "--disable-pip-version-check", wheel)
    return place / "bin"


@pytest.fixture(scope="module")
def sdist(run) -> pathlib.Path:
    run("build", MATRIX, "--step", "sdist")
    (file,) = run.dist.glob("*.tar.gz")
    return file


@pytest.mark.takes(600)
def test_pip_compiles_the_sdist_with_the_libraries_of_the_distribution(sdist, variables, tmp_path):
    venv = tmp_path / "venv"
    output(sys.executable, "-m", "venv", venv)
    # As from an index: what pip has is the archive alone.
    output(venv / "bin" / "pip", "install", "-q", "--disable-pip-version-check", sdist, env=variables)
    version = sdist.name.removeprefix("pinwheel_cli-").removesuffix(".tar.gz")
    printed = output(venv / "bin" / "pip", "list", "--disable-pip-version-check", "--format=json")
    assert {each["name"]: each["version"] for each in json.loads(printed)}["pinwheel-cli"] == version
    assert output(venv / "bin" / "pinwheel", "--version") == f"pinwheel {version.partition('+')[0]}\n"
    needed = output("readelf", "-d", venv / "bin" / "pinwheel")
    assert "libyaml-cpp.so" in needed and "libfmt.so" in needed


@pytest.mark.takes(600)
def test_it_is_small_and_for_old_systems(wheel):
    assert_small_and_for_old_systems(wheel, platform.machine())


def test_auditwheel_and_pinwheel_agree_on_its_tag(run, wheel):
    run("inspect", "--check", "--strict", "--matrix", MATRIX, wheel)
    assert_auditwheel_agrees_on_its_tag(wheel)


def test_pip_puts_the_program_on_the_path(wheel, installed):
    assert output(installed / "pinwheel", "--version") == f"pinwheel {version_of(wheel)}\n"
    found = output(installed / "python", "-c", "import pinwheel_cli; print(pinwheel_cli.find_binary())").strip()
    assert pathlib.Path(found) == installed / "pinwheel"


def lines_of_the_first_page() -> dict[str, list[str]]:
    """The commands that install pinwheel, by their program."""
    text = (ROOT / "README.md").read_text().split("## Install")[1].split("\n## ")[0]
    lines = re.findall(r"^    (\w.*?)(?: +#.*)?$", text, re.MULTILINE)
    return {line.split()[0]: line.split() for line in lines}


@pytest.mark.takes(60)
def test_the_lines_of_the_first_page_take_it_from_an_index_by_its_name(wheel, variables, tmp_path):
    lines = lines_of_the_first_page()
    assert set(lines) == {"pip", "uvx", "pipx"}
    packages = tmp_path / "packages"
    packages.mkdir()
    shutil.copy(wheel, packages)
    venv = tmp_path / "venv"
    output(sys.executable, "-m", "venv", venv)
    output(venv / "bin" / "pip", "install", "-q", "--disable-pip-version-check", "pipx", env=variables)
    places = {"HOME": str(tmp_path), "PIPX_HOME": str(tmp_path / "pipx"), "UV_CACHE_DIR": str(tmp_path / "uv")}
    environment = variables | places | {"PATH": f"{venv}/bin:{variables['PATH']}"}
    with real_index(packages) as url:
        index = ["--index-url", f"{url}/simple/"]
        output(venv / "bin" / "pip", *lines["pip"][1:], *index, "--pre", env=environment)
        printed = {"pip": output(venv / "bin" / "pinwheel", "--help")}
        for program, option in (("uvx", "--default-index"), ("pipx", "--index-url")):
            command, *arguments = lines[program]
            where = [option, index[1]] if program == "uvx" else [arguments.pop(0), *index]
            printed[program] = output(command, *where, *arguments, env=environment)
    assert len(set(printed.values())) == 1 and "pinwheel" in printed["pip"]


def test_it_says_what_is_in_it(members):
    (bill,) = [
        json.loads(data) for name, data in members.items() if name.endswith(".dist-info/sboms/pinwheel-cli.cdx.json")
    ]
    by_name = {each["name"]: each for each in bill["components"]}
    for name in ("curl", "openssl", "libgit2", "libsodium", "libzstd", "libisal", "libdeflate", "fmtlib", "yaml-cpp", "zlib",
                 "gcc-12", "nlohmann-json3", "certifi", "ziglang"):  # fmt: skip
        assert re.fullmatch(r"pkg:(deb/debian|pypi)/\S+@\S+", by_name[name]["purl"])
    licensed = {name.split("/")[2] for name in members if ".dist-info/licenses/" in name and name.count("/") == 3}
    assert set(by_name) <= licensed
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in members)


@pytest.fixture
def tls_server(tmp_path):
    """The port of a server on 127.0.0.1 that has nothing, and the file of its authority."""
    certificate, _ = make_certificates(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    with running(server):
        yield server.server_port, tmp_path / "ca.pem"


def test_it_trusts_the_certificates_that_are_named_and_else_some_of_its_own(installed, tls_server, members):
    """Empty file systems hide the certificates of this one, as in a container that has none."""
    hide = 'for each in /etc/ssl /etc/pki; do [ ! -d $each ] || mount -t tmpfs none $each; done; exec "$@"'
    port, authority = tls_server

    def output_of(**variables: str) -> str:
        address = f"https://127.0.0.1:{port}/a-1-py3-none-any.whl"
        command = [
            "unshare",
            "--map-root-user",
            "--mount",
            "sh",
            "-ec",
            hide,
            "sh",
            installed / "pinwheel",
            "inspect",
            address,
        ]
        ran = subprocess.run(
            list(map(str, command)), env={"PATH": os.environ["PATH"], **variables}, capture_output=True, text=True
        )
        assert ran.returncode != 0
        return ran.stderr

    assert "SSL peer certificate" in output_of()  # a file of certificates that cannot be read is another error
    assert "501" in output_of(SSL_CERT_FILE=str(authority))
    (program,) = [data for name, data in members.items() if name.endswith(".data/scripts/pinwheel")]
    assert program.count(b"-----BEGIN CERTIFICATE-----\n") > 100


@pytest.fixture(scope="module")
def clone(tmp_path_factory) -> pathlib.Path:
    return clone_below(tmp_path_factory.mktemp("clone"))


@pytest.mark.docker
@pytest.mark.takes(400)
@pytest.mark.parametrize("suite", SUITES)
def test_the_quickstart_runs_on(dockerd, machine, wheel, clone, suite):
    """The real one: torch, the kernels compiled by the distribution's g++ and tested, an index, pip from it."""
    image = f"pinwheel-test/user:{suite}"
    dockerd.call("import", str(base_archive(suite, packages=PACKAGES)), image)
    places = {wheel.parent: "/wheels", clone: "/clone", compiled_python(dockerd, image, PYTHON): PREFIX}
    mounts = [word for outside, inside in places.items() for word in ("--volume", f"{outside}:{inside}:ro")]
    script = IN_CONTAINER.replace("{wheel}", wheel.name).replace("{prefix}", PREFIX)
    ran = dockerd.run(*mounts, *machine.run_arguments(), image, "sh", "-c", script)
    printed = ran.stdout.splitlines()
    assert printed[:2] == ["/venv/bin/pinwheel", f"pinwheel {version_of(wheel)}"]
    assert "Name: pinwheel-kernels" in printed  # what pip says of what it installed
    assert any(line.strip() == "pinwheel_kernels/libpinwheel_ops.so" for line in printed)


@pytest.mark.docker
@pytest.mark.takes(60)
def test_the_image_recipe_installs_it(dockerd, wheel):
    base = dockerd.import_bases()["bookworm"]
    recipe = ["--file", str(ROOT / "docker" / "pinwheel.Dockerfile"), "--tag", "pinwheel-test/pinwheel"]
    dockerd.build(*recipe, "--build-arg", f"BASE_IMAGE={base}", "--build-arg", f"PINWHEEL=./{wheel.name}", str(wheel.parent))
    assert dockerd.run("pinwheel-test/pinwheel", "--version").stdout == f"pinwheel {version_of(wheel)}\n"
