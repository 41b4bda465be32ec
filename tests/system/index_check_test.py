"""`pinwheel index check`: indexes of pinwheel, of pypiserver and of hand-written pages, and what pip and uv take."""

import contextlib
import html
import json
import os
import pathlib
import signal
import ssl
import subprocess
import sys
import urllib.parse
from http.server import SimpleHTTPRequestHandler

import pytest
from audited_index import Reply, file_server, metadata_of, sha256, wheel_bytes
from indexes import real_index
from loopback import running, serving
from packaging.tags import compatible_tags, cpython_tags
from packaging.utils import parse_wheel_filename
from trusted_index import Server, make_certificates

UPLOADED = "2026-01-02T03:04:05Z"
MACHINE = "cp311-manylinux_2_28_x86_64"


@pytest.fixture
def check(pinwheel, tmp_path):
    """A function that runs `index check --json` with a cache of its own."""

    def run(*arguments: str, code: int = 0, **environment: str) -> dict:
        variables = {**os.environ, "NO_COLOR": "1", "PINWHEEL_CACHE_DIR": str(tmp_path / "cache"), **environment}
        command = [pinwheel, "index", "check", *map(str, arguments), "--json"]
        ran = subprocess.run(command, capture_output=True, text=True, env=variables, timeout=120)
        assert ran.returncode == code, f"exit {ran.returncode}, not {code}\n{ran.stdout}\n{ran.stderr}"
        return json.loads(ran.stdout) if code in (0, 5) else {"stderr": ran.stderr}

    return run


def rules(report: dict) -> list[str]:
    return sorted(finding["rule"] for finding in report["findings"])


def link(name: str, data: bytes, hash_of: bytes | None = None, **attributes: str) -> str:
    """A link as PyTorch's index writes it; `data_yanked` stands for `data-yanked`."""
    facts = {"data_requires_python": ">=3.9", "data_upload_time": UPLOADED} | attributes
    written = "".join(
        f' {key.replace("_", "-")}="{html.escape(value)}"' for key, value in facts.items() if value is not None
    )
    return f'<a href="{urllib.parse.quote(name)}#sha256={sha256(hash_of or data)}"{written}>{name}</a><br>\n'


# Pinwheel's own index


@pytest.fixture
def own_index(project) -> pathlib.Path:
    """The index of a release that pinwheel published to a directory, with a sub-index."""
    script = project("script")

    def change(matrix):
        matrix["axes"]["flavor"] = ["plain"]

    script.edit(change)
    script.run("release", "matrix.yaml")
    return script.index


def test_the_index_that_pinwheel_publishes_has_no_findings(own_index, check):
    report = check(own_index, "--machine", MACHINE, "--strict")
    assert report["findings"] == []
    assert report["files"] > 0 and report["hashed"] + report["verified"] == report["files"]
    assert all(choice["pip"]["file"] for choice in report["choices"])

    handler = type("Quiet", (SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
    with serving(lambda *arguments: handler(*arguments, directory=str(own_index))) as url:
        # No page of a server lists the sub-indexes.
        labels = {choice["page"].partition("/")[0] for choice in report["choices"] if "/" in choice["page"]}
        arguments = [part for label in sorted(labels) for part in ("--sub-index", label)]
        served = check(url, "--machine", MACHINE, "--strict", *arguments)
    assert labels
    assert served["findings"] == []
    assert served["files"] == report["files"] and served["hashed"] + served["verified"] == served["files"]
    assert served["choices"] == report["choices"]


def test_a_broken_file_of_a_published_index_is_found(own_index, check):
    (wheel,) = own_index.rglob("*.whl")
    data = wheel.read_bytes()
    wheel.chmod(0o644)
    wheel.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    report = check(own_index, code=5)
    assert "hash" in rules(report)
    assert check(own_index, "--no-hashes", code=5 if "metadata" in rules(report) else 0)["hashed"] == 0


# pypiserver


def test_the_pages_of_pypiserver_lack_what_they_lack_and_nothing_else(tmp_path, check):
    packages = tmp_path / "packages"
    packages.mkdir()
    for version in ("1.0", "2.0"):
        name = f"demo-{version}-py3-none-any.whl"
        (packages / name).write_bytes(wheel_bytes(name))
    with real_index(packages) as url:
        report = check(url + "/simple/")
        assert report["files"] == 2 and report["hashed"] == 2
        assert set(rules(report)) <= {"upload-time", "requires-python"}
        assert {finding["severity"] for finding in report["findings"]} == {"warning"}
        assert check(url + "/simple/", "demo")["verified"] == 2
        check(url + "/simple/", "--strict", code=5)
        (packages / "demo-1.0-py3-none-any.whl").write_bytes(b"no zip file")
        broken = check(url + "/simple/", code=5)
        assert "metadata" in rules(broken)


# A broken index in the style of PyTorch's


@pytest.fixture
def elsewhere(tmp_path):
    """The URL of an https server that has any file, and the authority that vouches for it."""
    certificate, bundle = make_certificates(tmp_path)

    class AnyFile(SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            data = wheel_bytes("torch-1.6-py3-none-any.whl")
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            with contextlib.suppress(OSError):
                self.wfile.write(data)

        def log_message(self, *arguments) -> None:
            pass

    server = Server(("127.0.0.1", 0), AnyFile)
    server.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.context.load_cert_chain(certificate)
    with running(server):
        yield f"https://127.0.0.1:{server.server_port}", str(bundle)


def broken_index(files, elsewhere: str) -> None:
    """An index in which every rule is broken once; torch 1.x and torchaudio are at the root, cu130 is a sub-index."""
    links = ""

    def add(name: str, data: bytes | None = None, **attributes: str) -> None:
        nonlocal links
        data = wheel_bytes(name) if data is None else data
        files.replies[f"/whl/torch/{urllib.parse.quote(name)}"] = Reply(data)
        links += link(name, data, **attributes)

    add("torch-1.0-py3-none-any.whl", hash_of=b"other bytes")
    add("torch-1.1-py3-none-any.whl", data_upload_time="1980-01-01T00:00:00Z")
    add("torch-1.2-any.whl")
    add("vision-1.3-py3-none-any.whl")
    add("torch-1.4-py3-none-any.whl", wheel_bytes("torch-1.4-py3-none-any.whl", metadata_of("torch", "1.5")))
    files.replies["/whl/torch/torch-1.6-py3-none-any.whl"] = Reply(status=302, location=elsewhere + "/torch.whl")
    links += link("torch-1.6-py3-none-any.whl", wheel_bytes("torch-1.6-py3-none-any.whl"))
    add("torch-1.7-py3-none-any.whl", data_requires_python=">=3.8")
    add("torch-1.8-py3-none-any.whl", data_yanked="false")
    links += link("torch-1.9-py3-none-any.whl", b"that is not there")
    twice = wheel_bytes("torch-1.10-py3-none-any.whl")
    add("torch-1.10-py3-none-any.whl", twice)
    links += link("torch-1.10-py3-none-any.whl", twice)
    files.replies["/whl/torch/torch-1.11-py3-none-any.whl"] = Reply(wheel_bytes("torch-1.11-py3-none-any.whl"))
    plain = link("torch-1.11-py3-none-any.whl", b"")
    links += plain[: plain.index("#")] + plain[plain.index('" data') :]
    files.page("/whl/torch/", links)
    files.page("/whl/", "".join(f'<a href="{name}/">{name}</a>' for name in ("torch", "torchaudio", "gone", "cu130")))

    audio = "torchaudio-1.0-py3-none-any.whl"
    data = wheel_bytes(audio)
    files.replies[f"/whl/torchaudio/{audio}"] = Reply(data)
    entry = {
        "filename": audio,
        "url": audio,
        "hashes": {"sha256": sha256(data)},
        "size": len(data) + 1,
        "requires-python": ">=3.9",
        "upload-time": UPLOADED,
    }
    body = json.dumps({"meta": {"api-version": "1.1"}, "name": "torchaudio", "files": [entry]})
    files.page("/whl/torchaudio/", "<p>no files</p>", body)

    files.page("/whl/cu130/", '<a href="torchaudio/">torchaudio</a>')
    label = "torchaudio-1.0+cu126-py3-none-any.whl"
    label_data = wheel_bytes(label)
    other = wheel_bytes(audio, python="")
    files.replies[f"/whl/cu130/torchaudio/{urllib.parse.quote(label)}"] = Reply(label_data)
    files.replies[f"/whl/cu130/torchaudio/{audio}"] = Reply(other)
    files.page("/whl/cu130/torchaudio/", link(label, label_data) + link(audio, other, data_requires_python=None))


def test_each_rule_fires_once_on_a_broken_index(pinwheel, check, elsewhere):
    other_server, bundle = elsewhere
    with file_server() as files:
        broken_index(files, other_server)
        report = check(files.url + "/whl", "--machine", "cp38-linux_x86_64", code=5, REQUESTS_CA_BUNDLE=bundle)
    listed = subprocess.run([pinwheel, "index", "check", "--rules"], capture_output=True, text=True, check=True).stdout
    known = sorted(line.split()[0] for line in listed.splitlines()[1:] if not line.startswith(" "))
    assert rules(report) == known, json.dumps(report["findings"], indent=1)
    found = {finding["rule"]: finding for finding in report["findings"]}
    assert found["hash"]["file"] == "torch-1.0-py3-none-any.whl"
    assert found["page"]["page"] == "gone"
    assert found["label"]["page"] == "cu130/torchaudio"
    assert found["size"]["severity"] == "error" and found["redirect"]["severity"] == "warning"


def test_people_get_the_same_findings_in_lines(pinwheel, tmp_path, elsewhere):
    with file_server() as files:
        broken_index(files, elsewhere[0])
        command = [pinwheel, "index", "check", files.url + "/whl", "--ignore", "page", "--no-hashes"]
        environment = {**os.environ, "PINWHEEL_CACHE_DIR": str(tmp_path / "cache"), "REQUESTS_CA_BUNDLE": elsewhere[1]}
        ran = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert ran.returncode == 5
    stray = "`vision-1.3-py3-none-any.whl` of `torch`: is a file of `vision`, not of `torch`"
    assert f"error: [project] {stray}" in ran.stdout
    assert "[page]" not in ran.stdout and "[hash]" not in ran.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["--ignore", "hsah"],
        ["--machine", "cp311"],
        ["--exclude-newer", "soon"],
        ["--connections", "0"],
        ["--connections", "65"],
    ],
    ids=" ".join,
)
def test_wrong_options_are_refused_before_anything_is_read(check, arguments):
    assert "error: " in check("http://127.0.0.1:9/", *arguments, code=2)["stderr"]


def test_what_is_no_index_is_an_error(check, tmp_path):
    assert "is not a simple index" in check(tmp_path, code=2)["stderr"]
    with file_server() as files:
        assert "is not a simple index" in check(files.url, code=2)["stderr"]
        files.page("/demo/", link("demo-1.0.tar.gz", b""))
        assert "has no page of `other`" in check(files.url, "other", code=2)["stderr"]


def test_hostile_pages_cannot_command_a_terminal(pinwheel, tmp_path):
    with file_server() as files:
        times = 'data-upload-time="\x9b2J\n::error::x" data-requires-python="\x1b]0;x\x07"'
        files.page("/demo/", f'<a href="\x1b[2J.whl#sha256=\x1b[31m" {times}>x</a>')
        variables = {"NO_COLOR": "1", "PINWHEEL_CACHE_DIR": str(tmp_path / "cache"), "GITHUB_ACTIONS": "true"}
        files.replies["/demo/%1B[2J.whl"] = Reply(b"x")
        for extra in ([], ["--json"]):
            command = [pinwheel, "index", "check", files.url, "demo", *extra]
            ran = subprocess.run(command, capture_output=True, env={**os.environ, **variables})
            assert ran.returncode == 5, ran.stderr
            text = (ran.stdout + ran.stderr).decode()
            assert "\x1b" not in text and "\x9b" not in text and "\x07" not in text
            assert not [line for line in text.splitlines() if line.strip().startswith("::error")]


# Interruptions


def sdists(files, count: int) -> list[str]:
    names = [f"demo-{number}.0.tar.gz" for number in range(count)]
    for name in names:
        files.replies[f"/demo/{name}"] = Reply(name.encode() * 1000)
    files.page("/demo/", "".join(link(name, name.encode() * 1000) for name in names))
    return names


def test_a_killed_check_continues_with_the_files_that_it_had_not_verified(pinwheel, check, tmp_path):
    with file_server() as files:
        names = sdists(files, 6)
        # Files of one size are read in the order of the page.
        files.held = f"/demo/{names[3]}"
        command = [pinwheel, "index", "check", files.url, "demo", "--connections", "1"]
        environment = {**os.environ, "PINWHEEL_CACHE_DIR": str(tmp_path / "cache")}
        running_check = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert files.reached.wait(timeout=60)
        before = dict(files.whole)
        running_check.send_signal(signal.SIGKILL)
        running_check.wait()
        files.held = ""
        files.released.set()
        verified = [path for path in before if path != f"/demo/{names[3]}"]
        assert len(verified) == 3
        (record,) = (tmp_path / "cache" / "index-check").iterdir()
        record.write_bytes(record.read_bytes() + b'{"url": "torn')

        report = check(files.url, "demo")
        assert report["findings"] == []
        assert (report["verified"], report["hashed"]) == (3, 3)
        assert all(files.whole[path] == 1 for path in verified)
        assert check(files.url, "demo")["verified"] == 6
        assert check(files.url, "demo", "--refresh")["hashed"] == 6


def test_a_verified_file_that_was_replaced_is_read_again(check, tmp_path):
    index = tmp_path / "index"
    (index / "demo").mkdir(parents=True)
    (index / "index.html").write_text('<a href="demo/">demo</a>')
    (index / "demo" / "demo-1.0.tar.gz").write_bytes(b"released")
    (index / "demo" / "index.html").write_text(link("demo-1.0.tar.gz", b"released"))
    assert check(index)["hashed"] == 1
    assert check(index)["verified"] == 1
    (index / "demo" / "demo-1.0.tar.gz").write_bytes(b"replaced")
    assert rules(check(index, code=5)) == ["hash"]


# What pip and uv take

WHEELS = [
    "demo-1.0-py3-none-any.whl",
    "demo-1.1-py3-none-any.whl",
    "demo-1.1-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
    "demo-1.1-1-cp311-cp311-manylinux_2_17_x86_64.whl",
    "demo-1.1-cp39-abi3-manylinux_2_28_x86_64.whl",
    "demo-1.1-cp311-cp311-manylinux_2_34_x86_64.whl",
    "demo-1.1-cp312-cp312-manylinux_2_28_x86_64.whl",
    "demo-1.1-cp313-cp313t-manylinux_2_28_x86_64.whl",
    "demo-1.1-cp311-cp311-musllinux_1_2_x86_64.whl",
    "demo-1.2-cp310-cp310-linux_x86_64.whl",
    "demo-1.3rc1-py3-none-any.whl",
]
MACHINES = [
    "cp310-manylinux_2_28_x86_64",
    "cp311-manylinux_2_28_x86_64",
    "cp311-manylinux_2_17_x86_64",
    "cp311-manylinux_2_34_x86_64",
    "cp311-musllinux_1_2_x86_64",
    "cp312-manylinux_2_28_x86_64",
    "cp313-manylinux_2_28_x86_64",
    "cp39-manylinux_2_28_aarch64",
]


def platforms(machine: str) -> list[str]:
    """The platforms of a machine in the order of packaging, which asks the machine that it runs on."""
    platform = machine.partition("-")[2]
    family, major, minor, arch = platform.split("_", 3)
    old = {17: "manylinux2014", 12: "manylinux2010", 5: "manylinux1"} if family == "manylinux" else {}
    found = []
    for number in range(int(minor), 4 if family == "manylinux" else -1, -1):
        found.append(f"{family}_{major}_{number}_{arch}")
        if number in old:
            found.append(f"{old[number]}_{arch}")
    return [*found, f"linux_{arch}"]


def python_of(machine: str) -> tuple[int, int]:
    return 3, int(machine.partition("-")[0].removeprefix("cp3"))


def chosen_by_packaging(machine: str) -> str:
    tags = [
        *cpython_tags(python_of(machine), platforms=platforms(machine)),
        *compatible_tags(python_of(machine), f"cp3{python_of(machine)[1]}", platforms(machine)),
    ]

    def key(name: str):
        _, version, build, of_wheel = parse_wheel_filename(name)
        return version, -min(tags.index(tag) for tag in of_wheel if tag in tags), build

    usable = [name for name in WHEELS if parse_wheel_filename(name)[3] & set(tags)]
    final = [name for name in usable if not parse_wheel_filename(name)[1].is_prerelease]
    return max(final or usable, key=key)


def installed_file(directory: pathlib.Path) -> str:
    return (directory / "demo.py").read_text().split("'")[1]


def installed_by_pip(index: str, machine: str, place: pathlib.Path, *options: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "pip", "install", "-q", "--isolated", "--disable-pip-version-check", "--no-deps"]
    where = ["--index-url", index, "--target", str(place), "--no-cache-dir", "--only-binary", ":all:"]
    version = ".".join(map(str, python_of(machine)))
    target = ["--python-version", version, *(part for one in platforms(machine) for part in ("--platform", one))]
    environment = {**os.environ, "PIP_CONFIG_FILE": os.devnull}
    command += [*where, *target, *options, "demo"]
    return subprocess.run(command, capture_output=True, text=True, env=environment)


def installed_by_uv(index: str, machine: str, place: pathlib.Path, *options: str) -> subprocess.CompletedProcess:
    version = ".".join(map(str, python_of(machine)))
    platform = "x86_64-" + machine.partition("-")[2].removesuffix("_x86_64")
    command = ["uv", "pip", "install", "-q", "--no-config", "--no-cache", "--no-deps", "--only-binary", ":all:"]
    where = ["--index-url", index, "--target", str(place), "--python", sys.executable]
    target = ["--python-version", version, "--python-platform", platform]
    return subprocess.run([*command, *where, *target, *options, "demo"], capture_output=True, text=True)


def demo_pages(files, times: dict[str, str], json_too: bool) -> None:
    entries = []
    for name in WHEELS:
        data = wheel_bytes(name)
        files.replies[f"/demo/{name}"] = Reply(data)
        entry = {"filename": name, "url": name, "hashes": {"sha256": sha256(data)}, "size": len(data)}
        entry |= {"requires-python": ">=3.9"} | ({"upload-time": times[name]} if name in times else {})
        entries.append(entry)
    body = json.dumps({"meta": {"api-version": "1.1"}, "name": "demo", "versions": [], "files": entries})
    links = "".join(link(name, wheel_bytes(name), data_upload_time=times.get(name)) for name in WHEELS)
    files.page("/demo/", links, body if json_too else "")


def test_the_choices_are_those_of_packaging_pip_and_uv(check, tmp_path):
    with file_server() as files:
        demo_pages(files, dict.fromkeys(WHEELS, UPLOADED), json_too=True)
        report = check(files.url, "demo", "--no-hashes", "--machine", ",".join(MACHINES))
        assert rules(report) == []
        choices = {choice["machine"]: choice for choice in report["choices"]}
        assert {name: choice["pip"]["file"] for name, choice in choices.items()} == {
            name: chosen_by_packaging(name) for name in MACHINES
        }
        assert all(choice["pip"] == choice["uv"] for choice in report["choices"])
        for number, machine in enumerate(MACHINES[:6]):
            pip = installed_by_pip(files.url, machine, tmp_path / f"pip{number}")
            assert pip.returncode == 0, pip.stderr
            assert installed_file(tmp_path / f"pip{number}") == choices[machine]["pip"]["file"], machine
            if "musllinux" in machine:
                continue  # uv has no such `--python-platform`
            uv = installed_by_uv(files.url, machine, tmp_path / f"uv{number}")
            assert uv.returncode == 0, uv.stderr
            assert installed_file(tmp_path / f"uv{number}") == choices[machine]["uv"]["file"], machine


@pytest.mark.parametrize("json_too", [True, False], ids=["json", "html"])
@pytest.mark.parametrize("timed", [True, False], ids=["times", "without times"])
def test_with_a_cooldown_pip_and_uv_take_what_is_predicted(check, tmp_path, json_too, timed):
    old = {name: UPLOADED for name in WHEELS if "-1.0-" in name}
    times = old | (dict.fromkeys(set(WHEELS) - set(old), "2026-05-01T00:00:00Z") if timed else {})
    with file_server() as files:
        demo_pages(files, times, json_too)
        machine = ["--machine", MACHINE, "--exclude-newer", "2026-04-01"]
        report = check(files.url, "demo", "--no-hashes", *machine)
        (choice,) = report["choices"]
        before = "2026-04-01T00:00:00Z"
        pip = installed_by_pip(files.url, MACHINE, tmp_path / "pip", "--uploaded-prior-to", before)
        uv = installed_by_uv(files.url, MACHINE, tmp_path / "uv", "--exclude-newer", before)
    assert (installed_file(tmp_path / "pip") if pip.returncode == 0 else None) == choice["pip"]["file"], pip.stderr
    assert (installed_file(tmp_path / "uv") if uv.returncode == 0 else None) == choice["uv"]["file"], uv.stderr
    assert choice["uv"]["file"] == "demo-1.0-py3-none-any.whl"
    if choice["pip"]["file"] is None:
        assert "does not provide upload-time metadata" in pip.stderr
        assert "choice" in rules(report)
