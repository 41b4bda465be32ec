"""The keys of a matrix file and the functions that decode them: no key is accepted and ignored."""

import json
import re

from declarations import body_at
from pages import SCHEMA, keys_of
from tree import Finding, Tree, without_comments

# The functions that read the keys of each mapping of the schema.
READERS = {
    "": "decode_package decode_family decode_axes decode_attributes decode_computes decode_rules decode_abi sections_of decode_sections "
    "decode_channels decode_publish decode_ci decode_stores",
    "package": "decode_package decode_common",
    "package.requires": "decode_package decode_common check_siblings",
    "family": "decode_family decode_common decode_abi",
    "family.requires": "decode_family decode_common check_siblings",
    "family.abi": "decode_abi decode_abi_section",
    "package.version": "decode_version",
    "computes.NAME": "decode_line",
    "rules": "decode_rule",
    "abi": "decode_abi_section",
    "environment": "read_environment read_mirrors read_secrets",
    "environment.container": "read_container",
    "environment.conda": "read_environment read_mirrors read_secrets",
    "environment.torch": "read_environment read_mirrors read_secrets",
    "environment.toolkit": "read_toolkit_packages",
    "build": "read_build read_arch_list read_repair",
    "build.checkpoint": "read_checkpoint",
    "build.retry": "read_retry",
    "checks": "read_check_settings",
    "test": "read_test read_test_images",
    "overrides": "sections_of decode_sections",
    "channels.NAME": "decode_channel",
    "publish": "decode_publish",
    "publish.NAME": "decode_target",
    "ci": "decode_ci decode_environments decode_triggers",
    "ci.container": "decode_ci decode_environments decode_triggers",
    "ci.on": "decode_ci decode_environments decode_triggers",
    "ci.runners": "decode_ci decode_environments decode_triggers",
}
# Keys that no function reads by name, with the reason.
NOT_READ = {
    "schema": "has one value, which the schema compares",
    "checks.before.header": "is the name of a rule",
    "checks.before.import": "is the name of a rule",
    "checks.after.operators": "is the name of a rule",
    "checks.after.size": "is the name of a rule",
}
HERE = "tests/house/schema.py"


def bodies_of(tree: Tree) -> dict[str, str]:
    """The functions of the room `matrix` and their bodies."""
    bodies = {}
    for path, text in tree.items():
        if path.startswith("tools/matrix/") and path.endswith(".cc"):
            code = without_comments(text)
            for found in re.finditer(r"^[\w:<>,&* ]+?\b(\w+)\([^;{}]*\) (?:const )?\{$", code, re.MULTILINE):
                bodies[found[1]] = bodies.get(found[1], "") + body_at(code, found.end() - 1)
    return bodies


def reads_of(key: str, body: str) -> int:
    """How often a key is the name of what a call looks for, or is compared with one."""
    return len(re.findall(rf'\w\((?:[^()"]*,\s*)?"{re.escape(key)}"|== "{re.escape(key)}"', body))


def check_schema(tree: Tree) -> list[Finding]:
    """Each key is read by a function that decodes its mapping; a name that two of them share is read as often."""
    keys = [key for key in keys_of(json.loads(tree[SCHEMA])) if not key.endswith("NAME")]
    bodies = bodies_of(tree)
    found = [Finding(HERE, f"there is no key `{key}`") for key in sorted(set(NOT_READ) - set(keys))]
    named = {function for functions in READERS.values() for function in functions.split()}
    found += [Finding(HERE, f"there is no function `{name}`") for name in sorted(named - set(bodies))]
    wanted: dict[tuple[str, str], list[str]] = {}
    for key in keys:
        mapping, _, name = key.rpartition(".")
        if key in NOT_READ:
            continue
        if mapping not in READERS:
            found.append(Finding(HERE, f"names no function that reads `{key}`"))
            continue
        wanted.setdefault((READERS[mapping], name), []).append(key)
    for (functions, name), same in sorted(wanted.items()):
        reads = sum(reads_of(name, bodies.get(function, "")) for function in functions.split())
        if reads < len(same):
            found.append(Finding(SCHEMA, f"{' and '.join(f'`{key}`' for key in same)}: accepted and never read"))
    return found
