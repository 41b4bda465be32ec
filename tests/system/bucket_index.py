"""An index in a bucket: what it has, and a web site that serves it."""

import contextlib
import hashlib
import http.server
import json
from collections.abc import Iterator
from urllib.parse import unquote, urljoin

from loopback import serving
from s3_faults import Fault, Proxy, failing
from s3_server import BUCKET, bucket_client, s3_server

STATE = ".pinwheel/index.json"


class BucketIndex:
    """An index below `prefix`, which publishers reach through a proxy."""

    def __init__(self, variables: dict[str, str], proxy: Proxy, prefix: str):
        self.variables = variables | {"AWS_ENDPOINT_URL_S3": proxy.url}
        self.proxy = proxy
        self.prefix = prefix
        self.url = f"s3://{BUCKET}/{prefix}"
        self.target = {"kind": "s3", "bucket": self.url, "label": "local"}
        self.client = bucket_client(variables)

    def at(self, prefix: str) -> "BucketIndex":
        """Another index in the bucket."""
        return BucketIndex(self.variables | {"AWS_ENDPOINT_URL_S3": self.client.meta.endpoint_url}, self.proxy, prefix)

    def paths(self) -> list[str]:
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=f"{self.prefix}/")
        return [found["Key"].removeprefix(f"{self.prefix}/") for page in pages for found in page.get("Contents", [])]

    def get(self, path: str) -> bytes:
        return self.client.get_object(Bucket=BUCKET, Key=f"{self.prefix}/{path}")["Body"].read()

    def head(self, path: str) -> dict:
        return self.client.head_object(Bucket=BUCKET, Key=f"{self.prefix}/{path}")

    def put(self, path: str, content: bytes) -> None:
        self.client.put_object(Bucket=BUCKET, Key=f"{self.prefix}/{path}", Body=content)

    def clear(self) -> None:
        for path in self.paths():
            self.client.delete_object(Bucket=BUCKET, Key=f"{self.prefix}/{path}")

    def contents(self) -> dict[str, bytes]:
        return {path: self.get(path) for path in self.paths()}

    def listed(self) -> dict[str, str]:
        """The digests of the files that pages list, by name. Each is at its address, and a wheel with its metadata."""
        files = {}
        for path in self.paths():
            if not path.endswith("/index.json") or path == STATE:
                continue
            # The page of a sub-index has only projects.
            for file in json.loads(self.get(path)).get("files", []):
                digest = file["hashes"]["sha256"]
                home = unquote(urljoin(f"http://any/{path}", file["url"]).removeprefix("http://any/"))
                assert hashlib.sha256(self.get(home)).hexdigest() == digest
                if file["filename"].endswith(".whl"):
                    metadata = hashlib.sha256(self.get(f"{home}.metadata")).hexdigest()
                    assert file["core-metadata"]["sha256"] == metadata
                assert files.setdefault(file["filename"], digest) == digest
        return files

    @contextlib.contextmanager
    def site(self) -> Iterator[str]:
        """The URL of the index as the web site of the bucket has it: a directory is its `index.html`."""
        index = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_: object) -> None:
                pass

            def do_GET(self) -> None:
                path = unquote(self.path.partition("?")[0].removeprefix("/"))
                path += "index.html" if path.endswith("/") or not path else ""
                try:
                    found = index.client.get_object(Bucket=BUCKET, Key=f"{index.prefix}/{path}")
                except index.client.exceptions.NoSuchKey:
                    self.send_error(404)
                    return
                body = found["Body"].read()
                self.send_response(200)
                self.send_header("Content-Type", found["ContentType"])
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

            do_HEAD = do_GET

        with serving(Handler) as url:
            yield url + "/"


@contextlib.contextmanager
def bucket_index(*faults: Fault) -> Iterator[BucketIndex]:
    with s3_server() as variables, failing(variables["AWS_ENDPOINT_URL_S3"], *faults) as proxy:
        yield BucketIndex(variables, proxy, "whl")
