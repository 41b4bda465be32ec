"""The rooms of tools/: the table of tools/README.md, the libraries of CMakeLists.txt and the directories are one list."""

import fnmatch
import re

from tree import Finding, Tree, directory_of, includes_of, is_cpp

README = "tools/README.md"
BUILD = "CMakeLists.txt"

# Headers through which a module reaches the system.
SYSTEM_HEADER = re.compile(r"<(.*\.h|fstream|thread|csignal)>")

# Sources without a header of their name, with the header that declares what they define: halves of a module that would
# be too long, tables, and functions that share one list of declarations.
EXCEPTIONS = "tests/house/rooms.py"
DECLARED_IN = {
    "tools/cli/cmd_*.cc": "tools/cli/commands.h",
    "tools/env/lock_read.cc": "tools/env/lock.h",
    "tools/inspect/*_rules.cc": "tools/inspect/rule_functions.h",
    "tools/inspect/stable_abi_table.cc": "tools/inspect/stable_abi.h",
    "tools/pep/spdx_table.cc": "tools/pep/license.h",
    "tools/matrix/abi_class.cc": "tools/matrix/expand.h",
    "tools/matrix/decode_*.cc": "tools/matrix/decode.h",
    "tools/ci/*_job.cc": "tools/ci/jobs.h",
    "tools/ci/*_jobs.cc": "tools/ci/jobs.h",
    "tools/matrix/schema_table.cc": "tools/matrix/schema.h",
    "tools/matrix/validate.cc": "tools/matrix/schema.h",
    "tools/wheel/member_name.cc": "tools/wheel/zip_reader.h",
    "tools/wheel/tar_*er.cc": "tools/wheel/tar.h",
}
NO_HEADER = {"tools/cli/main.cc"}


def rooms_of(tree: Tree) -> set[str]:
    return {directory_of(path).removeprefix("tools/") for path in tree if path.startswith("tools/") and is_cpp(path)}


def table_of_levels(tree: Tree) -> list[str]:
    return re.findall(r"^\| \d+ \| `([a-z_/]+)/` \|", tree[README], re.MULTILINE)


def libraries_of(tree: Tree) -> list[str]:
    return re.findall(r"^pinwheel_library\((\S+?)[\s)]", tree[BUILD], re.MULTILINE)


def check_rooms(tree: Tree) -> list[Finding]:
    """The three lists of rooms agree; each room stands once in each."""
    rooms = rooms_of(tree)
    found = []
    for path, what, names in (
        (README, "the table of levels", table_of_levels(tree)),
        (BUILD, "pinwheel_library", libraries_of(tree)),
    ):
        found += [Finding(path, f"{what} names `{name}`, and tools/{name}/ holds no source") for name in set(names) - rooms]
        found += [Finding(path, f"{what} lacks `{name}`") for name in rooms - set(names)]
        found += [Finding(path, f"{what} names `{name}` twice") for name in set(names) if names.count(name) > 1]
    return found


def check_pairs(tree: Tree) -> list[Finding]:
    """A .cc has the .h of its name, or is listed with the header that declares what it defines."""
    found = []
    for path in sorted(tree):
        if not (path.startswith("tools/") and path.endswith(".cc")) or path[:-2] + "h" in tree or path in NO_HEADER:
            continue
        header = next((DECLARED_IN[glob] for glob in DECLARED_IN if fnmatch.fnmatchcase(path, glob)), None)
        if header is None:
            found.append(Finding(path, f"has no {path.rpartition('/')[2][:-2]}h and is no exception in {EXCEPTIONS}"))
        elif f'"{header.removeprefix("tools/")}"' not in includes_of(tree[path]):
            found.append(Finding(path, f"does not include `{header}`, which is said to declare what it defines"))
    unused = {glob for glob in DECLARED_IN if not any(fnmatch.fnmatchcase(path, glob) for path in tree)}
    found += [Finding(EXCEPTIONS, f"`{name}` matches no source") for name in sorted(unused | (NO_HEADER - set(tree)))]
    return found


def check_host_modules(tree: Tree) -> list[Finding]:
    """A module of tools/host/ touches the world, by a port, a system header or another module of host."""
    includes: dict[str, set[str]] = {}
    for path, text in tree.items():
        if path.startswith("tools/host/") and is_cpp(path):
            includes.setdefault(path.rpartition(".")[0], set()).update(includes_of(text))
    return [
        Finding(module, "uses no port, no system header and nothing of host: what decides purely belongs to another room")
        for module, names in sorted(includes.items())
        if not any(
            name.startswith('"ports/')
            or SYSTEM_HEADER.fullmatch(name)
            or (name.startswith('"host/') and name != f'"{module.removeprefix("tools/")}.h"')
            for name in names
        )
    ]


def check_map(tree: Tree) -> list[Finding]:
    """A module that the architecture's page names by its path exists."""
    rooms = rooms_of(tree)
    found = []
    for name in sorted(set(re.findall(r"`([a-z_]+(?:/[a-z_*]+)+)`", tree[README]))):
        room = directory_of(name)
        if room in rooms and not any(fnmatch.fnmatchcase(path, f"tools/{name}.*") for path in tree):
            found.append(Finding(README, f"names `{name}`, and there is no such module"))
    return found


# Rooms whose modules, a header with its source, include each other in one direction only.
WITHOUT_CYCLES = ("cli", "prepare", "session")


def reached_from(start: str, includes: dict[str, set[str]]) -> set[str]:
    """The modules that a module includes, by way of others as well."""
    reached: set[str] = set()
    waiting = list(includes.get(start, ()))
    while waiting:
        module = waiting.pop()
        if module not in reached:
            reached.add(module)
            waiting += includes.get(module, ())
    return reached


def check_cycles(tree: Tree) -> list[Finding]:
    """No module of these rooms includes itself by way of another."""
    includes: dict[str, set[str]] = {}
    for path, text in tree.items():
        room, _, _ = path.removeprefix("tools/").partition("/")
        if path.startswith("tools/") and room in WITHOUT_CYCLES and is_cpp(path):
            module = path.removeprefix("tools/").rpartition(".")[0]
            names = {name.strip('"').rpartition(".")[0] for name in includes_of(text) if name.startswith('"')}
            includes.setdefault(module, set()).update(names - {module})
    reached = {module: reached_from(module, includes) for module in includes}
    found, named = [], set()
    for module in sorted(includes):
        cycle = {other for other in reached[module] & set(includes) if module in reached[other]}
        if cycle and module not in named:
            named |= cycle
            found.append(Finding(f"tools/{module}.h", f"is in a cycle of includes: {', '.join(sorted(cycle))}"))
    return found


# A module with fewer lines, header and source together, is a part of its only user.
SMALL_MODULE = 60


def check_small_modules(tree: Tree) -> list[Finding]:
    """A small module has two users, or a test of its own."""
    lines: dict[str, int] = {}
    users: dict[str, set[str]] = {}
    for path, text in tree.items():
        if not is_cpp(path):
            continue
        module = path.removeprefix("tools/").rpartition(".")[0]
        if path.startswith("tools/"):
            lines[module] = lines.get(module, 0) + text.count("\n")
        for name in includes_of(text):
            if name.startswith('"'):
                users.setdefault(name.strip('"').rpartition(".")[0], set()).add(module)
    found = []
    for module, count in sorted(lines.items()):
        using = users.get(module, set()) - {module}
        if count < SMALL_MODULE and len(using) == 1 and not any(user.startswith("tests/") for user in using):
            found.append(Finding(f"tools/{module}.h", f"has {count} lines and one user: it is a part of `{using.pop()}`"))
    return found
