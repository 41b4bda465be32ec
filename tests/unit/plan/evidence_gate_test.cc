#include "plan/evidence_gate.h"

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::plan;

namespace {

StepOutcome tested(const std::string& id, Evidence evidence) {
  StepOutcome outcome;
  outcome.id = id;
  outcome.evidence = evidence;
  return outcome;
}

Step publication(const std::string& target, std::map<std::string, std::string> required) {
  Publish action;
  action.require_evidence = std::move(required);
  return {"publish:" + target, {}, action};
}

std::vector<std::string> messages(const Done& done) {
  std::vector<std::string> out;
  if (done) return out;
  for (const Error& cause : done.error().causes) out.push_back(cause.message);
  return out;
}

}  // namespace

TEST_CASE("a test below the required evidence stops a publication, unless it was accepted") {
  StepOutcome skipped = tested("test:b", Evidence::loaded);
  skipped.state = StepState::skipped;
  skipped.reason = "no GPU here";
  const std::vector<StepOutcome> outcomes = {tested("test:a", Evidence::ran), skipped};
  const std::map<std::string, std::string> required = {{"test:a", "loaded"}, {"test:b", "ran"}};
  const Done refused = check_evidence(required, outcomes, {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::check);
  CHECK(messages(refused) ==
        std::vector<std::string>{
            "`test:b` has evidence `loaded`, `ran` is required (skipped: no GPU here)"});
  CHECK(refused.error().hint.find("on their hardware") != std::string::npos);
  CHECK(check_evidence(required, outcomes, {{"b", "tested by hand"}}));
  CHECK(check_evidence({{"test:b", "loaded"}}, outcomes, {}));
  CHECK_FALSE(check_evidence({{"test:c", "inspected"}}, outcomes, {}));
  CHECK(check_evidence({{"test:a", "runs"}}, outcomes, {}).error().kind == ErrorKind::config);
}

TEST_CASE("the gate reports everything that falls short, without duplicates") {
  const std::vector<Step> publications = {
      publication("one", {{"test:a", "ran"}, {"test:b", "ran"}, {"test:c", "ran"}}),
      publication("two", {{"test:a", "ran"}, {"test:b", "ran"}})};
  const std::vector<StepOutcome> outcomes = {tested("test:a", Evidence::loaded),
                                             tested("test:b", Evidence::ran)};
  std::map<std::string, Error> missing;
  missing["test:c"] = {ErrorKind::check, "`test:c` is in no store"};
  missing["build:c"] = {ErrorKind::check, "`build:c` is in no store"};
  const Done gate = check_gate(publications, outcomes, {}, missing);
  REQUIRE_FALSE(gate);
  CHECK(gate.error().kind == ErrorKind::check);
  CHECK(gate.error().message ==
        "the release is not complete: 2 steps without a result, 1 test without the required "
        "evidence");
  CHECK(messages(gate) ==
        std::vector<std::string>{"`build:c` is in no store", "`test:c` is in no store",
                                 "`test:a` has evidence `loaded`, `ran` is required (the wheel was "
                                 "imported: the matrix has no `test.command`)"});
  CHECK(gate.error().hint.find("`test.command`") != std::string::npos);
  CHECK(check_gate({publication("two", {{"test:b", "ran"}})}, outcomes, {}, {}));
  const Done only_missing = check_gate({}, {}, {}, missing);
  REQUIRE_FALSE(only_missing);
  CHECK(only_missing.error().hint.find("--store") != std::string::npos);
}

TEST_CASE("the tests that fall short of a gate are recorded by id") {
  const std::vector<Step> publications = {publication("one", {{"test:a", "ran"}}),
                                          publication("two", {{"test:b", "ran"}})};
  const std::vector<StepOutcome> outcomes = {tested("test:a", Evidence::loaded),
                                             tested("test:b", Evidence::ran)};
  const auto weak = weak_tests(publications, outcomes, {});
  REQUIRE(weak);
  CHECK(*weak == std::map<std::string, std::string>{
                     {"test:a",
                      "`test:a` has evidence `loaded`, `ran` is required (the wheel was imported: "
                      "the matrix has no `test.command`)"}});
  CHECK(parse_gate(gate_json(*weak)) == *weak);
  CHECK(weak_tests(publications, outcomes, {{"a", "tested by hand"}})->empty());
  for (const char* const other : {"", "{", "[]", R"({"schema": "pinwheel-gate/2", "weak": {}})",
                                  R"({"schema": "pinwheel-gate/1", "weak": ["test:a"]})"}) {
    CHECK(parse_gate(other).empty());
  }
}

TEST_CASE("a release is promoted only if a wheel could be installed from the first target") {
  StepOutcome skipped = tested("install:b", Evidence::inspected);
  skipped.state = StepState::skipped;
  skipped.reason = "no aarch64 machine here";
  CHECK(check_installed({tested("install:a", Evidence::loaded), skipped}, {}));
  CHECK(check_installed({skipped}, {{"b", "installed by hand"}}));
  const Done nowhere = check_installed({tested("test:b", Evidence::ran), skipped}, {});
  REQUIRE_FALSE(nowhere);
  CHECK(nowhere.error().kind == ErrorKind::check);
  CHECK(messages(nowhere) ==
        std::vector<std::string>{"`install:b` did not run: no aarch64 machine here"});
}
