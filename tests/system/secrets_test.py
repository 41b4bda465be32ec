"""Secrets that builds need: passed on, printed nowhere, kept nowhere."""

import base64
import gzip
import json
import pathlib
import subprocess
import urllib.parse
import zipfile

import pytest
from conftest import PYTHON
from contained import in_bullseye, states
from indexes import real_index

VALUE = "hunter/2 \u00e9+s3cr3t==~"
NAME = "LICENSE_TOKEN"
TAG = "cp" + PYTHON.replace(".", "")
TAIL = "import runpy, sys\nsys.argv = sys.argv[1:]\nrunpy.run_path(sys.argv[0], run_name='__main__')\n"
PRINT = (
    """
import base64, json, os, sys, time, urllib.parse
value = os.environ["LICENSE_TOKEN"]
raw = value.encode()
print("SEEN", len(value), "OTHER" in os.environ, flush=True)
print("raw", value)
for shift in range(3):
    print("base64", base64.b64encode(b"x" * shift + raw + b"tail").decode())
    print("urlsafe", base64.urlsafe_b64encode(b"x" * shift + raw).decode())
print("percent", urllib.parse.quote(value, safe=""), urllib.parse.quote_plus(value), urllib.parse.quote(value))
print("json", json.dumps({"value": value}), json.dumps(value, ensure_ascii=False))
print("repr", repr(value), repr(raw), file=sys.stderr)
for half in (raw[:9], raw[9:]):
    sys.stdout.flush()
    os.write(1, half)
    time.sleep(0.05)
print("\\nhttps://me:" + urllib.parse.quote(value, safe="") + "@example.org/", flush=True)
"""
    + TAIL
)
LEAK = "import os, pathlib\npathlib.Path('leak.txt').write_bytes({})\n" + TAIL


def spellings(value: str) -> list[bytes]:
    """The forms of a value that must not be found anywhere; for base64, the part that does not depend on its surroundings."""
    raw = value.encode()
    shifted = [base64.b64encode(b"x" * shift + raw)[4 if shift else 0 :] for shift in range(3)]
    cut = [text[: (len(raw) - 2) * 4 // 3 - 4] for text in shifted]
    quoted = [urllib.parse.quote(value, safe="").encode(), urllib.parse.quote_plus(value).encode()]
    urlsafe = [text.translate(bytes.maketrans(b"+/", b"-_")) for text in cut]
    return [raw, *cut, *urlsafe, *quoted, json.dumps(value)[1:-1].encode()]


def contents(path: pathlib.Path) -> bytes:
    """The bytes of a file, of an archive with those of its members."""
    data = path.read_bytes()
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as archive:
            data += b"".join(archive.read(name) for name in archive.namelist())
    return data + (gzip.decompress(data) if path.suffix == ".gz" else b"")


def assert_nowhere(script, *outputs: str, value: str = VALUE):
    places = (script.state, script.output, script.index)
    files = [path for place in places for path in place.rglob("*") if path.is_file()]
    assert files
    for needle in spellings(value):
        for path in files:
            assert needle not in contents(path), f"{needle} in {path}"
        for text in outputs:
            assert needle not in text.encode(), f"{needle} in what was printed:\n{text}"


@pytest.fixture
def script(project):
    """Its build prints the secret in every spelling; its tests have it, too."""
    script = project("script")
    (script.directory / "show.py").write_text(PRINT)

    def change(matrix):
        matrix["axes"].update(flavor=["plain"])
        matrix["environment"]["secrets"] = [NAME]
        matrix["build"]["command"].insert(1, "{package}/show.py")
        matrix["test"]["command"].insert(1, "{package}/show.py")

    script.edit(change)
    return script


def leaking(script, expression: str):
    """The build puts the value into its wheel."""
    (script.directory / "leak.py").write_text(LEAK.format(expression))

    def change(matrix):
        matrix["build"]["command"] = ["python", "{package}/leak.py", "{package}/make_wheel.py", "{dest_dir}"]
        matrix["build"]["command"] += ["--file", "leak.txt", "--tag", "py3-none-any"]

    script.edit(change)


def test_a_secret_reaches_build_and_test_and_no_output(script, tmp_path):
    summary = tmp_path / "summary.md"
    given = {NAME: VALUE, "OTHER": "other-value", "GITHUB_STEP_SUMMARY": str(summary)}
    ran = script.run("test", "matrix.yaml", "--json", "-v", **given)
    assert states({outcome["id"]: outcome for outcome in json.loads(ran.stdout)["outcomes"]}) == {"done"}
    log = script.run("logs", "build:plain", **given).stdout
    assert f"SEEN {len(VALUE)} False" in log and "raw ***\n" in log and log.count("***") >= 14
    assert "https://me:***@example.org/" in log
    assert_nowhere(script, ran.stdout, ran.stderr, log, summary.read_text())


def test_a_failed_step_shows_no_secret_and_leaves_no_scratch(script, tmp_path):
    script.edit(lambda matrix: matrix["build"]["command"].append("--no-such-option"))
    summary = tmp_path / "summary.md"
    given = {NAME: VALUE, "GITHUB_STEP_SUMMARY": str(summary)}
    ran = script.run("build", "matrix.yaml", "--json", code=1, **given)
    assert "***" in ran.stderr
    assert_nowhere(script, ran.stdout, ran.stderr, summary.read_text())
    again = script.run("reproduce", "build:plain", code=1, **given)
    assert_nowhere(script, again.stdout, again.stderr)
    in_github = script.run("build", "matrix.yaml", code=1, GITHUB_ACTIONS="true", **given)
    assert_nowhere(script, in_github.stdout, in_github.stderr)


@pytest.mark.parametrize(
    "expression",
    ["os.environ['LICENSE_TOKEN'].encode()", "__import__('base64').b64encode(b'u:' + os.environb[b'LICENSE_TOKEN'])"],
)
def test_a_wheel_with_the_secret_fails_and_is_not_stored(script, expression):
    leaking(script, expression)
    ran = script.run("build", "matrix.yaml", "--json", code=5, **{NAME: VALUE})
    error = next(outcome["error"] for outcome in json.loads(ran.stdout)["outcomes"] if "error" in outcome)
    assert error["message"].startswith("`leak.txt` of `script_only-1.2.0+plain-py3-none-any.whl` contains the secret")
    assert f"`{NAME}`" in error["message"]
    assert script.wheels() == {}
    assert_nowhere(script, ran.stdout, ran.stderr)


def test_a_missing_secret_ends_the_run_before_anything_runs(script):
    ran = script.run("build", "matrix.yaml", code=4)
    assert f"`{NAME}` is not set, and `build:plain` needs it" in ran.stderr
    assert script.starts() == {}
    short = script.run("build", "matrix.yaml", code=4, **{NAME: "1234567"})
    assert "has fewer than 8 characters" in short.stderr and "1234567" not in short.stderr
    assert script.starts() == {}


def test_a_plan_and_a_dry_run_need_no_secret_and_name_it(script):
    script.run("plan", "matrix.yaml")
    frozen = script.run("plan", "matrix.yaml", "--out", str(script.directory.parent / "plan.json"))
    dry = script.run("build", "matrix.yaml", "--dry-run", **{NAME: VALUE})
    assert f"'{NAME}='\"${NAME}\"''" in dry.stdout
    assert_nowhere(script, frozen.stdout, dry.stdout, dry.stderr)


def test_the_script_of_a_dry_run_takes_the_secret_from_its_caller(script, tmp_path):
    dry = script.run("build", "matrix.yaml", "--dry-run", **{NAME: VALUE})
    path = tmp_path / "script.sh"
    path.write_text(dry.stdout)
    environment = {key: value for key, value in script.environment.items() if key != NAME}
    without = subprocess.run(["bash", path], env=environment, capture_output=True, text=True)
    assert without.returncode != 0 and f"{NAME}: unbound variable" in without.stderr


def test_a_new_value_builds_nothing_again_and_reused_steps_need_none(script):
    script.run("test", "matrix.yaml", **{NAME: VALUE})
    assert states(script.report("test", "matrix.yaml")) == {"reused"}
    assert states(script.report("test", "matrix.yaml", **{NAME: "another-value"})) == {"reused"}


def test_a_shell_gets_the_secret_or_says_which_is_missing(script):
    show = ["--", "sh", "-c", 'test "$LICENSE_TOKEN" = "$0" && echo same', VALUE]
    assert script.run("env", "shell", "matrix.yaml", f"{TAG}-plain", *show, **{NAME: VALUE}).stdout == "same\n"
    missing = script.run("env", "shell", "matrix.yaml", f"{TAG}-plain", *show, code=4)
    assert f"`{NAME}` is not set" in missing.stderr
    script.run("build", "matrix.yaml", **{NAME: VALUE})
    assert f"`{NAME}` is not set" in script.run("reproduce", "build:plain", "matrix.yaml", code=4).stderr


def test_an_export_names_the_secret(script, tmp_path):
    out = tmp_path / "export"
    script.run("env", "export", "matrix.yaml", f"{TAG}-plain", "--out", str(out), **{NAME: VALUE})
    text = (out / "environment/create.sh").read_text()
    assert f"# Builds also need the secret {NAME} in their environment" in text and VALUE not in text


def test_credentials_of_pip_and_proxies_are_masked_where_a_build_prints_them(script):
    script.edit(lambda matrix: matrix["environment"].pop("secrets"))
    (script.directory / "show.py").write_text("import os\nprint(dict(os.environ), flush=True)\n" + TAIL)
    script.commit()
    password = "pip-passw0rd"
    extra = {"PIP_TRUSTED_HOST": "localhost", "ALL_PROXY": f"http://me:{password}@127.0.0.1:9"}
    ran = script.run("build", "matrix.yaml", "-v", no_proxy="*", **extra)
    log = script.run("logs", "build:plain").stdout
    assert "http://me:***@127.0.0.1:9" in log
    assert_nowhere(script, ran.stdout, ran.stderr, log, value=password)


def test_credentials_of_an_index_are_in_no_record(script, wheels):
    password = "pip-passw0rd"
    script.resolutions = script.directory.parent / "resolutions"
    script.start_afresh()

    def change(matrix):
        matrix["environment"].pop("secrets")
        matrix["environment"]["pip"] = ["spam"]
        del matrix["build"]["command"][1]
        del matrix["test"]["command"][1]

    script.edit(change)
    with real_index(wheels) as url:
        index = {"PIP_EXTRA_INDEX_URL": url.replace("http://", f"http://me:{password}@") + "/simple"}
        ran = script.run("build", "matrix.yaml", "-v", "--json", **index)
        plan = script.directory.parent / "plan.json"
        frozen = script.run("plan", "matrix.yaml", "--out", str(plan), "-v", **index)
        locked = script.run("env", "lock", "matrix.yaml", "-v", **index)
        assert "spam" in (script.directory / "matrix.locks").joinpath(f"pylock.{TAG}-plain.toml").read_text()
        out = script.output / "export"
        exported = script.run("env", "export", "matrix.yaml", f"{TAG}-plain", "--out", str(out), "-v", **index)
    runs = (ran, frozen, locked, exported)
    assert_nowhere(script, *(text for each in runs for text in (each.stdout, each.stderr)), value=password)
    written = [plan, *(script.directory / "matrix.locks").iterdir()]
    assert all(password not in path.read_text() for path in written)


@pytest.mark.docker
def test_a_secret_in_a_container_is_in_no_argument_and_the_container_is_removed(project, engine, bases, tmp_path):
    script = in_bullseye(project, engine, bases)
    (script.directory / "show.py").write_text(PRINT)

    def change(matrix):
        matrix["axes"].update(flavor=["plain"])
        matrix["environment"]["secrets"] = [NAME]
        matrix["build"]["command"].insert(1, "{package}/show.py")

    script.edit(change)
    client = tmp_path / "spies" / engine.name
    client.parent.mkdir()
    client.write_text(f'#!/bin/sh\nprintf "%s\\n" "$*" >> {tmp_path}/arguments\nexec {engine.client} "$@"\n')
    client.chmod(0o755)
    given = {NAME: VALUE, "PATH": f"{client.parent}:{script.environment['PATH']}"}
    ran = script.run("build", "matrix.yaml", *script.levels, "-v", **given)
    arguments = (tmp_path / "arguments").read_text()
    assert f"--env {NAME} " in arguments and VALUE not in arguments
    assert f"SEEN {len(VALUE)} False" in script.run("logs", "build:plain").stdout
    assert_nowhere(script, ran.stdout, ran.stderr)
    script.edit(lambda matrix: matrix["build"]["command"].append("--no-such-option"))
    failed = script.run("build", "matrix.yaml", *script.levels, "--keep-failed", code=1, **given)
    assert engine.containers() == []
    assert_nowhere(script, failed.stdout, failed.stderr)
