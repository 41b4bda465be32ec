"""The rules about what must be complete can fail: the keys of the schema, the ids of steps."""

import json

import schema
import step_ids


def texts(found) -> list[str]:
    return [str(finding) for finding in found]


def test_every_key_of_the_schema_is_read_where_its_mapping_is_decoded(monkeypatch):
    monkeypatch.setattr(schema, "READERS", {"": "decode", "build": "read_build read_retry", "build.retry": "read_build read_retry"})
    monkeypatch.setattr(schema, "NOT_READ", {"schema": "has one value"})
    text = {"type": "string"}
    retry = {"type": "object", "properties": {"timeout": text, "+timeout": text}}
    build = {"type": "object", "properties": {"command": text, "timeout": text, "retry": retry}}
    decoders = (
        "Done decode(const Node& root,\n            Matrix& matrix) {\n"
        '  if (member.key == "build") return {};\n}\n'
        "Retry read_retry(const Node& node) {\n"
        '  const Node& retry = *node.find("retry");\n'
        '  return {duration_or(retry, "timeout", kLong)};\n}\n'
        "Result<Build> read_build(const Node& node, const Reader& reader) {\n"
        '  TRY(build.command, reader.list(node, "command", Placeholders::variant));\n'
        '  build.timeout = duration_or(node, "timeout", build.timeout);\n}\n'
    )

    def findings(code: str, top: dict) -> list[str]:
        files = {schema.SCHEMA: json.dumps({"type": "object", "properties": top}), "tools/matrix/decode.cc": code}
        return texts(schema.check_schema(files))

    keys = {"schema": text, "build": build}
    assert findings(decoders, keys) == []
    assert findings(decoders.replace('"command"', '"argv"  /* "command" */'), keys) == [
        "matrix/pinwheel.schema.json: `build.command`: accepted and never read"
    ]
    assert findings(decoders.replace('build.timeout = duration_or(node, "timeout", build.timeout);', ""), keys) == [
        "matrix/pinwheel.schema.json: `build.timeout` and `build.retry.timeout`: accepted and never read"
    ]
    assert findings(decoders, {**keys, "ci": text}) == ["matrix/pinwheel.schema.json: `ci`: accepted and never read"]
    assert findings(decoders, {**keys, "ci": {"type": "object", "properties": {"on": text}}})[0] == (
        "tests/house/schema.py: names no function that reads `ci.on`"
    )
    assert findings(decoders, {"build": build}) == ["tests/house/schema.py: there is no key `schema`"]
    assert findings(decoders.replace("read_retry(const", "other(const"), keys)[0] == (
        "tests/house/schema.py: there is no function `read_retry`"
    )


def test_ids_of_steps_are_made_in_one_place():
    right = {"tools/a/a.cc": 'f("build:cpu", "tests:", "test: \\n"); // "test:"\n', step_ids.MODULE: '"build:"'}
    assert step_ids.check_step_ids(right) == []
    assert texts(step_ids.check_step_ids({"tools/a/a.cc": 'id.starts_with("test:") || id == "build:{}"'})) == [
        'tools/a/a.cc: "test:": ids are made and read by `plan/step_id`',
        'tools/a/a.cc: "build:{}": ids are made and read by `plan/step_id`',
    ]
