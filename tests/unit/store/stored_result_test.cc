#include "store/stored_result.h"

#include "base/digest.h"
#include "base/text.h"
#include "unit/catch.h"

namespace pinwheel::store {
namespace {

StoredResult full_result() {
  StoredResult result;
  result.step = "build:cu130";
  result.key = sha256_hex("key");
  result.parts = {{"version", "\"1.2.0\""}, {"source.digest", sha256_hex("source")}};
  result.ending = Ending::skipped;
  result.reason = "no GPU here";
  result.evidence = "loaded";
  result.outputs = {{"demo-1.2.0-py3-none-any.whl", {sha256_hex("wheel"), 5}},
                    {"sub/other.whl", {sha256_hex(""), 0}}};
  result.warnings = {"large"};
  result.log_sha256 = sha256_hex("log");
  result.finished = "2026-01-02T03:04:05Z";
  result.elapsed_ms = 1234;
  result.attempts = 2;
  result.machine = {"g++ 12.2.0", "3.12.7"};
  result.packages = {{"numpy", {"1.26.4", sha256_hex("numpy")}}, {"python", {"3.12.7"}}};
  result.plan = sha256_hex("plan");
  result.writer = {"4711", "0123abcd", "release", Domain::release};
  return result;
}

/// Why the text of a full result, changed, is not read.
std::string refusal(std::string_view from, std::string_view to) {
  const std::string text = to_json(full_result());
  const std::string changed = replace_all(text, from, to);
  REQUIRE(changed != text);
  const Result<StoredResult> read = parse_stored_result(changed);
  REQUIRE_FALSE(read);
  CHECK(read.error().kind == ErrorKind::check);
  return read.error().message;
}

}  // namespace

TEST_CASE("a result is read as it was written", "[store]") {
  CHECK(parse_stored_result(to_json(full_result())) == full_result());
  StoredResult least;
  least.step = "sdist";
  least.key = sha256_hex("key");
  least.writer.run = "1";
  CHECK(parse_stored_result(to_json(least)) == least);
}

TEST_CASE("a result is read strictly", "[store]") {
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
  CHECK_FALSE(parse_stored_result(""));
  CHECK_FALSE(parse_stored_result("[]"));
  CHECK_FALSE(parse_stored_result(std::string(kMostRecordBytes + 1, ' ')));
}

TEST_CASE("a record without packages is read, and so are those that were written before any",
          "[store]") {
  StoredResult result = full_result();
  result.packages.clear();
  const std::string text = to_json(result);
  CHECK(text.find("packages") == std::string::npos);
  CHECK(parse_stored_result(text) == result);
}

TEST_CASE("packages of a record are read strictly", "[store]") {
  const std::string start = "a stored result cannot be read: ";
  CHECK(refusal("\"1.26.4\"", "\"\"") == start + "a package has no name or no version");
  CHECK(refusal("\"numpy\"", "\"\"") == start + "a package has no name or no version");
  CHECK(refusal(sha256_hex("numpy"), "0") == start + "`packages.sha256` is not a sha256");
  CHECK(refusal("\"packages\": {", "\"packages\": [], \"x\": {") ==
        start + "`packages` is not of packages");
}

TEST_CASE("no output of a result can leave its directory", "[store]") {
  for (const std::string_view name :
       {"../x", "/etc/x", "a/../x", "a//x", "./x", ".", "", "a/", "x\\u0000y", "x\\ny"}) {
    CAPTURE(name);
    CHECK(refusal("sub/other.whl", name).find("cannot be the name of an output") !=
          std::string::npos);
  }
  CHECK(refusal("sub/other.whl", "demo-1.2.0-py3-none-any.whl")
            .ends_with("two outputs are called `demo-1.2.0-py3-none-any.whl`"));
}

TEST_CASE("a result cut at any byte is not read", "[store]") {
  const std::string text = to_json(full_result());
  for (size_t length = 0; length + 1 < text.size(); ++length) {
    CAPTURE(length);
    REQUIRE_FALSE(parse_stored_result(text.substr(0, length)));
  }
}

}  // namespace pinwheel::store
