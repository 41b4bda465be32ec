"""The pages that document a table of the program are as complete as the table, and no more."""

import json
import re

from tree import Finding, Tree, is_cpp, without_comments

SCHEMA = "matrix/pinwheel.schema.json"
MATRIX = "docs/matrix.md"
CLI = "docs/cli.md"
SITE = "mkdocs.yml"
ERRORS = "tools/base/error.cc"

# Sections whose keys have their own table.
PATCHED = ("overrides.environment", "overrides.build", "overrides.checks", "overrides.test")

FORMATS = (
    ("\\.\\.", "two times"),
    ("ms|s|sec", "time"),
    ("kKmMgG", "size"),
    ("==", "requirement"),
    ("none|gpu", "`none`, `gpu`, device"),
    ("none|", "ABI"),
    ("^[A-Za-z0-9._-]+$", "name"),
)


def type_of(schema: dict) -> str:
    """The word of the type column; the values of an enumeration joined by commas."""
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if "anyOf" in schema:
        first, second = schema["anyOf"]
        if "properties" in second:
            return type_of(first) + " or mapping"
        return type_of(first) + (" by value" if second["type"] == "object" else " or list")
    kind = schema["type"]
    if kind == "array":
        return "list"
    if "object" in kind:
        return "mapping"
    if kind in ("boolean", "integer"):
        return {"boolean": "true or false", "integer": "number"}[kind]
    return next((word for part, word in FORMATS if part in schema.get("pattern", "")), "text")


def keys_of(schema: dict, path: str = "") -> dict[str, str]:
    """Every key below a schema by its path, with its type; lists add nothing to a path, free names are NAME."""
    keys: dict[str, str] = {}
    for child in (schema.get("items"), *schema.get("anyOf", ())):
        if child is not None and "enum" not in child:
            keys |= keys_of(child, path)
    for name, child in schema.get("properties", {}).items():
        if name.startswith("+"):
            continue
        below = f"{path}.{name}" if path else name
        keys[below] = type_of(child)
        if below not in PATCHED:
            keys |= keys_of(child, below)
    free = schema.get("additionalProperties")
    # Rows, conditions and the values of `by value` hold names of the matrix's own.
    if path in ("axes", "computes", "channels", "publish") and isinstance(free, dict):
        keys[f"{path}.NAME"] = type_of(free)
        keys |= keys_of(free, f"{path}.NAME")
    return keys


def same_type(stated: str, wanted: str) -> bool:
    """Values of an enumeration may be joined by other words than here, in the same order."""
    if "`" not in wanted:
        return stated == wanted
    same_values = re.findall(r"`[^`]+`", stated) == re.findall(r"`[^`]+`", wanted)
    return same_values and (" by value" in stated) == (" by value" in wanted)


def check_matrix_page(tree: Tree) -> list[Finding]:
    """Every key of the schema has a row with its type, or a heading for a section; every row and heading has a key."""
    keys = keys_of(json.loads(tree[SCHEMA]))
    rows = re.findall(r"^\| `([\w.-]+)` \|(.*?)\|.*?\|(.*)\|$", tree[MATRIX], re.MULTILINE)
    stated = {name: kind.strip() for name, kind, _ in rows}
    headings = re.findall(r"^## .*$", tree[MATRIX], re.MULTILINE)
    sections = {name for heading in headings for name in re.findall(r"`([^`]+)`", heading)}
    wanted = {key.split(".")[0] for key in keys} - {"schema"}
    found = [Finding(MATRIX, f"has no section for `{name}`") for name in sorted(wanted - sections)]
    found += [Finding(MATRIX, f"has a section for `{name}`, which is no key") for name in sorted(sections - set(keys))]
    found += [Finding(MATRIX, f"has no row for `{name}`") for name in sorted(set(keys) - set(stated) - sections)]
    for name, kind in sorted(stated.items()):
        if name not in keys:
            found.append(Finding(MATRIX, f"has a row for `{name}`, which is no key"))
        elif not same_type(kind, keys[name]):
            found.append(Finding(MATRIX, f"`{name}` is {keys[name]}, the page says {kind}"))
    # The checks of a list are in the list's own row.
    for path, key in (("before", "checks.before"), ("after", "checks.after")):
        allowed = json.loads(tree[SCHEMA])["properties"]["checks"]["properties"][path]["items"]["anyOf"][0]["enum"]
        text = next((about for name, _, about in rows if name == key), "")
        found += [Finding(MATRIX, f"the row of `{key}` does not name `{check}`") for check in allowed if f"`{check}`" not in text]
    return found


def check_cli_page(tree: Tree) -> list[Finding]:
    """The environment variables and exit codes of the command line's page are those of the program."""
    page = tree[CLI]
    text = "".join(without_comments(content) for path, content in tree.items() if path.startswith("tools/") and is_cpp(path))
    known = set(re.findall(r'"(PINWHEEL_[A-Z_]+)"', text))
    # A name that ends in `_` goes on with a target's, which is TARGET on the page.
    listed = set(re.findall(r"^\| `(PINWHEEL_[A-Z_]+)` \|", page, re.MULTILINE))
    listed = {re.sub(r"_TARGET$", "_", name) if name.removesuffix("TARGET") in known else name for name in listed}
    # Some code asks only how a name begins.
    missing = {name for name in known if not any(row.startswith(name) for row in listed)}
    found = [Finding(CLI, f"does not list `{name}`") for name in sorted(missing)]
    found += [Finding(CLI, f"lists `{name}`, which nothing reads") for name in sorted(listed - known)]
    codes = dict(re.findall(r'KindEntry\{ErrorKind::\w+, "([\w-]+)", (\d+)\}', tree[ERRORS]))
    rows = re.findall(r"^\| (\d+) \| (.*?) \|", page, re.MULTILINE)
    documented = {name: code for code, kinds in rows for name in re.findall(r"`([\w-]+)`", kinds)}
    for name in sorted(set(codes) | set(documented)):
        if codes.get(name) != documented.get(name):
            found.append(Finding(CLI, f"`{name}` exits {codes.get(name, 'never')}, the page says {documented.get(name, 'nothing')}"))
    return found


def check_nav(tree: Tree) -> list[Finding]:
    """The site, and so `pinwheel docs`, has every page of docs/ once."""
    listed = re.findall(r"^ +- .*?([\w-]+\.md)$", tree[SITE], re.MULTILINE)
    pages = {path.removeprefix("docs/") for path in tree if path.startswith("docs/") and path.endswith(".md")}
    found = [Finding(SITE, f"does not list `{page}`") for page in sorted(pages - set(listed))]
    found += [Finding(SITE, f"lists `{page}`, which is no page") for page in sorted(set(listed) - pages)]
    return found + [Finding(SITE, f"lists `{page}` twice") for page in sorted(set(listed)) if listed.count(page) > 1]
