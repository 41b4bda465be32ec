"""A collector of OpenTelemetry on loopback that reads requests as OpenTelemetry's own protocol buffers."""

import base64
import contextlib
import gzip
import http.server
import json
import threading
from collections.abc import Iterator

from google.protobuf import json_format
from loopback import serving
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

IDS = {"traceId": 32, "spanId": 16, "parentSpanId": 16}


def decoded(document: bytes) -> ExportTraceServiceRequest:
    """The request. OTLP writes ids as hex digits, where the JSON of protocol buffers has base64; unknown names and
    wrong types are errors."""
    request = json.loads(document)
    for resource in request["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            for span in scope["spans"]:
                for one in [span, *span.get("links", [])]:
                    for name, digits in IDS.items():
                        if name not in one:
                            continue
                        assert len(one[name]) == digits and one[name] == one[name].lower()
                        one[name] = base64.b64encode(bytes.fromhex(one[name])).decode()
    return json_format.ParseDict(request, ExportTraceServiceRequest())


class Collector:
    """The requests so far."""

    def __init__(self) -> None:
        self.url = ""
        self.headers: list[dict[str, str]] = []
        self.bodies: list[bytes] = []
        # The answers, of which the last one stays: status, headers, body.
        self.answers: list[tuple[int, dict[str, str], bytes]] = [(200, {}, b"{}")]
        self.hangs = threading.Event()
        self.ended = threading.Event()

    def requests(self) -> list[ExportTraceServiceRequest]:
        return [decoded(body) for body in self.bodies]

    def spans(self) -> list:
        return [
            span
            for request in self.requests()
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    def span(self, name: str):
        (found,) = [span for span in self.spans() if span.name == name]
        return found

    def children(self, parent) -> list:
        return [span for span in self.spans() if span.parent_span_id == parent.span_id]


def attributes(thing) -> dict[str, object]:
    """The attributes of a span, an event, a link or a resource."""
    values: dict[str, object] = {}
    for attribute in thing.attributes:
        kind = attribute.value.WhichOneof("value")
        assert kind in ("string_value", "int_value", "array_value")
        assert attribute.key not in values
        values[attribute.key] = getattr(attribute.value, kind)
    return values


@contextlib.contextmanager
def collecting() -> Iterator[Collector]:
    collector = Collector()

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            assert self.headers["Content-Type"] == "application/json"
            collector.headers.append({name.lower(): value for name, value in self.headers.items()} | {"": self.path})
            collector.bodies.append(body)
            if collector.hangs.is_set():
                collector.ended.wait(300)
                return
            status, headers, answer = collector.answers[0]
            if len(collector.answers) > 1:
                collector.answers.pop(0)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

    with serving(Handler) as url:
        collector.url = url
        try:
            yield collector
        finally:
            collector.ended.set()
