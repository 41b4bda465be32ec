"""GitHub's own OpenAPI description of its REST API, from the npm package `@octokit/openapi`, as schemas that check
requests and replies."""

import copy
import json
import pathlib
import re
import subprocess
import tarfile
import urllib.parse

import jsonschema
from shared_cache import cache_directory, locked

PACKAGE = "@octokit/openapi@23.0.2"
DESCRIPTION = "package/generated/api.github.com.json"
REPOSITORY = "/repos/{owner}/{repo}"
# What pinwheel may ask: nothing else is answered.
OPERATIONS = (
    ("get", REPOSITORY),
    ("get", f"{REPOSITORY}/git/ref/{{ref}}"),
    ("get", f"{REPOSITORY}/git/tags/{{tag_sha}}"),
    ("post", f"{REPOSITORY}/git/refs"),
    ("get", f"{REPOSITORY}/releases"),
    ("post", f"{REPOSITORY}/releases"),
    ("get", f"{REPOSITORY}/releases/tags/{{tag}}"),
    ("patch", f"{REPOSITORY}/releases/{{release_id}}"),
    ("get", f"{REPOSITORY}/releases/{{release_id}}/assets"),
    ("post", f"{REPOSITORY}/releases/{{release_id}}/assets"),
    ("get", f"{REPOSITORY}/releases/assets/{{asset_id}}"),
    ("delete", f"{REPOSITORY}/releases/assets/{{asset_id}}"),
    ("get", f"{REPOSITORY}/issues/{{issue_number}}/comments"),
    ("post", f"{REPOSITORY}/issues/{{issue_number}}/comments"),
    ("patch", f"{REPOSITORY}/issues/comments/{{comment_id}}"),
)


def without_references(node, whole: dict):
    """The node with what it refers to, and OpenAPI's `nullable` as JSON Schema writes it."""
    if isinstance(node, list):
        return [without_references(each, whole) for each in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        found = whole
        for part in node["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        return without_references(found, whole)
    made = {key: without_references(value, whole) for key, value in node.items() if key != "nullable"}
    return {"anyOf": [made, {"type": "null"}]} if node.get("nullable") is True else made


def described_operations() -> dict[str, dict]:
    """The operations by "METHOD PATH", from the cache or from npm."""
    directory = cache_directory("octokit-openapi")
    made = directory / (re.sub(r"\W+", "-", PACKAGE).strip("-") + f"-{len(OPERATIONS)}.json")
    with locked(directory):
        if not made.exists():
            packed = subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=directory, check=True, capture_output=True, text=True)
            archive = directory / packed.stdout.split()[-1]
            with tarfile.open(archive) as tar:
                whole = json.load(tar.extractfile(DESCRIPTION))
            operations = {f"{method} {path}": without_references(whole["paths"][path][method], whole) for method, path in OPERATIONS}
            pathlib.Path(f"{made}.new").write_text(json.dumps(operations))
            pathlib.Path(f"{made}.new").replace(made)
            archive.unlink()
    return json.loads(made.read_text())


class Undescribed(AssertionError):
    """A request or a reply that GitHub's description does not allow."""


def pattern_of(path: str) -> re.Pattern:
    """A tag may have slashes."""
    names = re.sub(r"\\\{(ref|tag)\\\}", r"(?P<\1>.+)", re.escape(path))
    return re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", names))


class Description:
    """Checks requests and replies. `used` has the operations that were checked."""

    def __init__(self) -> None:
        self.operations = described_operations()
        self.patterns = {key: pattern_of(key.split(" ")[1]) for key in self.operations}
        self.used: set[str] = set()

    def find(self, method: str, path: str) -> tuple[str, dict[str, str]]:
        """The operation of a request, and its parameters in the path: the most literal one that matches."""
        found = [(key, match) for key, pattern in self.patterns.items()
                 if key.startswith(method.lower() + " ") and (match := pattern.fullmatch(path))]
        if not found:
            raise Undescribed(f"{method} {path} is no operation that a release needs")
        key, match = min(found, key=lambda each: each[0].count("{"))
        return key, {name: urllib.parse.unquote(value) for name, value in match.groupdict().items()}

    def check_request(self, key: str, path: dict[str, str], query: dict[str, str], headers, body: bytes) -> None:
        operation = self.operations[key]
        parameters = {(each["in"], each["name"]): each for each in operation["parameters"]}
        for place, given in (("path", path), ("query", query)):
            for name, value in given.items():
                if (place, name) not in parameters:
                    raise Undescribed(f"{key} has no parameter {name} in its {place}")
                schema = parameters[place, name]["schema"]
                self.check(int(value) if schema.get("type") == "integer" else value, schema, f"{key}: {name}")
        missing = [name for (place, name), each in parameters.items()
                   if each.get("required") and name not in {"path": path, "query": query}.get(place, {name})]
        if missing:
            raise Undescribed(f"{key} needs {missing}")
        self.check_body(key, operation.get("requestBody"), headers, body)
        self.used.add(key)

    def check_body(self, key: str, described: dict | None, headers, body: bytes) -> None:
        kind = headers.get("Content-Type", "")
        if described is None:
            if body:
                raise Undescribed(f"{key} takes no body")
            return
        if kind not in described["content"]:
            raise Undescribed(f"{key} takes {list(described['content'])}, not {kind}")
        if kind == "application/json":
            schema = copy.deepcopy(described["content"][kind]["schema"])
            # GitHub ignores what it does not know; a typing error would be one.
            schema["additionalProperties"] = False
            self.check(json.loads(body), schema, key)

    def check_reply(self, key: str, status: int, body: object) -> None:
        """Statuses that apply to every operation, such as 401, are not described."""
        described = self.operations[key]["responses"].get(str(status))
        if described is None:
            if status in (401, 403, 404, 429) or status >= 500:
                return
            raise Undescribed(f"{key} does not answer {status}")
        content = described.get("content", {}).get("application/json")
        if content is not None and body is not None:
            self.check(body, content["schema"], f"{key}: {status}")

    @staticmethod
    def check(value: object, schema: dict, about: str) -> None:
        found = jsonschema.Draft202012Validator(schema).iter_errors(value)
        texts = [f"{about}: {error.json_path}: {error.message[:300]}" for error in found]
        if texts:
            raise Undescribed("\n".join(texts))
