"""The declarations of headers and their uses: finds dead functions and options that nobody reads."""

import re

from tree import Finding, Tree, code_of, is_cpp, words_of

OPTIONS = ("tools/cli/options.h", "tools/prepare/options.h")
# These fill the options from argv: a use in them does not count as reading.
FILLERS = re.compile(r"tools/(prepare/options\.h|cli/(options\.h|parser\.(h|cc)|\w+_options\.(h|cc)))")

FUNCTION = re.compile(r"(?:^|[;{}])[^;{}()=]*?[\w>&*][\s&*]+(\w+)\(", re.MULTILINE)
VALUE = re.compile(r"\bconstexpr\s[^;{}=(]*?(\w+)(?:\[\w*\])?\s*[={]")
TYPE = re.compile(r"\b(?:struct|class|enum class|using)\s+(\w+)\s*(?:final\s*)?[:{=]")
NO_NAMES = {"operator", "return", "if", "for", "while", "switch", "static_assert", "decltype", "sizeof", "alignas"}


def without_bodies(code: str) -> str:
    """The code of namespaces, without what other braces hold."""
    out, kept = [], []
    for piece in re.split(r"([{}])", code):
        if piece == "{":
            before = re.split(r"[;{}]", "".join(out))[-1] if all(kept) else ""
            kept.append(all(kept) and re.search(r"\bnamespace\b[\w\s:]*$", before) is not None)
            out.append("{" if all(kept[:-1]) else "")
        elif piece == "}":
            if kept:
                kept.pop()
            out.append("}\n" if all(kept) else "")
        elif all(kept):
            out.append(piece)
    return "".join(out)


def declared_by(text: str) -> dict[str, str]:
    """The declarations of a header: the functions, values and types of its namespaces and the members that its classes offer."""
    code = re.sub(r"^\s*#.*(?:\\\n.*)*$", "", code_of(text), flags=re.MULTILINE)
    code = re.sub(r"\btemplate\s*<[^;{}()]*>\s", "", code)
    outer = without_bodies(code)
    kinds = dict.fromkeys(members_of(code), "member")
    for kind, pattern in (("type", TYPE), ("value", VALUE), ("function", FUNCTION)):
        kinds.update(dict.fromkeys(pattern.findall(outer), kind))
    return {name: kind for name, kind in kinds.items() if name not in NO_NAMES}


def body_at(code: str, brace: int) -> str:
    """The text between the brace at that place and the matching one."""
    depth = 0
    for at in range(brace, len(code)):
        depth += (code[at] == "{") - (code[at] == "}")
        if depth == 0:
            return code[brace + 1 : at]
    return code[brace + 1 :]


def members_of(code: str) -> set[str]:
    names = set()
    for found in re.finditer(r"\b(?:struct|class) (\w+)[^;{}()]*\{", code):
        body = body_at(code, found.end() - 1)
        offered = re.sub(r"^\s*(?:private|protected):.*?(?=^\s*public:|\Z)", "", body, flags=re.DOTALL | re.MULTILINE)
        names |= set(FUNCTION.findall(without_bodies(offered))) - {found[1]}
    return names


# Functions that only a test calls, with the reason why they are there.
FOR_TESTS: dict[str, str] = {}
HERE = "tests/house/declarations.py"


def check_declarations(tree: Tree) -> list[Finding]:
    """Every declaration of a header is used by another file of tools/, or by its own source and a test."""
    code = {path: words_of(text) for path, text in tree.items() if is_cpp(path) and path.startswith(("tools/", "tests/"))}
    users: dict[str, set[str]] = {}
    for path, words in code.items():
        for word in words:
            users.setdefault(word, set()).add(path)
    found, excused = [], set()
    for header in sorted(path for path in code if path.startswith("tools/") and path.endswith(".h")):
        source = header[:-1] + "cc"
        for name, kind in sorted(declared_by(tree[header]).items()):
            others = users[name] - {header, source}
            if code[header][name] > 1 or any(path.startswith("tools/") for path in others):
                continue
            # The source of a function holds its name once to define it.
            inside = code.get(source, {}).get(name, 0) > (kind in ("function", "member"))
            if inside and (others or kind != "function"):
                continue
            if name in FOR_TESTS:
                excused.add(name)
            elif inside:
                found.append(Finding(header, f"only its own source uses `{name}`: keep it there"))
            else:
                found.append(Finding(header, f"nothing uses `{name}`" + (" but a test" if others else "")))
    return found + [Finding(HERE, f"`{name}` needs no excuse") for name in sorted(set(FOR_TESTS) - excused)]


def fields_of(options: str) -> dict[str, list[str]]:
    """The structs of options.h with their fields."""
    structs = re.findall(r"\bstruct (\w+) \{(.*?)\n\};", code_of(options), re.DOTALL)
    return {name: re.findall(r"(\w+)(?:\s*=[^;]*)?;", body) for name, body in structs}


def check_options(tree: Tree) -> list[Finding]:
    """Every field of an option struct is read, by a module that names the struct or one that holds it."""
    declared = {path: fields_of(tree[path]) for path in OPTIONS if path in tree}
    structs = {name: fields for each in declared.values() for name, fields in each.items()}
    place = {name: path for path, each in declared.items() for name in each}
    code = {path: code_of(text) for path, text in tree.items() if path.startswith("tools/") and is_cpp(path)}
    modules: dict[str, str] = {}
    for path, text in code.items():
        if not FILLERS.fullmatch(path):
            modules[path.rpartition(".")[0]] = modules.get(path.rpartition(".")[0], "") + text
    bodies = {}
    for name, path in place.items():
        head = f"struct {name} "
        bodies[name] = body_at(code[path], code[path].index(head + "{") + len(head))
    held = {name: {other for other, body in bodies.items() if re.search(rf"\b{name}\b", body)} for name in structs}
    found = []
    for name, fields in structs.items():
        holders = {name}
        while more := {outer for holder in holders for outer in held[holder]} - holders:
            holders |= more
        commands = code.get("tools/cli/parser.h", "")
        holders |= {command for command, inner in re.findall(r"\bstruct (\w+) \{\s*(\w+)\b", commands) if inner in holders}
        knows = re.compile(rf"\b(?:{'|'.join(sorted(holders))})\b")
        readers = [text for text in modules.values() if knows.search(text)]
        for field in fields:
            if not any(re.search(rf"(?:\.|->){field}\b(?!\s*=[^=])", text) for text in readers):
                found.append(Finding(place[name], f"`{name}::{field}` is accepted and never read"))
    return found
