"""Help and tables fit the terminal that they are printed to, and lose nothing by it."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios

import pytest

WIDTHS = [60, 80]
LONG = "a-rather-long-flavor-of-the-library-for-inference"
MATRIX = f"""schema: pinwheel/1
package: {{name: demo, source: .}}
axes: {{python: ["3.11", "3.12"], compute: [cpu, cuda/13.0, rocm/7.1], torch: ["2.13", nightly], flavor: [{LONG}, full]}}
rules:
  - {{when: {{compute: "rocm/*", torch: nightly}}, status: experimental, because: the nightly of ROCm fails on some days}}
build: {{command: [python, build.py, "{{dest_dir}}"]}}
channels: {{ci: {{}}, nightly: {{}}, release: {{publish: [wheels]}}}}
publish: {{wheels: {{kind: directory, path: index, label: local}}}}
"""


def run(pinwheel, directory, *arguments: str, columns: int | None = None, code: int = 0) -> str:
    environment = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES")}
    environment |= {"NO_COLOR": "1"} | ({} if columns is None else {"COLUMNS": str(columns)})
    ran = subprocess.run([pinwheel, *arguments], cwd=directory, env=environment, capture_output=True, text=True)
    assert ran.returncode == code, ran.stderr
    return ran.stdout


def on_terminal(pinwheel, directory, columns: int, *arguments: str) -> str:
    """The output on a terminal of that many columns."""
    main, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES")}
    with subprocess.Popen([pinwheel, *arguments], cwd=directory, env=environment, stdout=other, stderr=subprocess.PIPE):
        os.close(other)
        output = b""
        while True:
            try:
                part = os.read(main, 65536)
            except OSError:
                break
            if not part:
                break
            output += part
    os.close(main)
    return output.decode().replace("\r\n", "\n")


def widest(text: str) -> int:
    return max(map(len, text.splitlines()), default=0)


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def commands(pinwheel, directory, above: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Every command of the program, from its help."""
    text = run(pinwheel, directory, *above, "--help", columns=100)
    names = re.findall(r"^  ([a-z][a-z-]*)\b", text.partition("Subcommands:\n")[2], re.MULTILINE)
    return [above, *(each for name in names for each in commands(pinwheel, directory, (*above, name)))]


def test_the_help_of_every_command_fits(pinwheel, tmp_path):
    every = commands(pinwheel, tmp_path)
    assert {("plan",), ("env", "lock"), ("ci", "explain"), ("torch-exports", "add")} <= set(every) and len(every) > 30
    for command in every:
        wide = run(pinwheel, tmp_path, *command, "--help", columns=1000)
        for columns in WIDTHS:
            text = run(pinwheel, tmp_path, *command, "--help", columns=columns)
            assert widest(text) <= columns, command
            assert squeezed(text) == squeezed(wide), command
        assert widest(wide) <= 100
        assert widest(run(pinwheel, tmp_path, *command, "--help")) <= 80, command


@pytest.fixture
def project(repository):
    return repository({"m.yaml": MATRIX, "build.py": ""})


TABLES = [
    ["plan", "m.yaml"],
    ["plan", "m.yaml", "--format", "support-table"],
    ["explain", f"cp311-rocm7.1-torchnightly-{LONG}", "m.yaml"],
    ["ci", "explain", f"build:cp311-cpu-torch2.13-{LONG}", "m.yaml"],
    ["ci", "explain", "gate", "m.yaml"],
    ["inspect", "--rules"],
    ["torch-exports", "list"],
    ["docs"],
    ["doctor", "m.yaml"],
]


@pytest.mark.parametrize("command", TABLES, ids=" ".join)
def test_tables_fit_and_lose_nothing(pinwheel, project, command):
    whole = run(pinwheel, project, *command)
    for columns in WIDTHS:
        text = on_terminal(pinwheel, project, columns, *command)
        assert widest(text) <= columns
        if command[0] != "doctor":  # free space changes
            assert run(pinwheel, project, *command, columns=columns) == (text if columns < 80 else whole)
        for word in whole.split():
            assert squeezed(word) in squeezed(text) or len(word) > 12


def test_without_a_terminal_a_table_is_as_wide_as_it_is(pinwheel, project):
    lines = run(pinwheel, project, "plan", "m.yaml").splitlines()
    assert any(len(line) > 120 for line in lines)
    assert sum(line.startswith("cp3") for line in lines) == 24


def test_data_for_programs_is_never_broken(pinwheel, project):
    for kind in ("ids", "json", "github", "dot"):
        wide = run(pinwheel, project, "plan", "m.yaml", "--format", kind)
        assert run(pinwheel, project, "plan", "m.yaml", "--format", kind, columns=20) == wide


def test_documentation_fits_a_terminal_except_for_its_examples(pinwheel, project):
    for subject in ("build.arch-list", "matrix", "cookbook", "stores", "axes"):
        whole = run(pinwheel, project, "docs", subject)
        for columns in WIDTHS:
            text = on_terminal(pinwheel, project, columns, "docs", subject)
            prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
            assert [line for line in prose.splitlines() if len(line) > columns and not line.startswith("    ")] == []
            assert re.findall(r"^```.*?^```$", text, re.MULTILINE | re.DOTALL) == re.findall(
                r"^```.*?^```$", whole, re.MULTILINE | re.DOTALL
            )
