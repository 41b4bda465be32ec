#include "store/action_result.h"

#include <set>

#include "base/digest.h"
#include "store/address.h"
#include "unit/catch.h"

namespace pinwheel::store {
namespace {

ActionResult action() {
  return {{sha256_hex("record"), 6}, {{"demo.whl", {sha256_hex("wheel"), 5000000000}}}};
}

}  // namespace

TEST_CASE("an action result is read as it was written, sizes as texts", "[store]") {
  const std::string text = to_json(action());
  CHECK(text.find("\"sizeBytes\": \"5000000000\"") != std::string::npos);
  CHECK(parse_action_result(text) == action());
}

TEST_CASE("an action result is read as servers encode it anew", "[store]") {
  const std::string record = sha256_hex("record");
  const std::string empty = sha256_hex("");
  const std::string text =
      R"({"output_files": [{"path": "a/empty", "digest": {"hash": ")" + empty +
      R"("}, "is_executable": false}, {"path": "pinwheel-result.json", "digest": {"hash": ")" +
      record + R"(", "size_bytes": 6}}], "executionMetadata": {"worker": "10.0.0.1"}})";
  const Result<ActionResult> read = parse_action_result(text);
  REQUIRE(read);
  CHECK(read->record == Blob{record, 6});
  CHECK(read->outputs == std::vector<NamedBlob>{{"a/empty", {empty, 0}}});
}

TEST_CASE("what is not the action result of a finished step is refused", "[store]") {
  const std::string start = "an action result cannot be read: ";
  CHECK(parse_action_result("{}").error().message == start + "`pinwheel-result.json` is missing");
  CHECK(parse_action_result("[]").error().message == start + "it is not an object");
  CHECK(parse_action_result(R"({"exitCode": 1})").error().message ==
        start + "it is that of a failed step");
  CHECK_FALSE(parse_action_result("\x0a\x05proto"));
  const std::string deep =
      R"({"x": )" + std::string(400'000, '[') + std::string(400'000, ']') + "}";
  CHECK(parse_action_result(deep).error().message.ends_with("too many levels"));
  CHECK_FALSE(parse_action_result(R"({"outputFiles": 5})"));
  CHECK_FALSE(
      parse_action_result(R"({"outputFiles": [{"path": "a", "digest": {"hash": "../../x"}}]})"));
}

TEST_CASE("addresses differ by domain, key, plan and step", "[store]") {
  const std::set<Address> addresses = {
      entry_address(Domain::branch, "k"),         entry_address(Domain::release, "k"),
      entry_address(Domain::pull_request, "k"),   entry_address(Domain::branch, "l"),
      hand_off_address(Domain::branch, "p", "s"), hand_off_address(Domain::release, "p", "s"),
      hand_off_address(Domain::branch, "q", "s"), hand_off_address(Domain::branch, "p", "t")};
  CHECK(addresses.size() == 8);
  for (const Address& address : addresses) CHECK(is_sha256_hex(address.hex));
}

TEST_CASE("a result of very many names is read in the end", "[store]") {
  std::string text = "{";
  for (int i = 0; i < 100'000; ++i) text += "\"" + std::to_string(i) + "\":1,";
  text += "\"schema\":1}";
  CHECK_FALSE(parse_action_result(text));
}

}  // namespace pinwheel::store
