"""The documentation pages match the program: that of the command line its parser, that of the matrix file its reader.

`pytest tests/cli/pages_test.py --bless` generates the tables between `<!-- options: COMMAND -->` and `<!-- end -->` in
tools/cli/README.md from the manual page; the prose around them is written by hand.
"""

import dataclasses
import pathlib
import re
import subprocess

import sys
import pytest

PAGE = pathlib.Path("tools/cli/README.md")
MATRIX_PAGE = pathlib.Path("matrix/README.md")
BLOCK = re.compile(r"(<!-- options: ([\w -]+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)

# Options that commands share, by the heading of their table.
GROUPS = {
    "Every command": ("color", "log-format", "quiet", "verbose", "log-file", "state-dir", "output-dir"),
    "Selection": ("select", "skip", "only", "status", "channel", "shard", "allow-empty", "strict"),
    "Environments": ("engine", "python", "base-image", "network"),
    "Runs": ("keep-failed", "plan", "jobs", "memory", "keep-going", "dry-run", "refresh", "no-lock", "json"),
}


@dataclasses.dataclass(frozen=True)
class Command:
    usage: str
    options: list["Option"]


@dataclasses.dataclass(frozen=True)
class Option:
    usage: str
    about: str

    @property
    def name(self) -> str:
        return re.search(r"--([\w-]+)", self.usage)[1]

    @property
    def row(self) -> str:
        usage, about = (text.replace("|", "\\|") for text in (self.usage, self.about))
        return f"| `{usage}` | {about} |\n"


def commands_of(manual: str) -> dict[str, Command]:
    """The commands of the manual page by name; the program's own options are under the empty name."""
    text = manual.replace("\\-", "-").replace("\\e", "\\")
    text = text[: text.index(".SH EXIT STATUS")].replace(".SH OPTIONS\n", ".SS \n\n")
    commands = {}
    for section in re.split(r"^\.SS ", text, flags=re.MULTILINE)[1:]:
        usage, _, rest = section.partition("\n")
        name = re.match(r"[a-z -]*", usage)[0].strip()
        options = [Option(*found) for found in re.findall(r"^\.TP\n\.B (.*)\n(.*)$", rest, re.MULTILINE)]
        commands[name] = Command(usage, [option for option in options if option.name not in ("help", "version")])
    return commands


def group_tables(commands: dict[str, Command]) -> dict[str, list[Option]]:
    """The options of each group, as in `build` or in the program's own options."""
    known = {option.name: option for option in commands["build"].options + commands[""].options}
    return {title: [known[name] for name in names] for title, names in GROUPS.items()}


def block_of(subject: str, commands: dict[str, Command]) -> str:
    """The generated lines of a command or group: usage, links to the groups it includes, and one row per option."""
    groups = group_tables(commands)
    own, lines = groups.get(subject), ""
    if own is None:
        own = commands[subject].options
        shared = [title for title, options in groups.items() if all(option in own for option in options)]
        own = [option for option in own if not any(option in groups[title] for title in shared)]
        lines = f"    pinwheel {commands[subject].usage}\n"
        links = [f"[{title.lower()}](#{title.lower().replace(' ', '-')})" for title in shared]
        if links:
            lines += f"\nHas the options of {' and '.join(filter(None, (', '.join(links[:-1]), links[-1])))}.\n"
    if own:
        lines += ("\n" if lines else "") + "| option | meaning |\n|---|---|\n" + "".join(option.row for option in own)
    return lines


def problems(page: str, commands: dict[str, Command]) -> list[str]:
    """The tables that are missing, unknown, duplicate or out of date."""
    subjects = [name for _, name, _, _ in BLOCK.findall(page)]
    wanted = {name for name in commands if name} | set(GROUPS)
    found = [f"no table for `{name}`" for name in sorted(wanted - set(subjects))]
    found += [f"a table for `{name}`, which does not exist" for name in sorted(set(subjects) - wanted)]
    found += [f"`{name}` has two tables" for name in sorted(set(subjects)) if subjects.count(name) > 1]
    for _, name, body, _ in BLOCK.findall(page):
        if name in wanted and body != block_of(name, commands):
            found.append(f"the table of `{name}` is not what the parser says")
    return found


@pytest.fixture(scope="module")
def commands(pinwheel):
    manual = subprocess.run([pinwheel, "completion", "man"], check=True, capture_output=True, text=True).stdout
    return commands_of(manual)


def test_the_command_line_page_has_every_command_and_option(commands, root, request):
    page = (root / PAGE).read_text()
    if request.config.getoption("--bless"):
        page = BLOCK.sub(lambda found: found[1] + block_of(found[2], commands) + found[4], page)
        (root / PAGE).write_text(page)
    assert problems(page, commands) == []


MANUAL = """.SH COMMANDS
.SS build [GLOB]
make wheels
.TP
.B \\-j, \\-\\-jobs INT
cores [PINWHEEL_JOBS]
.SH OPTIONS
.TP
.B \\-q, \\-\\-quiet
errors only
.SH EXIT STATUS
"""


def test_a_page_with_a_missing_or_stale_table_is_reported(monkeypatch):
    monkeypatch.setattr("pages_test.GROUPS", {"Every command": ("quiet",)})
    seen = commands_of(MANUAL)
    assert seen == {
        "build": Command("build [GLOB]", [Option("-j, --jobs INT", "cores [PINWHEEL_JOBS]")]),
        "": Command("", [Option("-q, --quiet", "errors only")]),
    }
    right = "".join(f"<!-- options: {name} -->\n{block_of(name, seen)}<!-- end -->\n" for name in ("build", "Every command"))
    assert problems(right, seen) == []
    assert problems(right.replace("--jobs INT", "--job INT"), seen) == ["the table of `build` is not what the parser says"]
    assert problems(right.replace("options: build", "options: make"), seen) == [
        "no table for `build`",
        "a table for `make`, which does not exist",
    ]
    assert problems(right + right, seen)[0] == "`Every command` has two tables"


def test_the_examples_on_the_matrix_page_form_one_matrix_file(pinwheel, root, repository):
    blocks = re.findall(r"^```yaml\n(.*?)^```$", (root / MATRIX_PAGE).read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) > 10
    project = repository({"matrix/example.yaml": "".join(blocks), "docker/build.Dockerfile": "", "docker/test.Dockerfile": ""})
    plan = [pinwheel, "plan", "matrix/example.yaml", "--format"]
    ran = subprocess.run([*plan, "ids"], cwd=project, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "cp312-cu130-torch2.13" in ran.stdout.split()
    assert ran.stderr == ""
    ran = subprocess.run([*plan, "json"], cwd=project, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
