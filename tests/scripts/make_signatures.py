"""Writes tests/data/store/signatures.json: requests of S3 and STS as botocore signs them.

make_signatures.py [--check]     # needs botocore; --check compares instead
"""

import datetime
import hashlib
import json
import pathlib
import sys
from unittest import mock
from urllib.parse import urlsplit

import botocore.auth
import botocore.session
from botocore.awsrequest import AWSRequest
from botocore.config import Config
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

# Name, endpoint, style, region
ENDPOINTS = [
    ("aws", "", "virtual", "eu-west-1"),
    ("own", "http://minio:9000", "path", "us-east-1"),
    ("http-port", "http://127.0.0.1:80", "path", "us-east-1"),
    ("https-port", "https://minio:443", "path", "us-east-1"),
    ("https-port-virtual", "https://minio:443", "virtual", "us-east-1"),
    ("other-port", "http://minio:443", "path", "us-east-1"),
    ("like-a-port", "http://minio:8080", "path", "us-east-1"),
    ("ipv6", "http://[::1]:80", "path", "us-east-1"),
    ("path", "http://127.0.0.1:18080/storage/v1/s3", "path", "us-east-1"),
    ("path-slash", "https://h/storage/v1/s3/", "path", "us-east-1"),
    ("path-virtual", "https://h/storage/v1/s3", "virtual", "us-east-1"),
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


def addressed(endpoint: str, style: str, region: str) -> dict:
    """Where an object is, and the signature of a request for it."""
    client = botocore.session.get_session().create_client(
        "s3",
        region_name=region,
        endpoint_url=endpoint or None,
        aws_access_key_id=ID,
        aws_secret_access_key=SECRET,
        config=Config(signature_version="s3v4", s3={"addressing_style": style}),
    )
    url, _, _ = client.generate_presigned_url("get_object", {"Bucket": "bucket", "Key": "a b/c+d"}).partition("?")
    # Without a Host, which is then that of the request that is sent.
    request = AWSRequest(method="GET", url=url)
    auth = botocore.auth.S3SigV4Auth(Credentials(ID, SECRET), "s3", region)
    with (
        mock.patch("botocore.auth.get_current_datetime", lambda: NOW),
        mock.patch.object(auth, "payload", lambda _: EMPTY),
    ):
        auth.add_auth(request)
    return {
        "path": urlsplit(url).path,
        "host": botocore.auth._host_from_url(url),
        "authorization": request.headers["Authorization"],
    }


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
    endpoints = [
        {"name": name, "endpoint": endpoint, "style": style, "region": region, **addressed(endpoint, style, region)}
        for name, endpoint, style, region in ENDPOINTS
    ]
    data = {
        "id": ID,
        "secret": SECRET,
        "now": int(NOW.timestamp()),
        "requests": out,
        "endpoints": endpoints,
    }
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def main() -> int:
    if "--check" in sys.argv:
        return 0 if FILE.read_text() == make() else 1
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_text(make())
    return 0


if __name__ == "__main__":
    sys.exit(main())
