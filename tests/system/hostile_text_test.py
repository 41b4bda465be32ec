"""Text from outside: names, metadata, replies and logs that try to command a terminal or a GitHub runner."""

import contextlib
import http.server
import io
import json
import os
import pathlib
import random
import re
import subprocess
import tarfile
import unicodedata
import zipfile

import pytest
from compiled_wheels import PLAIN, TAGS, compiled, make_wheel
from loopback import serving

# Each would do something if it reached a terminal or a runner as it is.
HOSTILE = [
    "\n::stop-commands::x",
    "\n \t::set-output name=a::b",
    "\r::add-mask::e",
    "\n##[group]x",
    "\n\u00a0\u200b::debug::x",
    "::error::x",
    "##[error]x",
    "\x1b]0;title\x07",
    "\x1b[2J\x1b[31m",
    "\x08\x7f\x00",
    "\u009b2J",
    "\u202egnp.exe",
    "\u2066a\u2069\u200f\u061c",
    "\udcff\udc9b",
]


def commands_in(line: str) -> bool:
    """Whether GitHub's runner may read a command in this line: it trims, and a comparison that knows languages skips
    what has no width."""
    seen = "".join(c for c in line if unicodedata.category(c) not in ("Cf", "Cc"))
    return seen.strip().startswith("::") or "##[" in line


def assert_is_text(output: bytes, colored: bool = False):
    text = output.decode()  # all of it is UTF-8
    if colored:
        text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    for line in text.split("\n"):
        assert not [c for c in line if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") and c != "\t"], repr(line)
        assert not commands_in(line), repr(line)


def run(pinwheel, *arguments, cwd=None, **variables):
    environment = {**os.environ, "GITHUB_ACTIONS": "true", "NO_COLOR": "1", **variables}
    command = [os.fsencode(str(part)) for part in (pinwheel, *arguments)]
    done = subprocess.run(command, capture_output=True, env=environment, cwd=cwd, timeout=60)
    assert done.returncode in range(8), done.stderr
    return done


def checked(pinwheel, *arguments, cwd=None, **variables):
    """A command's output for people, without the annotations that pinwheel itself writes."""
    done = run(pinwheel, *arguments, cwd=cwd, **variables)
    own = rb"^::(?:error|warning|add-mask|group|endgroup)\b[^\n\r]*\n"
    assert_is_text(re.sub(own, b"", done.stderr, flags=re.MULTILINE))
    assert_is_text(re.sub(own, b"", done.stdout, flags=re.MULTILINE))
    for line in re.findall(own, done.stderr + done.stdout, flags=re.MULTILINE):
        assert line.startswith((b"::error ", b"::warning ", b"::group::summary", b"::endgroup::")), line
        assert_is_text(line.strip()[2:])
    return done


def hostile_sdist(place: pathlib.Path, word: str) -> pathlib.Path:
    path = place / "demo-1.0.tar.gz"
    metadata = f"Metadata-Version: 2.1\nName: demo\nVersion: 1.0\nLicense-File: a{word.splitlines()[-1]}\n"
    with tarfile.open(path, "w:gz", encoding="utf-8", errors="surrogateescape") as archive:
        for name, text in {"PKG-INFO": metadata, f"x{word}": "", "pyproject.toml": ""}.items():
            entry = tarfile.TarInfo(f"demo-1.0/{name}")
            data = text.encode(errors="surrogateescape")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return path


def hostile_wheel(place: pathlib.Path, word: str) -> pathlib.Path:
    """A wheel with the word in the names of members, in its metadata and in its RECORD."""
    bare = word.replace("\n", " ").replace("\r", " ")
    metadata = f"Metadata-Version: 2.1\nName: demo{bare}\nVersion: 1{bare}\nRequires-Python: >=3{bare}\n"
    metadata += f"Requires-Dist: torch{bare}\n{bare}: x\n"
    contents = {
        f"demo/{word}.py": "",
        f"demo/{bare}.so": "",
        "demo-1.0.dist-info/METADATA": metadata,
        "demo-1.0.dist-info/WHEEL": f"Wheel-Version: 1.0\nRoot-Is-Purelib: maybe{bare}\nTag: py3-none-any{bare}\n",
        "demo-1.0.dist-info/RECORD": f"{bare},sha256={bare},{bare}\ndemo/{bare}.py,,\n",
    }
    path = place / "demo-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in contents.items():
            archive.writestr(RawName(name), text.encode(errors="surrogateescape"))
    return path


class RawName(zipfile.ZipInfo):
    """A member whose name is written as these bytes."""

    def __init__(self, name):
        super().__init__("x", (2026, 1, 2, 3, 4, 6))
        self.filename = name

    def _encodeFilenameFlags(self):
        return self.filename.encode(errors="surrogateescape"), self.flag_bits | 0x800


def files_of(place: pathlib.Path, word: str):
    yield hostile_sdist(place, word)
    yield hostile_wheel(place, word)


@pytest.mark.parametrize("word", HOSTILE, ids=range(len(HOSTILE)))
def test_no_name_in_a_file_commands_a_terminal_or_a_runner(pinwheel, tmp_path, word):
    for file in files_of(tmp_path, word):
        for arguments in (
            ("inspect", "--check", file),
            ("publish", "--dry-run", "--target", "pypi", file),
            ("finish", "--wheel-version", "1.0", file, "--output-dir", tmp_path / "out"),
            ("compat", file),
            ("-vv", "inspect", file),
        ):
            checked(pinwheel, *arguments)
        # JSON keeps every name, without a byte that means something outside it.
        for line in run(pinwheel, "inspect", "--json", file).stdout.splitlines():
            assert_is_text(line)


def test_made_up_names_do_not_either(pinwheel, tmp_path):
    choose = random.Random(27)
    alphabet = ["::", "##[", "]", "\n", "\r", "\t", " ", "\x1b[", "\x9b", "\u202e", "\u2028", "\u0085", "a", "é", "\udcff"]
    for _ in range(60):
        word = "".join(choose.choices(alphabet, k=choose.randint(1, 8)))
        for file in files_of(tmp_path, word):
            checked(pinwheel, "inspect", "--check", file)
            checked(pinwheel, "publish", "--dry-run", "--target", "pypi", file)


def test_a_name_with_a_line_break_stays_on_its_line(pinwheel, tmp_path):
    hostile_sdist(tmp_path, "\nFORGED: all is well")
    done = checked(pinwheel, "finish", "--wheel-version", "2.0", tmp_path / "demo-1.0.tar.gz")
    hostile_wheel(tmp_path, "\nFORGED: all is well")
    seen = checked(pinwheel, "inspect", tmp_path / "demo-1.0-py3-none-any.whl")
    for output in (done.stdout + done.stderr, seen.stdout + seen.stderr):
        assert b"\nFORGED" not in output
    assert rb"\nFORGED: all is well" in seen.stderr


@pytest.mark.parametrize("word", HOSTILE[:-1], ids=range(len(HOSTILE) - 1))
def test_the_strings_of_a_library_are_text(pinwheel, tmp_path, word):
    if "\x00" in word:
        pytest.skip("ends a string of ELF")
    library = compiled(tmp_path, "native", PLAIN, f"-Wl,-soname,{word}.so", f"-Wl,-rpath,{word}")
    wheel = make_wheel(tmp_path, {"demo/_C.so": library}, TAGS)
    checked(pinwheel, "inspect", "--check", wheel)
    checked(pinwheel, "compat", wheel)


@pytest.mark.parametrize("word", HOSTILE, ids=range(len(HOSTILE)))
def test_a_matrix_is_text(pinwheel, tmp_path, word):
    text = word.encode(errors="surrogateescape").decode("latin-1")
    quoted = json.dumps(text)
    (tmp_path / "key.yaml").write_text(f"package: {{name: demo}}\n{quoted}: 1\n")
    (tmp_path / "value.yaml").write_text(f"package: {{name: {quoted}}}\naxes: {{python: [{quoted}]}}\n")
    (tmp_path / "raw.yaml").write_bytes(b"package:\n  " + word.encode(errors="surrogateescape") + b"z: 1\n")
    for name in ("key", "value", "raw"):
        checked(pinwheel, "plan", f"{name}.yaml", cwd=tmp_path)
    checked(pinwheel, "plan", f"no{word.replace(chr(0), '')}.yaml", cwd=tmp_path)


@contextlib.contextmanager
def hostile_server(reply: bytes):
    """An index whose every answer is this."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_error(404)

        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            self.wfile.write(b"HTTP/1.1 400 no\x1b[2J \x9b\r\nContent-Length: %d\r\n\r\n" % len(reply) + reply)
            self.close_connection = True

        def log_message(self, *args):
            pass

    with serving(Handler) as url:
        yield f"{url}/"


def test_what_an_index_answers_is_text(pinwheel, tmp_path):
    wheel = make_wheel(tmp_path, {"demo.py": b""}, "py3-none-any")
    for word in HOSTILE:
        with hostile_server(f"why{word}".encode(errors="surrogateescape")) as url:
            done = checked(pinwheel, "publish", "--no-auth", "--repository-url", url, wheel, HOME=str(tmp_path))
            assert done.returncode == 6


LOUD = """
import sys
for line in {lines!r}:
    sys.stdout.buffer.write(line.encode(errors="surrogateescape") + b"\\n")
print("\\x1b[31mred\\x1b[0m")
sys.exit(1)
"""


def test_the_output_of_a_build_keeps_its_colors_and_is_no_command(project):
    script = project("script")
    (script.directory / "loud.py").write_text(LOUD.format(lines=[f"x{word}" for word in HOSTILE]))

    def change(matrix):
        matrix["axes"].update(flavor=["plain"])
        matrix["build"]["command"] = ["python", "{package}/loud.py"]

    script.edit(change)
    command = script.command("build", "matrix.yaml")
    done = checked(command[0], *command[1:], cwd=script.directory, **script.environment)
    assert done.returncode == 1 and b"  | x## [error]x\n" in done.stderr
    command = script.command("logs", "build:plain")
    log = run(command[0], *command[1:], cwd=script.directory, **script.environment)
    assert_is_text(log.stdout, colored=True)
    assert b"\x1b[31mred\x1b[0m\n" in log.stdout and b"\x1b]0;" not in log.stdout
    # Outside of a runner its words stay as they are.
    log = run(command[0], *command[1:], cwd=script.directory, **script.environment, GITHUB_ACTIONS="")
    assert b"\n::stop-commands::x\n" in log.stdout


def test_a_variable_that_is_not_utf8_is_refused_by_its_name(project):
    script = project("script")
    for command in (["plan", "matrix.yaml", "--out", "plan.json"], ["build", "matrix.yaml"]):
        refused = script.run(*command, code=2, CFLAGS="-I/tmp/caf\udce9")
        assert "`CFLAGS`" in refused.stderr and r"`-I/tmp/caf\xe9`" in refused.stderr
    assert not (script.directory / "plan.json").exists() and script.starts() == {}


def test_a_matrix_whose_name_is_not_utf8_builds_reports_and_is_not_frozen(project):
    script = project("script")
    name = "m\udcff.yaml"
    os.rename(script.directory / "matrix.yaml", script.directory / name)
    script.commit()
    refused = script.run("plan", name, "--out", "plan.json", code=2)
    assert r"the matrix file `m\xff.yaml`" in refused.stderr
    assert not (script.directory / "plan.json").exists()
    script.run("build", name)
    (script.directory / "make_wheel.py").write_text("raise SystemExit(3)\n")
    script.commit()
    # The report has another name for the matrix, and the exit code is that of the step.
    report = script.whole_report("build", name, "--keep-going", code=1)
    assert {outcome["state"] for outcome in report["outcomes"] if outcome["id"].startswith("build:")} == {"failed"}
    assert report["run"]["matrix"] == "m\ufffd.yaml"
