"""A package index for tests that misbehaves on demand.

    python index_server.py [--plan STEP,STEP,...] [--token TOKEN] [--hash sha256|md5|none] [--json]
                           [--stale N] [--echo-token] [--hold FILE...] [--no-ranges] [--private]

It listens on a free port of 127.0.0.1, prints `PORT <n>` and serves until its standard input ends,
so it dies with the test that started it. Each upload uses the next step of the plan; when none is
left, uploads are accepted:

    ok               accept the file (the same bytes again: 200, different bytes: 400, as PyPI does)
    <status>         read the body, answer with that status, store nothing
    echo-<status>    the same, with the received credentials in the answer
    early-<status>   answer before reading the body, close
    malformed        read the body, store nothing, answer what is not HTTP
    headers          read the body, store nothing, answer with headers of 20 MB
    many-headers     read the body, store nothing, answer with headers without end
    endless          accept the file, answer with a body without end
    trickle          accept the file, answer a byte every tenth of a second
    cut              close the connection in the middle of the body
    lost             accept the file, close the connection without an answer
    lost-<status>    accept the file, answer with that status
    login            answer 200 with a page for people, store nothing
    slow             accept the file after a second
    hang             read the body and never answer
    redirect         308 to /moved/

GET /simple/<name>/ lists the stored files; GET /files/<filename> returns one, or a range of it;
GET /log returns each upload as JSON, with its fields in order; GET /endless and /trickle answer as the
steps do, and GET /terabyte the same way as /trickle with a declared length of 1 TB, and HEAD declares it too; GET /connections returns the number of connections, GET /pages-read that of the pages that
were read. `--stale N` hides new files from the first N page reads; `--slow-after N` answers later ones
a byte every tenth of a second; `--hold` stores files from the start; `--no-ranges` ignores range
requests; `--private` gives pages and files only for the token.
"""

import argparse
import contextlib
import email.parser
import email.policy
import hashlib
import html
import json
import pathlib
import re
import socket
import sys
import threading
import time
from base64 import b64encode
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def parse_multipart(content_type, body):
    head = b"MIME-Version: 1.0\r\nContent-Type: " + content_type.encode() + b"\r\n\r\n"
    message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + body)
    fields, files = [], {}
    for part in message.iter_parts():
        name = part.get_param("name", header="content-disposition")
        payload = part.get_payload(decode=True)
        filename = part.get_filename()
        if filename is None:
            fields.append([name, payload.decode("utf-8")])
        else:
            fields.append([name, {"filename": filename, "type": part.get_content_type(),
                                  "sha256": hashlib.sha256(payload).hexdigest()}])
            files[name] = (filename, payload)
    return fields, files


class Index(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, options):
        super().__init__(("127.0.0.1", 0), Handler)
        self.options = options
        self.steps = [step for step in options.plan.split(",") if step]
        self.held = {}
        self.log = []
        for path in map(pathlib.Path, options.hold):
            self.held[path.name] = path.read_bytes()
        self.page_reads = 0
        self.connections = 0
        self.lock = threading.Lock()

    def get_request(self):
        self.connections += 1
        return super().get_request()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def answer(self, status, body=b"", content_type="text/plain", reason=None, headers=()):
        if isinstance(body, str):
            body = body.encode()
        self.send_response(status, reason)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def hang_up(self):
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def misbehave(self, step):
        line = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
        head = line + b"\r\n"
        if step == "endless":
            self.send_without_end(head, b"<a href=x>" * 10_000, 0)
        elif step == "terabyte":
            self.send_without_end(line + b"Content-Length: 1000000000000\r\n\r\n", b"x", 0.1)
        else:
            self.send_without_end(head, b"x", 0.1)

    def send_without_end(self, head, piece, pause):
        """Until the client goes, or for a minute."""
        self.close_connection = True
        end = time.monotonic() + 60
        with contextlib.suppress(OSError):
            self.wfile.write(head)
            while time.monotonic() < end:
                self.wfile.write(piece)
                time.sleep(pause)

    # Reading

    def do_GET(self):
        readable = not self.server.options.private or self.authorized()
        if not readable and self.path.startswith(("/simple/", "/files/")):
            self.answer(401, reason="Unauthorized")
        elif self.path == "/log":
            self.answer(200, json.dumps(self.server.log), "application/json")
        elif self.path.startswith("/files/"):
            self.give_file(self.server.held.get(self.path[len("/files/"):].replace("%2B", "+")))
        elif self.path in ("/endless", "/trickle", "/terabyte"):
            self.misbehave(self.path[1:])
        elif self.path == "/pages-read":
            self.answer(200, str(self.server.page_reads))
        elif self.path == "/connections":
            self.answer(200, str(self.server.connections))
        elif match := re.fullmatch(r"/simple/([a-z0-9-]+)/", self.path):
            self.project_page(match[1])
        else:
            self.answer(404)

    def do_HEAD(self):
        self.send_response(200)
        self.send_header("Content-Length", "1000000000000")
        self.end_headers()

    def give_file(self, content):
        asked = re.fullmatch(r"bytes=(\d*)-(\d+)", self.headers.get("Range", ""))
        if content is None:
            self.answer(404)
        elif not asked or self.server.options.no_ranges:
            self.answer(200, content)
        else:
            first, last = int(asked[1] or -1), min(int(asked[2]), len(content) - 1)
            if first < 0:
                first, last = max(0, len(content) - int(asked[2])), len(content) - 1
            self.answer(206, content[first:last + 1],
                        headers=[("Content-Range", f"bytes {first}-{last}/{len(content)}")])

    def project_page(self, name):
        with self.server.lock:
            self.server.page_reads += 1
            held = dict(self.server.held)
            slow = self.server.page_reads > self.server.options.slow_after
            if self.server.page_reads <= self.server.options.stale:
                held = {}
        if slow:
            self.misbehave("trickle")
            return
        held = {filename: content for filename, content in held.items()
                if re.sub(r"[-_.]+", "-", filename.split("-")[0]).lower() == name}
        if not held:
            self.answer(404)
            return
        algorithm = self.server.options.hash
        digests = {filename: {} if algorithm == "none"
                   else {algorithm: hashlib.new(algorithm, content).hexdigest()}
                   for filename, content in held.items()}
        if self.server.options.json:
            files = [{"filename": filename, "url": "../../files/" + filename.replace("+", "%2B"),
                      "hashes": digests[filename]} for filename in sorted(held)]
            page = {"meta": {"api-version": "1.1"}, "name": name, "files": files}
            self.answer(200, json.dumps(page), "application/vnd.pypi.simple.v1+json")
            return
        lines = []
        for filename in sorted(held):
            fragment = "".join(f"#{key}={value}" for key, value in digests[filename].items())
            href = "../../files/" + filename.replace("+", "%2B") + fragment
            lines.append(f'<a href="{html.escape(href)}">{html.escape(filename)}</a>')
        self.answer(200, "<!DOCTYPE html>" + "\n".join(lines), "text/html")

    # Uploading

    def authorized(self):
        token = self.server.options.token
        expected = "Basic " + b64encode(f"__token__:{token}".encode()).decode()
        return not token or self.headers.get("Authorization") == expected

    def refuse_token(self, status=403):
        output = "Invalid or non-existent authentication information."
        if self.server.options.echo_token:
            output += " Got " + self.headers.get("Authorization", "")
            output += " for " + self.server.options.echo_token
        self.answer(status, output, reason=output)

    def do_POST(self):
        with self.server.lock:
            step = self.server.steps.pop(0) if self.server.steps else "ok"
        length = int(self.headers["Content-Length"])
        if step.startswith("early-"):
            self.answer(int(step[len("early-"):]), "early", headers=[("Connection", "close")])
            self.close_connection = True
            return
        if step == "cut":
            self.rfile.read(min(length // 2, 65536))
            self.note(step, [])
            self.hang_up()
            return
        body = self.rfile.read(length)
        if len(body) < length:  # the client gave up
            self.close_connection = True
            return
        fields, files = parse_multipart(self.headers["Content-Type"], body)
        self.note(step, fields)
        if step.startswith("echo-"):
            self.refuse_token(int(step[len("echo-"):]))
        elif not self.authorized():
            self.refuse_token()
        elif step == "hang":
            time.sleep(60)
            self.hang_up()
        elif step == "malformed":
            self.wfile.write(b"\x00\x01 hello\r\n\r\n")
            self.close_connection = True
        elif step == "headers":
            with contextlib.suppress(OSError):
                self.wfile.write(b"HTTP/1.1 200 OK\r\n" + b"X-A: " + b"a" * 20_000_000 + b"\r\n\r\n")
            self.close_connection = True
        elif step == "many-headers":
            self.send_without_end(b"HTTP/1.1 200 OK\r\n", b"X-A: a\r\n" * 10_000, 0)
        elif step == "login":
            self.answer(200, "<!DOCTYPE html><title>Sign in</title>", "text/html")
        elif step == "redirect":
            self.answer(308, headers=[("Location", "/moved/")])
        elif step.isdigit():
            headers = [("Retry-After", "1")] if step in ("429", "503") else []
            self.answer(int(step), json.dumps({"message": f"planned {step}", "code": step}),
                        "application/json", headers=headers)
        else:
            self.take(step, files["content"])

    def take(self, step, file):
        filename, content = file
        if step == "slow":
            time.sleep(1)
        with self.server.lock:
            held = self.server.held.get(filename)
            if held is None:
                self.server.held[filename] = content
        if step in ("endless", "trickle"):
            self.misbehave(step)
        elif step == "lost":
            self.hang_up()
        elif step.startswith("lost-"):
            self.answer(int(step[len("lost-"):]), "")
        elif held is not None and held != content:
            self.answer(400, "", reason=f"File already exists ('{filename}').")
        else:
            self.answer(200, "")

    def note(self, step, fields):
        with self.server.lock:
            self.server.log.append({"step": step, "fields": fields,
                                    "agent": self.headers.get("User-Agent"),
                                    "length": int(self.headers["Content-Length"])})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plan", default="")
    parser.add_argument("--token", default="")
    parser.add_argument("--hash", default="sha256", choices=["sha256", "md5", "none"])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--stale", type=int, default=0)
    parser.add_argument("--slow-after", type=int, default=1_000_000)
    parser.add_argument("--echo-token", default="")
    parser.add_argument("--hold", nargs="*", default=[])
    parser.add_argument("--no-ranges", action="store_true")
    parser.add_argument("--private", action="store_true")
    server = Index(parser.parse_args())
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print("PORT", server.server_address[1], flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
