"""Writes tests/data/store/signatures.json: requests of S3 and STS as botocore signs them.

make_signatures.py [--check]     # needs botocore; --check compares instead
"""

import datetime
import hashlib
import json
import pathlib
import sys
from unittest import mock

import botocore.auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

FILE = pathlib.Path(__file__).parents[1] / "data/store/signatures.json"
NOW = datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.UTC)
ID = "AKIDEXAMPLE"
SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
EMPTY = hashlib.sha256(b"").hexdigest()
BODY = hashlib.sha256(b"body").hexdigest()

# Name, method, host, path, query, headers, payload, token, region
REQUESTS = [
    (
        "get",
        "GET",
        "bucket.s3.us-east-1.amazonaws.com",
        "/cas/abc",
        [],
        [],
        EMPTY,
        "",
        "us-east-1",
    ),
    (
        "head",
        "HEAD",
        "127.0.0.1:9000",
        "/bucket/pre/cas/abc",
        [],
        [],
        EMPTY,
        "",
        "eu-west-3",
    ),
    ("put", "PUT", "h", "/b/k", [], [("If-None-Match", "*")], BODY, "", "us-east-1"),
    ("space", "PUT", "h", "/b/a b  c/d", [], [], BODY, "", "us-east-1"),
    ("plus", "GET", "h", "/b/a+b=c&d/~e_f-g.h", [], [], EMPTY, "", "us-east-1"),
    ("percent", "GET", "h", "/b/100%/%20", [], [], EMPTY, "", "us-east-1"),
    ("dots", "GET", "h", "/b//a/./c", [], [], EMPTY, "", "us-east-1"),
    ("utf-8", "GET", "h", "/b/naïve/日本", [], [], EMPTY, "", "us-east-1"),
    ("begin", "POST", "h", "/b/k", [("uploads", "")], [], EMPTY, "", "us-east-1"),
    (
        "part",
        "PUT",
        "h",
        "/b/k",
        [("uploadId", "a+b/c=="), ("partNumber", "10")],
        [],
        "UNSIGNED-PAYLOAD",
        "",
        "us-east-1",
    ),
    (
        "complete",
        "POST",
        "h",
        "/b/k",
        [("uploadId", "x y")],
        [("If-None-Match", "*")],
        BODY,
        "",
        "us-east-1",
    ),
    (
        "order",
        "GET",
        "h",
        "/",
        [("b", ""), ("a", "2"), ("a", "1"), ("A", "z"), ("a-", "")],
        [],
        EMPTY,
        "",
        "r",
    ),
    (
        "token",
        "PUT",
        "h",
        "/b/k",
        [],
        [("Content-Type", "text/plain")],
        BODY,
        "IQoJb3+/==",
        "us-gov-west-1",
    ),
    (
        "blanks",
        "GET",
        "h",
        "/b",
        [],
        [("X-Amz-Meta-A", "  a   b  ")],
        EMPTY,
        "",
        "us-east-1",
    ),
]


def quoted(text: str) -> str:
    from urllib.parse import quote

    return quote(text, safe="~")


def signed(method, host, path, query, headers, payload, token, region) -> dict:
    from urllib.parse import quote

    url = f"https://{host}{quote(path, safe='/~')}"
    if query:
        url += "?" + "&".join(f"{quoted(name)}={quoted(value)}" for name, value in query)
    request = AWSRequest(method=method, url=url, headers=dict([("Host", host), *headers]))
    auth = botocore.auth.S3SigV4Auth(Credentials(ID, SECRET, token or None), "s3", region)
    with (
        mock.patch("botocore.auth.get_current_datetime", lambda: NOW),
        mock.patch.object(auth, "payload", lambda _: payload),
    ):
        auth.add_auth(request)
    return dict(request.headers)


def make() -> str:
    out = []
    for name, *request in REQUESTS:
        result = signed(*request)
        fields = (
            "method",
            "host",
            "path",
            "query",
            "headers",
            "payload",
            "token",
            "region",
        )
        out.append(
            {
                "name": name,
                **dict(zip(fields, request)),
                "authorization": result["Authorization"],
            }
        )
    data = {"id": ID, "secret": SECRET, "now": int(NOW.timestamp()), "requests": out}
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def main() -> int:
    if "--check" in sys.argv:
        return 0 if FILE.read_text() == make() else 1
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_text(make())
    return 0


if __name__ == "__main__":
    sys.exit(main())
