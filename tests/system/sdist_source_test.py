"""`package.requirement`: the sdist comes from the user's index, by hash, and no backend runs to get it."""

import base64
import contextlib
import hashlib
import http.server
import io
import tarfile

import pytest
from loopback import running

BACKEND = '''
import os, zipfile, hashlib, base64

if "PINWHEEL_VERSION" not in os.environ:
    raise SystemExit("the backend ran outside the build")


def build_wheel(directory, config_settings=None, metadata_directory=None):
    name = "pinwheel_demo_kit-1.0-py3-none-any.whl"
    info = "pinwheel_demo_kit-1.0.dist-info"
    files = {
        "pinwheel_demo_kit.py": b"ANSWER = 42\\n",
        f"{info}/METADATA": b"Metadata-Version: 2.1\\nName: pinwheel-demo-kit\\nVersion: 1.0\\n",
        f"{info}/WHEEL": b"Wheel-Version: 1.0\\nGenerator: own\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
    }
    record = ""
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(content)}\\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\\n").encode()
    with zipfile.ZipFile(os.path.join(directory, name), "w") as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return name
'''
FILES = {
    "PKG-INFO": "Metadata-Version: 2.1\nName: pinwheel-demo-kit\nVersion: 1.0\n",
    # Nothing could install this requirement.
    "pyproject.toml": "[build-system]\nrequires = ['no-such-thing-anywhere']\n"
    "build-backend = 'own'\nbackend-path = ['.']\n[project]\nname = 'pinwheel-demo-kit'\nversion = '1.0'\n",
    "own.py": BACKEND,
    "tests/check.py": "import pinwheel_demo_kit\nassert pinwheel_demo_kit.ANSWER == 42\n",
}
MATRIX = """\
schema: pinwheel/1
package: {name: pinwheel-demo-kit, requirement: pinwheel-demo-kit==1.0}
axes: {python: ["3.11"]}
abi: {python: none}
environment: {pip: [build], build-requires: none}
build:
  command: [python, -m, build, --wheel, --no-isolation, --skip-dependency-check, --outdir, "{dest_dir}", "{package}"]
test:
  command: [python, "{package}/tests/check.py"]
"""


def sdist(files: dict[str, str] = FILES) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(f"pinwheel-demo-kit-1.0/{name}")
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return out.getvalue()


class Index(http.server.ThreadingHTTPServer):
    """A simple index with one project, behind a password."""

    def __init__(self, archive: bytes, names=("pinwheel-demo-kit-1.0.tar.gz",), digest: str | None = None):
        super().__init__(("127.0.0.1", 0), Handler)
        digest = digest or hashlib.sha256(archive).hexdigest()
        links = "".join(f'<a href="../../files/{name}#sha256={digest}">{name}</a>' for name in names)
        self.pages = {"/simple/pinwheel-demo-kit/": links.encode()}
        self.pages |= {f"/files/{name}": archive for name in names}
        self.asked: list[str] = []


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        wanted = "Basic " + base64.b64encode(b"me:secret-password").decode()
        allowed = self.headers.get("Authorization") == wanted
        body = self.server.pages.get(self.path) if allowed else b"who are you"
        self.send_response(401 if not allowed else 404 if body is None else 200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *arguments):
        pass


@pytest.fixture
def serve():
    with contextlib.ExitStack() as servers:

        def start(*arguments, **options) -> tuple[Index, str]:
            index = Index(*arguments, **options)
            servers.enter_context(running(index))
            return index, f"http://me:secret-password@127.0.0.1:{index.server_port}/simple"

        yield start


@pytest.fixture
def demo(project):
    one = project("script")
    (one.directory / "matrix.yaml").write_text(MATRIX)
    return one


def test_an_sdist_comes_from_the_index_and_no_backend_runs(demo, serve):
    index, url = serve(sdist())
    # `build` itself comes from where pip finds it today.
    outcomes = demo.report("test", "matrix.yaml", PIP_EXTRA_INDEX_URL=url)
    assert {step.split(":")[0]: each["state"] for step, each in outcomes.items()} == {
        "env": "done",
        "build": "done",
        "test": "done",
    }
    assert index.asked.count("/files/pinwheel-demo-kit-1.0.tar.gz") == 1
    again = demo.report("test", "matrix.yaml", PIP_EXTRA_INDEX_URL=url)
    assert {each["state"] for each in again.values()} == {"reused"}
    assert index.asked.count("/files/pinwheel-demo-kit-1.0.tar.gz") == 1


def refused(demo, url: str, code: int) -> str:
    ran = demo.run("build", "--dry-run", "matrix.yaml", code=code, PIP_INDEX_URL=url)
    assert "secret-password" not in ran.stdout + ran.stderr
    return ran.stderr


def test_another_hash_than_the_index_says_is_refused(demo, serve):
    _, url = serve(sdist(), digest="0" * 64)
    assert "`pinwheel-demo-kit-1.0.tar.gz` has the sha256" in refused(demo, url, 5)


def test_an_index_without_the_sdist_is_named_and_says_what_it_has(demo, serve):
    _, url = serve(sdist(), names=["pinwheel_demo_kit-1.0-py3-none-any.whl", "pinwheel-demo-kit-0.9.tar.gz"])
    output = refused(demo, url, 2)
    assert "`pinwheel-demo-kit` 1.0 has no sdist" in output and "only wheels" in output


def test_wrong_credentials_and_a_missing_index_are_distinguished(demo, serve):
    _, url = serve(sdist())
    assert "401" in refused(demo, url.replace("me:", "you:"), 2)
    assert "127.0.0.1:9" in refused(demo, "http://127.0.0.1:9/simple", 4)


def test_an_archive_that_would_unpack_elsewhere_is_refused(demo, serve):
    _, url = serve(sdist({**FILES, "../../evil": "x"}))
    assert "evil" in refused(demo, url, 5)


def test_a_version_that_is_not_pinned_is_refused(demo):
    demo.edit(lambda matrix: matrix["package"].update(requirement="pinwheel-demo-kit>=1"))
    assert "must be a requirement such as" in refused(demo, "http://127.0.0.1:9/simple", 2)
