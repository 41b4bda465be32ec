"""A real pypiserver that asks for a token."""

import contextlib
import pathlib
import wsgiref.simple_server
from collections.abc import Iterator

import pypiserver
from loopback import running


class Quiet(wsgiref.simple_server.WSGIRequestHandler):
    def log_message(self, *_):
        pass


@contextlib.contextmanager
def guarded_index(packages: pathlib.Path, token: str) -> Iterator[str]:
    """The URL, without a slash at its end, of an index on loopback that keeps its files in the directory, shows them to
    everybody and takes uploads with the token alone."""

    def known(user: str, password: str) -> bool:
        return (user, password) == ("__token__", token)

    app = pypiserver.app(roots=[packages], authenticate=["update"], auther=known, disable_fallback=True)
    server = wsgiref.simple_server.make_server("127.0.0.1", 0, app, handler_class=Quiet)
    with running(server):
        yield f"http://127.0.0.1:{server.server_port}"
