"""A separate S3 server for a test: moto, which checks signatures and permissions."""

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

BUCKET = "results"
# A user, its keys, its policy and a bucket are made before moto asks who it is that does it.
FREE_ACTIONS = 4
POLICY = '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}'


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def wait_for(port: int) -> None:
    for _ in range(300):
        with (
            contextlib.suppress(OSError),
            socket.create_connection(("127.0.0.1", port), timeout=1),
        ):
            return
        time.sleep(0.1)
    raise TimeoutError("the S3 server does not listen")


def make_user(url: str) -> dict[str, str]:
    """The variables of a user who may do anything with the bucket."""
    import boto3

    def client(service: str):
        keys = {"aws_access_key_id": "any", "aws_secret_access_key": "any"}
        return boto3.client(service, endpoint_url=url, region_name="us-east-1", **keys)

    client("iam").create_user(UserName="runner")
    key = client("iam").create_access_key(UserName="runner")["AccessKey"]
    client("iam").put_user_policy(UserName="runner", PolicyName="all", PolicyDocument=POLICY)
    client("s3").create_bucket(Bucket=BUCKET)
    return {
        "AWS_ENDPOINT_URL_S3": url,
        "AWS_ACCESS_KEY_ID": key["AccessKeyId"],
        "AWS_SECRET_ACCESS_KEY": key["SecretAccessKey"],
        "AWS_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }


def bucket_client(variables: dict[str, str]):
    """boto3's client of S3 with the variables of `s3_server`."""
    import boto3

    return boto3.client(
        "s3",
        endpoint_url=variables["AWS_ENDPOINT_URL_S3"],
        region_name=variables["AWS_REGION"],
        aws_access_key_id=variables["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=variables["AWS_SECRET_ACCESS_KEY"],
    )


@contextlib.contextmanager
def s3_server() -> Iterator[dict[str, str]]:
    """The variables with which a client reaches the bucket."""
    port = free_port()
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        env=os.environ | {"INITIAL_NO_AUTH_ACTION_COUNT": str(FREE_ACTIONS)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(port)
        yield make_user(f"http://127.0.0.1:{port}")
    finally:
        server.terminate()
        server.wait()
