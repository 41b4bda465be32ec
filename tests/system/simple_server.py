"""nginx as the server of a directory index, configured as docs/publishing.md describes it."""

import contextlib
import os
import pathlib
import re
import shutil
import subprocess
from collections.abc import Iterator

from s3_server import free_port, wait_for

PAGE = pathlib.Path("docs/publishing.md")
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
{documented}
}}
"""


def documented(index: pathlib.Path, port: int) -> str:
    """The lines of the page, with this directory, on this port of loopback."""
    (lines,) = re.findall(r"```nginx\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert lines.count("root /srv/index;") == 1
    return lines.replace("root /srv/index;", f"listen 127.0.0.1:{port};\n  root {index};")


@contextlib.contextmanager
def simple_server(index: pathlib.Path, place: pathlib.Path) -> Iterator[str]:
    """The URL of the index, which ends in a slash; `place` is the server's own directory."""
    place.mkdir(parents=True)
    port = free_port()
    user = "user root;" if os.geteuid() == 0 else ""
    configuration = place / "nginx.conf"
    configuration.write_text(CONFIGURATION.format(place=place, user=user, documented=documented(index, port)))
    program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    assert program, "nginx is not there; scripts/packages test installs it"
    server = subprocess.Popen([program, "-c", str(configuration), "-e", str(place / "error.log")])
    try:
        wait_for(port)
        yield f"http://127.0.0.1:{port}/"
    finally:
        server.terminate()
        server.wait()
