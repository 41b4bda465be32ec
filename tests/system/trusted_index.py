"""A package index for tests that issues upload tokens to jobs that it trusts, over TLS, as PyPI does, and the
service that gives a job its identity tokens."""

import base64
import contextlib
import email.parser
import email.policy
import hashlib
import hmac
import html
import http.server
import json
import os
import pathlib
import re
import secrets
import ssl
import subprocess
import threading
import time
import urllib.parse
from collections.abc import Iterator

from loopback import running

REQUEST_TOKEN = "request-canary-0123456789"
WORKFLOW = "acme/kernels/.github/workflows/release.yml@refs/tags/v1"
CLAIMS = {
    "iss": "https://token.actions.githubusercontent.com",
    "sub": "repo:acme/kernels:environment:pypi",
    "repository": "acme/kernels",
    "workflow_ref": WORKFLOW,
    "job_workflow_ref": WORKFLOW,
    "event_name": "push",
    "environment": "pypi",
}


def make_certificates(directory: pathlib.Path) -> tuple[pathlib.Path, pathlib.Path]:
    """The certificate of 127.0.0.1 with its key, and a bundle of its authority and those of the machine."""

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=directory, check=True, capture_output=True)

    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=tests authority")
    openssl("req", *key, "-keyout", "index.key", "-out", "index.csr", "-subj", "/CN=127.0.0.1")
    (directory / "extensions").write_text("subjectAltName=IP:127.0.0.1\nbasicConstraints=CA:FALSE\n")
    sign = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "extensions"]
    openssl("x509", "-req", "-in", "index.csr", "-out", "index.crt", *sign)
    server = directory / "index.pem"
    server.write_text((directory / "index.key").read_text() + (directory / "index.crt").read_text())
    bundle = directory / "bundle.pem"
    known = pathlib.Path(os.environ.get("SSL_CERT_FILE") or ssl.get_default_verify_paths().cafile or os.devnull)
    bundle.write_text((directory / "ca.pem").read_text() + known.read_text())
    return server, bundle


def encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Refused(Exception):
    def __init__(self, code: str, description: str):
        super().__init__(description)
        self.code = code


class TrustedIndex:
    """The state of the index and of the identity service. Change its attributes before a client runs."""

    def __init__(self) -> None:
        self.url = ""
        self.audience = ""  # of identity tokens; its own unless a test changes it
        self.bundle = pathlib.Path()
        self.key = secrets.token_bytes(32)
        self.claims = dict(CLAIMS)
        self.lifetime = 900.0
        self.upload_takes = 0.0
        self.judged_after: list[float] = []  # how long each upload waits until its token is judged
        self.other_project = False
        self.can_revoke = True
        self.lock = threading.Lock()
        self.used: set[str] = set()  # by the `jti` of identity tokens
        self.ends: dict[str, float] = {}  # of upload tokens
        self.identities: list[str] = []
        self.tokens: list[str] = []
        self.revoked: list[str] = []
        self.files: dict[str, bytes] = {}
        self.attestations: dict[str, list] = {}  # of each file, as they were sent
        self.uploaders: list[str] = []  # the token of each upload
        self.asked: list[str] = []

    def environment(self, **more: str) -> dict[str, str]:
        """The variables of a job on GitHub that may have an identity."""
        home = str(self.bundle.parent)
        kept = {"PATH": os.environ["PATH"], "HOME": home, "XDG_CACHE_HOME": home, "XDG_STATE_HOME": home}
        return {**kept, **self.job(), **more}

    def job(self) -> dict[str, str]:
        certificates = dict.fromkeys(("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"), str(self.bundle))
        return {
            **certificates,
            "GITHUB_ACTIONS": "true",
            "ACTIONS_ID_TOKEN_REQUEST_URL": f"{self.url}/identity?api-version=2.0",
            "ACTIONS_ID_TOKEN_REQUEST_TOKEN": REQUEST_TOKEN,
        }

    def identity(self, audience: str) -> str:
        now = int(time.time())
        claims = {**self.claims, "aud": audience, "iat": now, "exp": now + 300, "jti": secrets.token_hex(8)}
        signed = encoded(b'{"alg":"HS256"}') + "." + encoded(json.dumps(claims).encode())
        token = signed + "." + encoded(hmac.digest(self.key, signed.encode(), "sha256"))
        self.identities.append(token)
        return token

    def exchange(self, identity: str) -> dict:
        signed, _, signature = identity.rpartition(".")
        if not hmac.compare_digest(encoded(hmac.digest(self.key, signed.encode(), "sha256")), signature):
            raise Refused("invalid-token", "malformed or invalid token")
        claims = json.loads(decoded(signed.split(".")[1]))
        if claims["aud"] != self.audience or claims["exp"] < time.time():
            raise Refused("invalid-token", "malformed or invalid token")
        if claims["jti"] in self.used:
            raise Refused("invalid-reuse-token", "invalid token: already used")
        self.used.add(claims["jti"])
        if claims["event_name"] == "pull_request_target":
            why = "Publishing from a workflow invoked via 'pull_request_target' is not supported."
            raise Refused("invalid-publisher", f"valid token, but no corresponding publisher ({why})")
        if (claims["repository"], claims["job_workflow_ref"]) != (CLAIMS["repository"], CLAIMS["job_workflow_ref"]):
            why = "Publisher with matching claims was not found"
            raise Refused("invalid-publisher", f"valid token, but no corresponding publisher ({why})")
        token = "pypi-" + secrets.token_hex(16)
        self.tokens.append(token)
        self.ends[token] = time.time() + self.lifetime
        return {"success": True, "token": token, "expires": int(self.ends[token])}

    def accepts(self, authorization: str) -> str | None:
        """The upload token of a request, if it is valid."""
        user, _, token = base64.b64decode(authorization.removeprefix("Basic ")).decode().partition(":")
        valid = user == "__token__" and token not in self.revoked and self.ends.get(token, 0) > time.time()
        return token if valid else None


def form_in(content_type: str, body: bytes) -> tuple[str, bytes, list]:
    """The file of an upload, its name, and its attestations."""
    head = b"MIME-Version: 1.0\r\nContent-Type: " + content_type.encode() + b"\r\n\r\n"
    message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + body)
    parts = list(message.iter_parts())
    (file,) = [part for part in parts if part.get_filename()]
    fields = [part for part in parts if part.get_param("name", header="content-disposition") == "attestations"]
    attestations = [each for field in fields for each in json.loads(field.get_payload(decode=True))]
    return file.get_filename(), file.get_payload(decode=True), attestations


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    index: TrustedIndex

    def log_message(self, *_) -> None:
        pass

    def answer(self, status: int, body: object, content_type: str = "application/json") -> None:
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        pieces = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            pieces.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(pieces)

    def do_GET(self) -> None:
        address = urllib.parse.urlsplit(self.path)
        self.index.asked.append(address.path)
        if address.path == "/_/oidc/audience":
            self.answer(200, {"audience": self.index.audience})
        elif address.path == "/identity":
            scheme, _, token = self.headers.get("Authorization", "").partition(" ")
            if (scheme.lower(), token) != ("bearer", REQUEST_TOKEN):
                return self.answer(401, {})
            query = urllib.parse.parse_qs(address.query)
            assert query["api-version"] == ["2.0"]
            self.answer(200, {"count": 1, "value": self.index.identity(query["audience"][0])})
        elif page := re.fullmatch(r"/simple/([a-z0-9-]+)/", address.path):
            self.answer(200, self.page(page[1]), "text/html")
        else:
            self.answer(404, {})

    def page(self, project: str) -> str:
        lines = []
        for name, data in self.index.files.items():
            if re.sub(r"[-_.]+", "-", name.split("-")[0]).lower() == project:
                address = f"/files/{name}#sha256={hashlib.sha256(data).hexdigest()}"
                lines.append(f'<a href="{html.escape(address)}">{html.escape(name)}</a>')
        return "<!DOCTYPE html>\n" + "\n".join(lines)

    def do_POST(self) -> None:
        body = self.body()
        self.index.asked.append(self.path)
        with self.index.lock:
            if self.path == "/_/oidc/mint-token":
                return self.exchange(json.loads(body))
            if self.path == "/_/oidc/burn-token":
                if not self.index.can_revoke:
                    return self.answer(404, {})
                self.index.revoked.append(json.loads(body)["token"])
                return self.answer(202, {})
        self.upload(body)

    def exchange(self, body: dict) -> None:
        assert list(body) == ["token"]
        try:
            self.answer(200, self.index.exchange(body["token"]))
        except Refused as refused:
            errors = [{"code": refused.code, "description": str(refused)}]
            self.answer(422, {"message": "Token request failed", "errors": errors})

    def upload(self, body: bytes) -> None:
        if self.index.judged_after:  # as behind a proxy that takes the whole body first
            time.sleep(self.index.judged_after.pop(0))
        token = self.index.accepts(self.headers.get("Authorization", ""))
        if token is not None and self.index.other_project:
            why = "Invalid API Token: OIDC scoped token is not valid for project 'demo-ops'"
            return self.answer(403, {"message": why})
        if token is None:
            return self.answer(403, {"message": "Invalid or non-existent authentication information."})
        name, data, attestations = form_in(self.headers["Content-Type"], body)
        self.index.uploaders.append(token)
        time.sleep(self.index.upload_takes)
        self.index.files[name] = data
        self.index.attestations[name] = attestations
        self.answer(200, "", "text/plain")


class Server(http.server.ThreadingHTTPServer):
    """Shakes hands on the thread of the connection, so that no client keeps others waiting."""

    daemon_threads = True
    context: ssl.SSLContext

    def finish_request(self, request, client_address) -> None:
        with contextlib.suppress(OSError):  # a client that ends a connection
            super().finish_request(self.context.wrap_socket(request, server_side=True), client_address)


@contextlib.contextmanager
def trusted_index(directory: pathlib.Path) -> Iterator[TrustedIndex]:
    index = TrustedIndex()
    certificate, index.bundle = make_certificates(directory)
    server = Server(("127.0.0.1", 0), type("IndexHandler", (Handler,), {"index": index}))
    server.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.context.load_cert_chain(certificate)
    index.url = f"https://127.0.0.1:{server.server_port}"
    index.audience = f"127.0.0.1:{server.server_port}"
    with running(server):
        yield index
