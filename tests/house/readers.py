"""The readers of bytes from outside: every reader has a fuzz target, and no file or format bypasses the one function
for it."""

import re

from tree import Finding, Tree, code_of, without_comments

TARGETS = "tests/fuzz/CMakeLists.txt"
DECLARED = re.compile(
    r"^(?:inline |constexpr |template <[^>]*>\s*)*[\w:<>,&* ]+?\b((?:parse|read|scan|decode)_\w+)\(\s*"
    r"(?:const )?(?:std::string_view|std::string&)",
    re.MULTILINE,
)
WORDS = "one word of a command line or a matrix, compared with a list"
# Readers that no target calls by name, with the reason.
NOT_CALLED = {
    "parse_error_kind": WORDS,
    "parse_engine": WORDS,
    "parse_python_source": WORDS,
    "parse_status": WORDS,
    "parse_target_kind": WORDS,
    "parse_upload_auth": WORDS,
    "parse_step_state": WORDS,
    "parse_step_id": WORDS,
    "parse_evidence": WORDS,
    "parse_shard": WORDS,
    "parse_domain": WORDS,
    "parse_channel": WORDS,
    "parse_chunk": WORDS,
    "parse_target": WORDS,
    "parse_target_python": WORDS,
    "parse_torch_range": "calls parse_specifiers",
    "parse_torch_wheel": "calls parse_wheel_name",
    "parse_address": "calls split_url",
    "parse_index": "calls parse_address",
    "parse_wheel_address": "calls parse_address",
    "parse_json": "calls json_levels, as read_json does",
    "read_yaml": "is called by matrix::parse",
    "parse_gpu_architecture": "is called by matrix::parse",
    "parse_tag_pattern": "is called by matrix::parse",
    "read_x86": "is called by inspect_file, which the target `inspect` calls",
    "read_loose_file": "is called by the target `inspect` through its report",
    "read_info": "reads a member of an open archive: the target `zip`",
    "read_sdist": "reads its tar file by read_tar",
}
JSON_ALIAS = re.compile(r"\busing (\w+) = nlohmann::(?:ordered_)?json;")
# The one file that may call a function, or open a file in a way, that gives what is outside without a bound.
ONLY_IN = (
    (r"\btoml::parse\w*\(", {"tools/base/read_toml.cc"}, "read_toml"),
    (
        r"\b(?:nlohmann::(?:ordered_)?json|Json|OrderedJson)::(?:parse|sax_parse)\(",
        {
            "tools/base/json.cc",
            "tools/publish/simple_page.cc",  # entry by entry, and no deeper
        },
        "read_json",
    ),
    (
        r"\bYAML::(?:Load\w*|Parser\b)",
        {
            "tools/matrix/parse.cc",
            "tools/project/workflow.cc",
        },
        "matrix::read_yaml",
    ),
    (
        r"\bstd::(?:basic_)?i?f(?:stream|ilebuf)\b|\bf(?:re)?open\(",
        {
            "tools/prepare/budget.cc",  # /proc/meminfo
            "tools/host/system/process.cc",  # the counters of a control group
        },
        "read_regular_file",
    ),
    (
        r"\bopen(?:at2?|64)?\([^;]*\bO_RD(?:ONLY|WR)\b",
        {
            "tools/host/system/open_regular.cc",
            "tools/host/store/regular_file.cc",  # the same with the faults of a place
            "tools/host/store/tree_inventory.cc",  # whether a lease is locked; nothing is read
            "tools/host/system/files.cc",  # a lock; nothing is read
            "tools/host/store/tree_lease.cc",  # a lock; nothing is read
            "tools/host/store/blob_copy.cc",  # a new file without a name
            "tools/host/system/mapped_memory.cc",  # a new file without a name
            "tools/host/run/journal_file.cc",  # written; read by LocalFiles
            "tools/host/system/pending_file.cc",  # a file that was written just now, to be synchronized
            "tools/host/system/atomic_write.cc",  # a directory, to be synchronized
            "tools/host/system/process.cc",  # /dev/null
            "tools/host/system/supervisor.cc",  # /proc
            "tools/host/system/secluded.cc",  # /proc
        },
        "open_regular_file",
    ),
)


def fuzzed_words(tree: Tree) -> set[str]:
    targets = (text for path, text in tree.items() if path.startswith("tests/fuzz/") and path.endswith("_fuzz.cc"))
    return {word for text in targets for word in re.findall(r"\w+", code_of(text))}


def readers_of(tree: Tree) -> dict[str, str]:
    """Every function in a header that reads a text: its name, and the header."""
    found = {}
    for path, text in tree.items():
        if not path.startswith("tools/") or not path.endswith(".h"):
            continue
        for declared in DECLARED.finditer(code_of(text)):
            found[declared[1]] = path
    return found


def check_fuzz_targets(tree: Tree) -> list[Finding]:
    """Each reader is called by a fuzz target or is an exception; each target is listed and has a source."""
    fuzzed = fuzzed_words(tree)
    readers = readers_of(tree)
    found = [
        Finding(path, f"no fuzz target calls `{name}`, and it is no exception in tests/house/readers.py")
        for name, path in sorted(readers.items())
        if name not in fuzzed and name not in NOT_CALLED
    ]
    for name in sorted(NOT_CALLED):
        if name not in readers:
            found.append(Finding("tests/house/readers.py", f"there is no reader `{name}`"))
        elif name in fuzzed:
            found.append(Finding("tests/house/readers.py", f"`{name}` is no exception: a fuzz target calls it"))
    listed = set(re.findall(r"^pinwheel_fuzzer\((\w+)", tree.get(TARGETS, ""), re.MULTILINE))
    sources = {path[len("tests/fuzz/") : -len("_fuzz.cc")] for path in tree if path.endswith("_fuzz.cc")}
    found += [Finding(TARGETS, f"lists no target `{name}`") for name in sorted(sources - listed)]
    found += [Finding(TARGETS, f"lists `{name}`, which has no source") for name in sorted(listed - sources)]
    seeds = {path.split("/")[3] for path in tree if path.startswith("tests/data/fuzz/")}
    found += [Finding("tests/data/fuzz", f"`{name}` is no target") for name in sorted(seeds - listed)]
    return found


def without_aliases(code: str) -> str:
    """The code with the name of the type in place of the file's aliases for JSON."""
    for alias in JSON_ALIAS.findall(code):
        code = re.sub(rf"\b{alias}::", "nlohmann::json::", code)
    return code


def check_reads(tree: Tree) -> list[Finding]:
    """Nothing reads a file or a format around the function that bounds it."""
    found = []
    for path, text in sorted(tree.items()):
        if not path.startswith("tools/") or not path.endswith((".h", ".cc")):
            continue
        code = without_aliases(without_comments(text))
        for pattern, allowed, instead in ONLY_IN:
            if path in allowed:
                continue
            for match in re.finditer(pattern, code):
                found.append(Finding(path, f"reads around `{instead}`: `{match[0].split(chr(10))[0]}`"))
    return found
