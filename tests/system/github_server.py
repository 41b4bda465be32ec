"""A GitHub for tests: tags and releases of one repository, over HTTP on loopback. Each request and each reply is checked
against GitHub's own description of its API."""

import contextlib
import hashlib
import http.server
import json
import threading
import urllib.parse
from collections.abc import Callable, Iterator

from github_description import Description, Undescribed
from loopback import running

TOKEN = "ghs_canary0123456789abcdef"
NAME = "acme/kernels"
TIME = "2026-11-02T03:04:05Z"


class Refused(Exception):
    def __init__(self, status: int, message: str, *errors: dict):
        super().__init__(message)
        self.status = status
        self.errors = list(errors)


class GitHub:
    """The state of the repository. Change it, or its faults, before a client runs."""

    def __init__(self) -> None:
        self.url = ""
        self.description = Description()
        self.lock = threading.RLock()
        self.tags: dict[str, str] = {}
        self.tag_objects: dict[str, str] = {}  # of annotated tags: the commit
        self.releases: list[dict] = []
        self.comments: list[dict] = []
        self.contents: dict[int, bytes] = {}  # by the id of the asset
        self.ids = 100
        self.immutable = False
        self.digests = True
        self.upload_url = ""  # other than its own
        self.push: bool | None = True
        self.asked: list[str] = []  # "METHOD PATH", each request
        self.done: list[str] = []  # each change that happened
        self.wrong: list[str] = []  # what the description does not allow
        self.faults: dict[str, list[object]] = {}  # by the beginning of "METHOD PATH": what happens next
        self.before: Callable[[int], None] = lambda number: None
        self.after: Callable[[int], None] = lambda number: None

    def new_id(self) -> int:
        self.ids += 1
        return self.ids

    def person(self) -> dict:
        urls = {name: f"{self.url}/users/robot" for name in (
            "avatar_url", "url", "html_url", "followers_url", "subscriptions_url", "organizations_url", "repos_url",
            "received_events_url")}
        texts = {name: "x" for name in ("following_url", "gists_url", "starred_url", "events_url")}
        return {"login": "robot", "id": 1, "node_id": "x", "gravatar_id": "", "type": "Bot", "site_admin": False, **urls, **texts}

    def described_asset(self, asset: dict) -> dict:
        where = f"{self.url}/repos/{NAME}/releases/assets/{asset['id']}"
        public = f"{self.url}/storage/{asset['id']}/{urllib.parse.quote(asset['name'])}"
        shown = dict(asset)
        if not self.digests:
            shown["digest"] = None
        return {**shown, "url": where, "browser_download_url": public, "node_id": "x", "label": None,
                "download_count": 0, "created_at": TIME, "updated_at": TIME, "uploader": self.person(),
                "content_type": "application/octet-stream"}

    def described(self, release: dict) -> dict:
        base = f"{self.url}/repos/{NAME}/releases/{release['id']}"
        shown = {key: value for key, value in release.items() if key != "make_latest"}
        return {**shown, "url": base, "html_url": base, "assets_url": f"{base}/assets",
                "upload_url": (self.upload_url or f"{base}/assets") + "{?name,label}",
                "tarball_url": None, "zipball_url": None, "node_id": "x", "created_at": TIME,
                "published_at": None if release["draft"] else TIME, "author": self.person(),
                "assets": [self.described_asset(asset) for asset in release["assets"]],
                "immutable": self.immutable and not release["draft"]}

    def release(self, number: str | int) -> dict:
        for release in self.releases:
            if release["id"] == int(number):
                return release
        raise Refused(404, "Not Found")

    def files(self, tag: str) -> dict[str, bytes]:
        """The complete assets of the one published release of a tag."""
        found = [each for each in self.releases if each["tag_name"] == tag and not each["draft"]]
        assert len(found) == 1, found
        assert all(asset["state"] == "uploaded" for asset in found[0]["assets"])
        return {asset["name"]: self.contents[asset["id"]] for asset in found[0]["assets"]}

    def add_release(self, tag: str, draft: bool = True, **files: bytes) -> dict:
        release = {"id": self.new_id(), "tag_name": tag, "target_commitish": "main", "name": tag, "body": "By hand.",
                   "draft": draft, "prerelease": False, "assets": []}
        self.releases.insert(0, release)
        for name, data in files.items():
            self.add_asset(release, name, data)
        return release

    def add_asset(self, release: dict, name: str, data: bytes, state: str = "uploaded") -> dict:
        asset = {"id": self.new_id(), "name": name, "state": state, "size": len(data),
                 "digest": "sha256:" + hashlib.sha256(data).hexdigest()}
        release["assets"].append(asset)
        self.contents[asset["id"]] = data
        return asset

    def add_comment(self, number: int, body: str, kind: str = "Bot") -> dict:
        comment = {"id": self.new_id(), "number": number, "body": body, "kind": kind}
        self.comments.append(comment)
        return comment

    def described_comment(self, comment: dict) -> dict:
        where = f"{self.url}/repos/{NAME}/issues/comments/{comment['id']}"
        return {"id": comment["id"], "node_id": "x", "url": where, "html_url": where, "body": comment["body"],
                "user": {**self.person(), "type": comment["kind"]}, "created_at": TIME, "updated_at": TIME,
                "issue_url": f"{self.url}/repos/{NAME}/issues/{comment['number']}", "author_association": "NONE",
                "performed_via_github_app": None}

    # Operations: each returns a status and a body, or raises `Refused`.

    def get_repository(self, **_) -> tuple[int, object]:
        permissions = {} if self.push is None else {"permissions": {"admin": False, "push": self.push, "pull": True}}
        return 200, {"id": 7, **permissions}

    def get_ref(self, ref: str, **_) -> tuple[int, object]:
        tag = ref.removeprefix("tags/")
        if tag not in self.tags:
            raise Refused(404, "Not Found")
        return 200, self.reference(tag, "tag" if self.tags[tag] in self.tag_objects else "commit")

    def reference(self, tag: str, kind: str) -> dict:
        where = f"{self.url}/repos/{NAME}/git"
        return {"ref": f"refs/tags/{tag}", "node_id": "x", "url": f"{where}/refs/tags/{tag}",
                "object": {"type": kind, "sha": self.tags[tag], "url": f"{where}/{kind}s/{self.tags[tag]}"}}

    def get_tag_object(self, tag_sha: str, **_) -> tuple[int, object]:
        commit, where = self.tag_objects[tag_sha], f"{self.url}/repos/{NAME}/git"
        return 200, {"node_id": "x", "tag": "v", "sha": tag_sha, "url": f"{where}/tags/{tag_sha}", "message": "m",
                     "tagger": {"date": TIME, "email": "t@example.org", "name": "t"},
                     "object": {"type": "commit", "sha": commit, "url": f"{where}/commits/{commit}"}}

    def create_ref(self, body: bytes, **_) -> tuple[int, object]:
        asked = json.loads(body)
        tag = asked["ref"].removeprefix("refs/tags/")
        if tag in self.tags:
            raise Refused(422, "Reference already exists")
        self.tags[tag] = asked["sha"]
        self.done.append(f"tag {tag}")
        return 201, self.reference(tag, "commit")

    def list_releases(self, per_page: str = "30", page: str = "1", **_) -> tuple[int, object]:
        start = (int(page) - 1) * int(per_page)
        return 200, [self.described(each) for each in self.releases[start:start + int(per_page)]]

    def get_release(self, tag: str, **_) -> tuple[int, object]:
        for release in self.releases:
            if release["tag_name"] == tag and not release["draft"]:
                return 200, self.described(release)
        raise Refused(404, "Not Found")

    def create_release(self, body: bytes, **_) -> tuple[int, object]:
        asked = json.loads(body)
        assert asked["draft"] is True, "a release is published only when it is complete"
        release = {"id": self.new_id(), **asked, "assets": []}
        self.releases.insert(0, release)
        self.done.append(f"draft {release['tag_name']}")
        return 201, self.described(release)

    def update_release(self, release_id: str, body: bytes, **_) -> tuple[int, object]:
        release = self.release(release_id)
        if not release["draft"] and self.immutable:
            raise Refused(422, "Cannot change an immutable release")
        asked = json.loads(body)
        others = [each for each in self.releases if each is not release and not each["draft"]]
        if any(each["tag_name"] == asked["tag_name"] for each in others):
            raise Refused(422, "Validation Failed", {"resource": "Release", "field": "tag_name", "code": "already_exists"})
        release.update(asked)
        if not release["draft"]:
            self.tags.setdefault(release["tag_name"], "0" * 40)
            self.done.append(f"publish {release['tag_name']}")
        return 200, self.described(release)

    def list_assets(self, release_id: str, per_page: str = "30", page: str = "1", **_) -> tuple[int, object]:
        start = (int(page) - 1) * int(per_page)
        assets = self.release(release_id)["assets"][start:start + int(per_page)]
        return 200, [self.described_asset(each) for each in assets]

    def check_changeable(self, release: dict) -> None:
        if self.immutable and not release["draft"]:
            raise Refused(422, "Cannot change an immutable release")

    def upload(self, release_id: str, name: str, body: bytes, **_) -> tuple[int, object]:
        release = self.release(release_id)
        self.check_changeable(release)
        if any(asset["name"] == name for asset in release["assets"]):
            raise Refused(422, "Validation Failed", {"resource": "ReleaseAsset", "code": "already_exists", "field": "name"})
        asset = self.add_asset(release, name, body)
        self.done.append(f"upload {name}")
        return 201, self.described_asset(asset)

    def get_asset(self, asset_id: str, **_) -> tuple[int, object]:
        return 302, f"{self.url}/storage/{asset_id}"

    def delete_asset(self, asset_id: str, **_) -> tuple[int, object]:
        for release in self.releases:
            for asset in release["assets"]:
                if asset["id"] == int(asset_id):
                    self.check_changeable(release)
                    release["assets"].remove(asset)
                    self.done.append(f"delete {asset['name']}")
                    return 204, None
        raise Refused(404, "Not Found")

    def list_comments(self, issue_number: str, per_page: str = "30", page: str = "1", **_) -> tuple[int, object]:
        start = (int(page) - 1) * int(per_page)
        comments = [each for each in self.comments if each["number"] == int(issue_number)]
        return 200, [self.described_comment(each) for each in comments[start:start + int(per_page)]]

    def create_comment(self, issue_number: str, body: bytes, **_) -> tuple[int, object]:
        comment = self.add_comment(int(issue_number), json.loads(body)["body"])
        self.done.append(f"comment {issue_number}")
        return 201, self.described_comment(comment)

    def update_comment(self, comment_id: str, body: bytes, **_) -> tuple[int, object]:
        for comment in self.comments:
            if comment["id"] == int(comment_id):
                comment["body"] = json.loads(body)["body"]
                self.done.append(f"change comment {comment['number']}")
                return 200, self.described_comment(comment)
        raise Refused(404, "Not Found")


REPOSITORY = "/repos/{owner}/{repo}"
OPERATIONS = {
    f"get {REPOSITORY}": GitHub.get_repository,
    f"get {REPOSITORY}/git/ref/{{ref}}": GitHub.get_ref,
    f"get {REPOSITORY}/git/tags/{{tag_sha}}": GitHub.get_tag_object,
    f"post {REPOSITORY}/git/refs": GitHub.create_ref,
    f"get {REPOSITORY}/releases": GitHub.list_releases,
    f"post {REPOSITORY}/releases": GitHub.create_release,
    f"get {REPOSITORY}/releases/tags/{{tag}}": GitHub.get_release,
    f"patch {REPOSITORY}/releases/{{release_id}}": GitHub.update_release,
    f"get {REPOSITORY}/releases/{{release_id}}/assets": GitHub.list_assets,
    f"post {REPOSITORY}/releases/{{release_id}}/assets": GitHub.upload,
    f"get {REPOSITORY}/releases/assets/{{asset_id}}": GitHub.get_asset,
    f"delete {REPOSITORY}/releases/assets/{{asset_id}}": GitHub.delete_asset,
    f"get {REPOSITORY}/issues/{{issue_number}}/comments": GitHub.list_comments,
    f"post {REPOSITORY}/issues/{{issue_number}}/comments": GitHub.create_comment,
    f"patch {REPOSITORY}/issues/comments/{{comment_id}}": GitHub.update_comment,
}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    github: GitHub

    def log_message(self, *_) -> None:
        pass

    def answer(self, status: int, body: object, **headers: str) -> None:
        data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        if status == 302:
            self.send_header("Location", str(body))
            data = b""
        if data:
            self.send_header("Content-Type", "application/json; charset=utf-8")
        if status != 204:
            self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def refuse(self, status: int, message: str, errors=(), **headers: str) -> None:
        body = {"message": message, "documentation_url": "https://docs.github.com/rest", "status": str(status)}
        self.answer(status, {**body, **({"errors": list(errors)} if errors else {})}, **headers)

    def next_fault(self, request: str) -> object:
        for beginning, steps in self.github.faults.items():
            if request.startswith(beginning) and steps:
                return steps.pop(0)
        return None

    def handle_request(self) -> None:
        github = self.github
        address = urllib.parse.urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if address.path.startswith("/storage/"):
            assert "Authorization" not in self.headers, "the storage needs no token"
            return self.answer(200, github.contents[int(address.path.split("/")[2])])
        request = f"{self.command} {address.path.removeprefix(f'/repos/{NAME}')}"
        with github.lock:
            github.asked.append(request)
            number = len(github.asked)
        github.before(number)
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            return self.refuse(401, "Bad credentials")
        fault = self.next_fault(request)
        if isinstance(fault, tuple):
            status, headers = fault
            return self.refuse(status, "Try again", **headers)
        with github.lock:
            status, reply, errors = self.perform(address, body, cut=fault == "cut")
        github.after(number)
        if fault in ("lost", "cut"):
            self.close_connection = True
            return self.connection.close()
        if isinstance(reply, Refused):
            return self.refuse(status, str(reply), errors)
        self.answer(status, reply)

    def perform(self, address, body: bytes, cut: bool) -> tuple[int, object, list]:
        """What the operation answers; both it and the request are checked."""
        github = self.github
        try:
            key, path = github.description.find(self.command, address.path)
            query = dict(urllib.parse.parse_qsl(address.query, strict_parsing=bool(address.query)))
            github.description.check_request(key, path, query, self.headers, body)
            assert self.headers.get("User-Agent"), "GitHub refuses requests without one"
            assert (path.pop("owner"), path.pop("repo")) == tuple(NAME.split("/"))
            if cut:
                release = github.release(path["release_id"])
                github.add_asset(release, query["name"], body[: len(body) // 2], state="open")
                return 0, None, []
            more = {} if self.command in ("GET", "DELETE") else {"body": body}
            try:
                status, reply = OPERATIONS[key](github, **path, **query, **more)
                errors = []
                described = None if status == 302 else reply
            except Refused as refused:
                status, reply, errors = refused.status, refused, refused.errors
                described = {"message": str(refused), "documentation_url": "https://docs.github.com/rest", "errors": errors}
            # Of the repository only what pinwheel reads is there.
            if key != f"get {REPOSITORY}":
                github.description.check_reply(key, status, described)
        except (Undescribed, AssertionError, KeyError, TypeError) as error:
            github.wrong.append(f"{self.command} {self.path}: {type(error).__name__}: {error}")
            return 500, Refused(500, "wrong request"), []
        return status, reply, errors

    def do(self) -> None:
        with contextlib.suppress(OSError):  # a client that was killed
            self.handle_request()

    do_GET = do_HEAD = do_POST = do_PATCH = do_DELETE = do


@contextlib.contextmanager
def github_server() -> Iterator[GitHub]:
    github = GitHub()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("GitHubHandler", (Handler,), {"github": github}))
    server.daemon_threads = True
    github.url = f"http://127.0.0.1:{server.server_port}"
    with running(server):
        yield github
    assert github.wrong == []
