"""`pinwheel publish` against a real pypiserver, a fake index that fails on demand, and twine."""

import collections
import contextlib
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import threading
import time
import zipfile
from base64 import urlsafe_b64encode

import indexes
import pytest
from indexes import log_of, names_of

TOKEN = "pypi-canary-0123456789"
METADATA = """\
Metadata-Version: 2.4
Name: Demo_Ops
Version: 1.0
Summary: Operators, naïve ones
Keywords: gpu,sparse , ops
Author-email: A Person <a@example.org>
License-Expression: Apache-2.0
License-File: LICENSE
Classifier: Programming Language :: Python :: 3
Classifier: Programming Language :: C++
Project-URL: Source, https://example.org/source
Project-URL: Docs,https://example.org/docs
Requires-Python: >=3.8
Requires-Dist: packaging>=20
Requires-Dist: pytest; extra == "test"
Provides-Extra: test
Dynamic: Requires-Dist
Description-Content-Type: text/markdown

# Demo

Some *text*, with “quotes”.
"""


def record_line(name, content):
    digest = urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}"


def make_wheel(directory, tag="py3-none-any", salt="", name="demo_ops", link=""):
    info = f"{name}-1.0.dist-info"
    metadata = METADATA.replace("Requires-Dist: packaging>=20\n", "").replace("Demo_Ops", name)
    wheel = f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: {tag}\n"
    contents = {
        "demo_ops.py": f"VALUE = 42\n{salt}".encode(),
        f"{info}/licenses/LICENSE": b"text of the license\n",
        f"{info}/METADATA": metadata.encode(),
        f"{info}/WHEEL": wheel.encode(),
    }
    if link:
        contents[link] = b"demo_ops.py"
    lines = [record_line(name, content) for name, content in contents.items()]
    contents[f"{info}/RECORD"] = "\n".join([*lines, f"{info}/RECORD,,", ""]).encode()
    path = directory / f"{name}-1.0-{tag}.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in contents.items():
            entry = zipfile.ZipInfo(name)
            if name == link:
                entry.create_system, entry.external_attr = 3, 0o120777 << 16
            archive.writestr(entry, content)
    return path


def make_sdist(directory):
    path = directory / "demo_ops-1.0.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name, content in {"PKG-INFO": METADATA, "demo_ops.py": "VALUE = 42\n", "LICENSE": "text\n"}.items():
            entry = tarfile.TarInfo(f"demo_ops-1.0/{name}")
            entry.size = len(content.encode())
            archive.addfile(entry, io.BytesIO(content.encode()))
    return path


@pytest.fixture
def files(tmp_path):
    directory = tmp_path / "dist"
    directory.mkdir()
    return [make_sdist(directory), make_wheel(directory), make_wheel(directory, "py2.py3-none-any")]


@pytest.fixture
def publish(pinwheel, tmp_path):
    """Runs `pinwheel publish`; the token must not appear anywhere."""
    token = tmp_path / "token"
    token.write_text(TOKEN + "\n")

    def run(url, files, *options, code=0):
        command = [pinwheel, "publish", *map(str, files), "--repository-url", url, *options]
        if "--no-auth" not in options:
            command += ["--token-file", str(token)]
        environment = {**os.environ, "HOME": str(tmp_path)}
        result = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
        assert code is None or result.returncode == code, result.stderr
        assert TOKEN not in result.stdout + result.stderr
        return result

    return run


@pytest.fixture
def fake_index():
    """Starts a fake index with the given options; all of them stop with the test."""
    with contextlib.ExitStack() as running:
        yield lambda *options: running.enter_context(indexes.fake_index(*options))


@pytest.fixture
def pypiserver(tmp_path):
    packages = tmp_path / "packages"
    packages.mkdir()
    with indexes.real_index(packages) as url:
        yield url, packages


def fields_of(entry):
    return collections.Counter((name, json.dumps(value, sort_keys=True)) for name, value in entry["fields"])


def assert_installs(url, target, *what):
    indexes.pip_installs(f"{url}/simple/", target, "--no-deps", *what)
    assert (target / "demo_ops.py").read_text().startswith("VALUE = 42")


def test_a_release_reaches_pypiserver_and_pip_installs_it(publish, pypiserver, files, tmp_path):
    url, packages = pypiserver
    publish(url + "/", files)
    for file in files:
        assert (packages / file.name).read_bytes() == file.read_bytes()
    assert_installs(url, tmp_path / "site", "--only-binary", ":all:", "demo-ops")


def test_the_same_release_again_succeeds_and_different_bytes_are_a_conflict(publish, pypiserver, files, tmp_path):
    url, packages = pypiserver
    publish(url + "/", files)
    publish(url + "/", files)
    (tmp_path / "other").mkdir()
    other = make_wheel(tmp_path / "other", salt="# other\n")
    before = (packages / other.name).read_bytes()
    result = publish(url + "/", [other], code=6)
    for content in (before, other.read_bytes()):
        assert hashlib.sha256(content).hexdigest() in result.stderr
    assert (packages / other.name).read_bytes() == before


class TestSeveralProjects:
    @pytest.fixture
    def both(self, files, tmp_path):
        """The release of one project, including an sdist, and a wheel of another."""
        return [make_wheel(tmp_path / "dist", name="demo_ops_cpu"), *files]

    def test_each_project_is_sent_as_a_release_and_recognized_again(self, publish, pypiserver, both, tmp_path):
        url, packages = pypiserver
        sent = publish(url + "/", both)
        order = [line.split()[1] for line in sent.stderr.splitlines() if line.startswith("uploading ")]
        assert len(order) == 4 and order[2] == both[0].name and order[3].endswith(".tar.gz")
        for file in both:
            assert (packages / file.name).read_bytes() == file.read_bytes()
        assert_installs(url, tmp_path / "site", "demo-ops-cpu")
        again = publish(url + "/", both)
        assert again.stderr.count("already in index: ") == 4 and "uploading" not in again.stderr

    def test_a_conflict_of_the_second_is_reported_before_the_first_is_sent(self, publish, pypiserver, both, tmp_path):
        url, packages = pypiserver
        (tmp_path / "other").mkdir()
        publish(url + "/", [make_wheel(tmp_path / "other", name="demo_ops_cpu", salt="# other\n")])
        result = publish(url + "/", both, code=6)
        assert both[0].name in result.stderr and "uploading" not in result.stderr
        assert [path.name for path in packages.iterdir()] == [both[0].name]

    def test_a_finding_of_the_second_is_reported_before_the_first_is_sent(self, publish, pypiserver, both, tmp_path):
        url, packages = pypiserver
        renamed = both[0].rename(both[0].with_name("demo_ops_cpu-2.0-py3-none-any.whl"))
        result = publish(url + "/", [renamed, *both[1:]], code=5)
        assert renamed.name in result.stderr
        assert list(packages.iterdir()) == []


def test_an_index_without_credentials_gets_none(publish, fake_index, pypiserver, files):
    publish(pypiserver[0] + "/", files, "--no-auth")
    url = fake_index("--token", "secret")
    assert "HTTP 403" in publish(url + "/", files, "--no-auth", code=6).stderr


def test_a_file_above_the_given_limit_is_named_with_size_and_limit(publish, fake_index, files):
    url = fake_index()
    result = publish(url + "/", files, "--size-limit", "1 kB", code=5)
    size = files[1].stat().st_size
    assert f"`{files[1].name}` has {size} bytes, more than the limit of 1000" in result.stderr
    assert log_of(url) == []


def test_a_dry_run_lists_uploads_with_their_targets_in_order(publish, fake_index, files):
    url = fake_index() + "/"
    output = publish(url, files, "--dry-run").stdout.splitlines()
    assert [line.split()[0] for line in output] == ["1/3", "2/3", "3/3"]
    assert [line.split()[1] for line in output] == sorted(file.name for file in files)
    assert all(f" to {url} sha256=" in line for line in output)
    page = json.loads(publish(url, files, "--dry-run", "--json").stdout)
    assert page["url"] == url and [file["file"] for file in page["would_send"]] == sorted(file.name for file in files)
    assert log_of(url.rstrip("/")) == []


def test_the_token_is_masked_in_github_before_any_other_output(pinwheel, fake_index, files, tmp_path):
    url = fake_index("--token", TOKEN)
    environment = {**os.environ, "HOME": str(tmp_path), "GITHUB_ACTIONS": "true", "PINWHEEL_TOKEN_INDEX": TOKEN}
    command = [pinwheel, "publish", *map(str, files), "--repository-url", url + "/"]
    result = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    assert result.returncode == 0, result.stderr
    assert result.stderr.startswith(f"::add-mask::{TOKEN}\n")
    assert (result.stdout + result.stderr).count(TOKEN) == 1


def test_the_form_has_the_same_fields_in_the_same_order_as_twines(publish, fake_index, files, tmp_path):
    ours, theirs = fake_index(), fake_index()
    publish(ours + "/", files)
    command = [sys.executable, "-m", "twine", "upload", "--non-interactive", "--disable-progress-bar"]
    credentials = ["-u", "__token__", "-p", TOKEN, "--config-file", str(tmp_path / "none"), "--repository-url", theirs + "/"]
    twine = subprocess.run([*command, *credentials, *map(str, files)], capture_output=True, text=True, timeout=120)
    assert twine.returncode == 0, twine.stdout + twine.stderr
    our_log, their_log = log_of(ours), log_of(theirs)
    assert len(our_log) == len(files)
    assert names_of(our_log)[-1].endswith(".tar.gz")
    assert names_of(their_log)[-1].endswith(".tar.gz")
    by_name = {names_of([entry])[0]: entry for entry in their_log}
    for entry in our_log:
        assert fields_of(entry) == fields_of(by_name[names_of([entry])[0]])
        assert len(entry["fields"]) > 20


@pytest.mark.parametrize(("plan", "sendings"), [("500", 4), ("503", 4), ("cut", 4), ("lost", 3), ("lost-502", 3)])
def test_an_upload_survives_a_fault_of_the_index(publish, fake_index, files, plan, sendings):
    url = fake_index("--plan", plan, "--token", TOKEN)
    publish(url + "/", files)
    log = log_of(url)
    assert len(log) == sendings
    publish(url + "/", files)
    assert len(log_of(url)) == sendings


def test_a_wrong_token_fails_at_once_and_is_never_shown(publish, fake_index, files):
    url = fake_index("--token", "another", "--echo-token", TOKEN)
    result = publish(url + "/", files, code=6)
    assert "HTTP 403" in result.stderr
    assert "hint:" in result.stderr
    assert len(log_of(url)) == 1


def test_all_preflight_findings_are_reported_before_the_first_byte_is_sent(publish, fake_index, files, tmp_path):
    url = fake_index()
    renamed = files[1].rename(tmp_path / "demo_ops-2.0-py3-none-any.whl")
    other = files[2].rename(tmp_path / "other-1.0-py3-none-any.whl")
    result = publish(url + "/", [renamed, other], code=5)
    assert renamed.name in result.stderr
    assert other.name in result.stderr
    assert log_of(url) == []


def test_without_a_token_all_its_sources_are_named(pinwheel, fake_index, files, tmp_path):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PINWHEEL_TOKEN")}
    environment["HOME"] = str(tmp_path)
    command = [pinwheel, "publish", str(files[1]), "--repository-url", fake_index() + "/"]
    result = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    assert result.returncode == 2
    for place in ("PINWHEEL_TOKEN_", "--token-file", ".pypirc"):
        assert place in result.stderr


def test_a_wheel_with_one_flipped_bit_is_not_published(publish, fake_index, tmp_path):
    url = fake_index()
    whole = make_wheel(tmp_path, salt="# text\n" * 200)
    content = whole.read_bytes()
    names = {name: zipfile.ZipFile(whole).read(name) for name in zipfile.ZipFile(whole).namelist()}
    accepted = []
    for position in range(0, len(content), max(1, len(content) // 80)):
        broken = bytearray(content)
        broken[position] ^= 1 << (position % 8)
        whole.write_bytes(broken)
        result = publish(url + "/", [whole], "--dry-run", code=None)
        assert result.returncode in (0, 5), result.stderr
        if result.returncode == 0:
            accepted.append(position)
            archive = zipfile.ZipFile(whole)
            assert {name: archive.read(name) for name in archive.namelist()} == names, position
    assert len(accepted) < 8, accepted  # bits of the zip format that mean nothing for its contents
    whole.write_bytes(content)
    publish(url + "/", [whole])


def test_what_inspect_calls_an_error_is_not_published_unless_it_is_ignored(publish, fake_index, tmp_path):
    url = fake_index()
    wheel = make_wheel(tmp_path, link="demo_ops_link.py")
    assert "[special-members] `demo_ops_link.py`" in publish(url + "/", [wheel], code=5).stderr
    publish(url + "/", [wheel], "--ignore", "special-members")
    assert len(log_of(url)) == 1
    assert "`record` cannot be ignored" in publish(url + "/", [wheel], "--ignore", "record", code=2).stderr
    assert "unknown rule `recrod`" in publish(url + "/", [wheel], "--ignore", "recrod", code=2).stderr
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("demo_ops_more.py", "")
    result = publish(url + "/", [wheel], "--ignore", "special-members", "--ignore", "archive", code=5)
    assert "[record] `demo_ops_more.py`" in result.stderr and "special-members" not in result.stderr


def test_a_file_that_is_replaced_while_it_is_sent_does_not_arrive_in_part(publish, fake_index, tmp_path):
    """Another program writes into the file after it was checked: none of its new bytes become a release."""
    url = fake_index("--plan", "503")
    wheel = make_wheel(tmp_path, salt="# text\n" * 200)
    content = wheel.read_bytes()

    def change():
        while not log_of(url):
            time.sleep(0.05)
        # In place: the open file changes.
        with wheel.open("r+b") as file:
            file.seek(60)
            file.write(b"!")

    changer = threading.Thread(target=change)
    changer.start()
    result = publish(url + "/", [wheel], code=5)
    changer.join()
    assert f"`{wheel.name}` changed after it was checked" in result.stderr
    assert len(log_of(url)) == 1
    # Replaced by name: the file that was checked is the one that is sent.
    wheel.write_bytes(content)
    url = fake_index("--plan", "503")

    def replace():
        while not log_of(url):
            time.sleep(0.05)
        other = tmp_path / "other"
        other.write_bytes(b"something else")
        other.replace(wheel)

    changer = threading.Thread(target=replace)
    changer.start()
    publish(url + "/", [wheel])
    changer.join()
    sent = [value for name, value in log_of(url)[-1]["fields"] if name == "content"]
    assert sent[0]["sha256"] == hashlib.sha256(content).hexdigest()


def test_a_file_counts_as_uploaded_when_the_index_lists_it(publish, fake_index, files):
    """Pages may be some seconds old."""
    url = fake_index("--stale", "3")
    output = publish(url + "/", files[:2]).stderr
    sent = [line for line in output.splitlines() if line.startswith(("uploading ", "uploaded "))]
    assert [line.split()[0] for line in sent] == ["uploading", "uploading", "uploaded", "uploaded"]
    # An index without pages takes everything.
    assert "uploaded" in publish(fake_index("--plan", "login") + "/", files[1:2], "--no-confirm").stdout


def test_a_token_is_not_sent_to_another_machine_without_encryption(publish, files, tmp_path):
    url = "http://index.invalid:8080/"
    result = publish(url, files, code=2)
    assert "would be sent without encryption to `index.invalid:8080`" in result.stderr
    # Without a token, or where it is allowed, only the name is unknown.
    for option in ("--no-auth", "--insecure"):
        assert "without encryption" not in publish(url, files, option, code=4).stderr
