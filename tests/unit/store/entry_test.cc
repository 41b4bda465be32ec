#include "store/entry.h"

#include "base/digest.h"
#include "base/text.h"
#include "unit/catch.h"

namespace pinwheel::store {
namespace {

Entry full_entry() {
  Entry entry;
  entry.step = "build:cu130";
  entry.key = sha256_hex("key");
  entry.parts = {{"version", "\"1.2.0\""}, {"source.digest", sha256_hex("source")}};
  entry.ending = Ending::skipped;
  entry.reason = "no GPU here";
  entry.evidence = "loaded";
  entry.outputs = {{"demo-1.2.0-py3-none-any.whl", {sha256_hex("wheel"), 5}},
                   {"sub/other.whl", {sha256_hex(""), 0}}};
  entry.derivations = {
      {"sub/other.whl", "demo-1.2.0-py3-none-any.whl", 7, {"x/METADATA"}, {"x/new"}, {"x/old"}}};
  entry.warnings = {"large"};
  entry.log_sha256 = sha256_hex("log");
  entry.finished = "2026-01-02T03:04:05Z";
  entry.elapsed_ms = 1234;
  entry.attempts = 2;
  entry.machine = {"g++ 12.2.0", "3.12.7"};
  entry.packages = {{"numpy", {"1.26.4", sha256_hex("numpy")}}, {"python", {"3.12.7"}}};
  entry.plan = sha256_hex("plan");
  entry.span = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  entry.writer = {"4711", "0123abcd", "release", Domain::release};
  return entry;
}

/// Why the text of a full entry, changed, is not read.
std::string refusal(std::string_view from, std::string_view to) {
  const std::string text = to_json(full_entry());
  const std::string changed = replace_all(text, from, to);
  REQUIRE(changed != text);
  const Result<Entry> read = parse_entry(changed);
  REQUIRE_FALSE(read);
  CHECK(read.error().kind == ErrorKind::check);
  return read.error().message;
}

}  // namespace

TEST_CASE("an entry is read as it was written", "[store]") {
  CHECK(parse_entry(to_json(full_entry())) == full_entry());
  Entry least;
  least.step = "sdist";
  least.key = sha256_hex("key");
  least.writer.run = "1";
  CHECK(parse_entry(to_json(least)) == least);
}

TEST_CASE("an entry is read strictly", "[store]") {
  const std::string start = "a stored result cannot be read: ";
  CHECK(refusal("\"attempts\"", "\"tries\"") == start + "`result.attempts` is missing");
  CHECK(refusal("\"attempts\": 2", "\"attempts\": 2, \"host\": \"a\"") ==
        start + "`result.host` is not known");
  CHECK(refusal("\"size\": 5", "\"size\": -5") == start + "`outputs.size` is not a number");
  CHECK(refusal("\"skipped\"", "\"failed\"") ==
        start + "`failed` is not how a stored step can end");
  CHECK(refusal("\"loaded\"", "\"proved\"") == start + "`proved` is not evidence");
  CHECK(refusal("\"release\"\n", "\"root\"\n") == start + "`root` is not a domain");
  CHECK(refusal("pinwheel-result/1", "pinwheel-result/9") ==
        start + "its schema is `pinwheel-result/9`; this pinwheel reads `pinwheel-result/1`");
  CHECK(refusal(sha256_hex("key"), "key") == start + "`result.key` is not a sha256");
  CHECK(refusal("\"4711\"", "\"\"") == start + "`writer.run` is empty");
  CHECK_FALSE(parse_entry(""));
  CHECK_FALSE(parse_entry("[]"));
  CHECK_FALSE(parse_entry(std::string(kMostRecordBytes + 1, ' ')));
}

TEST_CASE("an entry without packages lists none, and a record that does not list them is no entry",
          "[store]") {
  Entry entry = full_entry();
  entry.packages.clear();
  const std::string text = to_json(entry);
  CHECK(text.find("\"packages\": {}") != std::string::npos);
  CHECK(parse_entry(text) == entry);
  const Result<Entry> refused = parse_entry(replace_all(text, " \"packages\": {},\n", ""));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::check);
  CHECK(refused.error().message == "a stored result cannot be read: `result.packages` is missing");
}

TEST_CASE("a span is optional, and only a traceparent", "[store]") {
  Entry entry = full_entry();
  entry.span.clear();
  CHECK(to_json(entry).find("span") == std::string::npos);
  CHECK(parse_entry(to_json(entry)) == entry);
  for (const std::string_view other :
       {"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-0", "<b>", "00-4BF9"}) {
    CHECK(refusal(full_entry().span, other) ==
          "a stored result cannot be read: `span` is not that of a trace");
  }
}

TEST_CASE("derivations are optional, and both of their files are outputs", "[store]") {
  Entry entry = full_entry();
  entry.derivations.clear();
  CHECK(to_json(entry).find("derivations") == std::string::npos);
  CHECK(parse_entry(to_json(entry)) == entry);
  const std::string start = "a stored result cannot be read: ";
  CHECK(refusal("\"file\": \"sub/other.whl\"", "\"file\": \"sub/more.whl\"") ==
        start + "`sub/more.whl` of `derivations` is not an output");
  CHECK(refusal("\"code\": \"identical\"", "\"code\": \"similar\"") ==
        start + "a derived file has other code than its source");
}

TEST_CASE("packages of an entry are read strictly", "[store]") {
  const std::string start = "a stored result cannot be read: ";
  CHECK(refusal("\"1.26.4\"", "\"\"") == start + "a package has no name or no version");
  CHECK(refusal("\"numpy\"", "\"\"") == start + "a package has no name or no version");
  CHECK(refusal(sha256_hex("numpy"), "0") == start + "`packages.sha256` is not a sha256");
  CHECK(refusal("\"packages\": {", "\"packages\": [], \"x\": {") ==
        start + "`packages` is not of packages");
}

TEST_CASE("no output of an entry can leave its directory", "[store]") {
  for (const std::string_view name :
       {"../x", "/etc/x", "a/../x", "a//x", "./x", ".", "", "a/", "x\\u0000y", "x\\ny"}) {
    CAPTURE(name);
    CHECK(refusal("sub/other.whl", name).find("cannot be the name of an output") !=
          std::string::npos);
  }
  CHECK(refusal("sub/other.whl", "demo-1.2.0-py3-none-any.whl")
            .ends_with("two outputs are called `demo-1.2.0-py3-none-any.whl`"));
}

TEST_CASE("an entry cut at any byte is not read", "[store]") {
  const std::string text = to_json(full_entry());
  for (size_t length = 0; length + 1 < text.size(); ++length) {
    CAPTURE(length);
    REQUIRE_FALSE(parse_entry(text.substr(0, length)));
  }
}

TEST_CASE("an entry of very many names is read in the end", "[store]") {
  std::string text = "{";
  for (int i = 0; i < 100'000; ++i) text += "\"" + std::to_string(i) + "\":1,";
  text += "\"schema\":1}";
  CHECK_FALSE(parse_entry(text));
}

TEST_CASE("a later checkpoint replaces an earlier one, and a result each of them", "[store]") {
  Entry first = full_entry();
  first.ending = Ending::unfinished;
  first.attempts = 3;
  CHECK(parse_entry(to_json(first)) == first);
  Entry later = first;
  later.attempts = 4;
  CHECK(improves(later, first));
  CHECK_FALSE(improves(first, later));
  CHECK_FALSE(improves(first, first));
  Entry done = first;
  done.ending = Ending::done;
  CHECK(improves(done, later));
  CHECK_FALSE(improves(later, done));
}

}  // namespace pinwheel::store
