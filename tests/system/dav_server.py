"""nginx with DAV as a place of results: it takes every PUT, and compares nothing."""

import contextlib
import os
import pathlib
import shutil
import subprocess
from collections.abc import Iterator

from s3_server import free_port, wait_for

CONFIGURATION = """
daemon off;
worker_processes 1;
pid {place}/nginx.pid;
error_log {place}/error.log;
{user}
events {{ worker_connections 64; }}
http {{
    access_log {place}/access.log;
    client_body_temp_path {place}/body;
    proxy_temp_path {place}/proxy;
    fastcgi_temp_path {place}/fastcgi;
    uwsgi_temp_path {place}/uwsgi;
    scgi_temp_path {place}/scgi;
    server {{
        listen 127.0.0.1:{port};
        root {place}/files;
        client_max_body_size 0;
        location ~ "^/results/(compiler-cache/[a-z-]+/)?(ac|cas)/[0-9a-f]{{64}}$" {{
            dav_methods PUT;
            create_full_put_path on;
            dav_access user:rw group:r all:r;
            limit_except GET PUT {{ deny all; }}
        }}
        location / {{ return 404; }}
    }}
}}
"""


@contextlib.contextmanager
def dav_server(place: pathlib.Path) -> Iterator[str]:
    """The address of the place; its files are below `place`/files/results."""
    (place / "files").mkdir(parents=True)
    port = free_port()
    user = "user root;" if os.geteuid() == 0 else ""
    configuration = place / "nginx.conf"
    configuration.write_text(CONFIGURATION.format(place=place, port=port, user=user))
    program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    assert program, "nginx is not there; scripts/packages test installs it"
    server = subprocess.Popen([program, "-c", str(configuration), "-e", str(place / "error.log")])
    try:
        wait_for(port)
        yield f"http://127.0.0.1:{port}/results"
    finally:
        server.terminate()
        server.wait()
