"""A Sigstore on loopback that signs for tests, made of npm's `@sigstore/mock`."""

import contextlib
import os
import pathlib
import subprocess
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass

from shared_cache import node_modules

PACKAGE = "@sigstore/mock@0.13.0"
SERVER = pathlib.Path(__file__).parents[1] / "fakes" / "sigstore_server.js"


@dataclass(frozen=True)
class Sigstore:
    """`trust` is its client trust configuration."""

    url: str
    trust: pathlib.Path

    def fail(self, answers: int) -> None:
        """The next `answers` requests are answered by 503."""
        urllib.request.urlopen(f"{self.url}/break/{answers}", timeout=60).close()

    def hold(self) -> None:
        """No later request is answered."""
        urllib.request.urlopen(f"{self.url}/hold", timeout=60).close()

    def held(self) -> int:
        """How many requests have no answer."""
        with urllib.request.urlopen(f"{self.url}/held", timeout=60) as reply:
            return int(reply.read())


@contextlib.contextmanager
def sigstore_server(directory: pathlib.Path) -> Iterator[Sigstore]:
    trust = directory / "sigstore.json"
    environment = {**os.environ, "NODE_PATH": str(node_modules("sigstore-mock", PACKAGE))}
    with subprocess.Popen(
        ["node", str(SERVER), str(trust)], env=environment, stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            address = server.stdout.readline().strip()
            assert address.startswith("http://127.0.0.1:"), "the server of Sigstore did not start"
            yield Sigstore(address, trust)
        finally:
            server.terminate()
