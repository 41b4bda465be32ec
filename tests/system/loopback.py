"""Web servers for one test."""

import contextlib
import http.server
import socketserver
import threading
from collections.abc import Iterator


@contextlib.contextmanager
def running(server: socketserver.BaseServer) -> Iterator[None]:
    """The server answers on its own thread, and is closed at the end."""
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextlib.contextmanager
def serving(handler) -> Iterator[str]:
    """The URL, without a slash at its end, of a server on a free port of loopback whose requests `handler` answers: a
    class like `http.server.BaseHTTPRequestHandler`."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    with running(server):
        yield f"http://127.0.0.1:{server.server_port}"
