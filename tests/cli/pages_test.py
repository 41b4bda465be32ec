"""The documentation pages match the program: that of the command line its parser, that of the matrix file its reader.

`pytest tests/cli/pages_test.py --bless` generates the tables between `<!-- options: COMMAND -->` and `<!-- end -->` in
docs/cli*.md from the manual page; the prose around them is written by hand.
"""

import dataclasses
import json
import pathlib
import re
import subprocess
import sys

import pytest
import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "house"))

from pages import SCHEMA, keys_of  # noqa: E402

SITE = pathlib.Path("mkdocs.yml")
DOCS = pathlib.Path("docs")
GROUPS_PAGE = "cli.md"
PYPROJECT = '[build-system]\nrequires = ["setuptools"]\n[project]\nname = "my-kernels"\ndynamic = ["version"]\n'
MATRIX_PAGE = DOCS / "matrix.md"
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
        links = [f"[{title.lower()}]({GROUPS_PAGE}#{title.lower().replace(' ', '-')})" for title in shared]
        if links:
            lines += f"\nAlso takes the options of {' and '.join(filter(None, (', '.join(links[:-1]), links[-1])))}.\n"
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


def test_the_pages_of_the_command_line_have_every_command_and_option(commands, root, request):
    pages = sorted((root / DOCS).glob("cli*.md"))
    if request.config.getoption("--bless"):
        for page in pages:
            page.write_text(BLOCK.sub(lambda found: found[1] + block_of(found[2], commands) + found[4], page.read_text()))
    assert problems("".join(page.read_text() for page in pages), commands) == []
    shared = [name for _, name, _, _ in BLOCK.findall((root / DOCS / GROUPS_PAGE).read_text())]
    assert shared == list(GROUPS)


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


def examples_of(page: str) -> tuple[list[str], list[str]]:
    """The examples that form one file, and those that begin with `# or`: each takes the place of its section."""
    blocks = re.findall(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return [block for block in blocks if not block.startswith("# or")], [block for block in blocks if block.startswith("# or")]


def keys_in(node, path: str = "") -> set[str]:
    """The keys that an example shows, by path; free names are NAME, and those in an override count as overridden."""
    if isinstance(node, list):
        return set().union(*(keys_in(one, path) for one in node))
    if not isinstance(node, dict):
        return set()
    found = set()
    for name, child in node.items():
        free = path in ("axes", "computes", "channels", "publish") and not (path == "publish" and name == "require")
        below = ".".join(filter(None, (path, "NAME" if free else str(name).lstrip("+"))))
        found |= {below} | keys_in(child, below)
    return found | {key.removeprefix("overrides.") for key in found}


def keys_without_example(page: str, schema: dict) -> list[str]:
    # `on` is a key, and no boolean.
    shown = set().union(*(keys_in(yaml.load(block, yaml.BaseLoader)) for blocks in examples_of(page) for block in blocks))
    return sorted(set(keys_of(schema)) - shown)


def test_every_key_occurs_in_an_example_of_the_matrix_page(root):
    page, schema = (root / MATRIX_PAGE).read_text(), json.loads((root / SCHEMA).read_text())
    assert keys_without_example(page, schema) == []
    assert keys_without_example(page.replace(", others: name-suffix", ""), schema) == ["publish.NAME.others"]
    assert keys_without_example(page.replace("arch-list:", "archlist:"), schema) == ["build.arch-list"]


def test_each_other_example_fits_in_the_place_of_its_section(pinwheel, root, repository):
    blocks, others = examples_of((root / MATRIX_PAGE).read_text())
    assert len(others) >= 3
    for number, other in enumerate(others):
        section = next(iter(yaml.safe_load(other)))
        kept = [block for block in blocks if section not in yaml.safe_load(block)]
        assert len(kept) == len(blocks) - 1
        # A version that files say has no date.
        dated = "version: {from: file" not in other
        kept = kept if dated else [block.replace("{version: nightly, ", "{") for block in kept]
        # The ids of a family's variants begin with the name of the package.
        family = "family" in yaml.safe_load(other)
        if family:
            kept = [re.sub(r"when: {(.*}\n    build: {with: )", r"when: {package: my-kernels, \1my-kernels-", block) for block in kept]
        files = {"matrix/example.yaml": "".join([*kept, other]), "VERSION": "1.0.0\n", "pyproject.toml": PYPROJECT}
        files |= {"docker/build.Dockerfile": "", "docker/test.Dockerfile": ""}
        files |= {"cuda/pyproject.toml": PYPROJECT, "tables/pyproject.toml": PYPROJECT}
        project = repository(files, name=f"project{number}")
        ran = subprocess.run([pinwheel, "plan", "matrix/example.yaml"], cwd=project, capture_output=True, text=True)
        assert ran.returncode == 0, other + ran.stderr


def test_every_whole_file_of_the_cookbook_is_accepted(pinwheel, root, repository):
    text = (root / DOCS / "cookbook.md").read_text()
    blocks = re.findall(r"^```yaml\n(schema:.*?)^```$", text, re.MULTILINE | re.DOTALL)
    # Indented blocks are lines to add to a file.
    assert len(blocks) >= 9 and len(re.findall("^```yaml$", text, re.MULTILINE)) == len(blocks)
    named = {f"docker/{name}": "" for name in re.findall(r"dockerfile: \.\./docker/(\S+)", text)}
    files = {f"matrix/{number}.yaml": block for number, block in enumerate(blocks)}
    project = repository({"pyproject.toml": PYPROJECT, **named, **files})
    for name in files:
        ran = subprocess.run([pinwheel, "plan", name], cwd=project, capture_output=True, text=True)
        # Whether a machine has the Pythons is another question.
        others = re.findall(r"^(?:error|warning): (?!no Python `|Python \S+ at `).*", ran.stderr, re.MULTILINE)
        assert (ran.returncode, others) == (0, []), files[name]


def test_schema_and_docs_print_what_the_repository_has(pinwheel, root):
    def output(*arguments: str) -> str:
        return subprocess.run([pinwheel, *arguments], check=True, capture_output=True, text=True).stdout

    assert output("schema") == (root / SCHEMA).read_text()
    assert output("docs", "matrix") == (root / MATRIX_PAGE).read_text()
    assert output("docs", "cookbook") == (root / DOCS / "cookbook.md").read_text()
    names = re.findall(r"^ +- .*?([\w-]+)\.md$", (root / SITE).read_text(), re.MULTILINE)
    assert {f"{name}.md" for name in names} == {page.name for page in (root / DOCS).glob("*.md")}
    for name in set(names) - {"index"}:
        # Comments are for tools.
        assert output("docs", name) == re.sub(r"<!--.*?-->\n?", "", (root / DOCS / f"{name}.md").read_text())
    index = output("docs")
    assert all(key in index for key in keys_of(json.loads((root / SCHEMA).read_text())))


def test_the_examples_on_the_matrix_page_form_one_matrix_file(pinwheel, root, repository):
    blocks, _ = examples_of((root / MATRIX_PAGE).read_text())
    assert len(blocks) > 10
    project = repository({"matrix/example.yaml": "".join(blocks), "docker/build.Dockerfile": "", "docker/test.Dockerfile": ""})
    plan = [pinwheel, "plan", "matrix/example.yaml", "--format"]
    ran = subprocess.run([*plan, "ids"], cwd=project, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "cp312-cu130-torch2.13" in ran.stdout.split()
    assert ran.stderr == ""
    ran = subprocess.run([*plan, "json"], cwd=project, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
