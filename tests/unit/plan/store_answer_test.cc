#include "plan/store_answer.h"

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::plan;

namespace {

store::Entry stored(std::string step, KeyParts parts, std::string run,
                    std::string finished = "2026-01-02T03:04:05Z") {
  store::Entry result;
  result.step = std::move(step);
  result.key = key_of(parts);
  result.parts = std::move(parts);
  result.finished = std::move(finished);
  result.writer.run = std::move(run);
  return result;
}

StoreQuestion asked(KeyParts parts = {{"flag", "1"}, {"version", "2"}}) {
  return {"build:x", {std::move(parts)}};
}

const KeyParts kOther = {{"flag", "1"}, {"version", "1"}};

}  // namespace

TEST_CASE("the nearest result is one of the same step with the fewest differences") {
  const StoreReply reply = missing_reply(
      asked(), {stored("build:x", {{"flag", "7"}, {"version", "7"}}, "far"),
                stored("build:x", kOther, "near"), stored("build:y", kOther, "other-step"),
                stored("test:x", asked().key.parts, "other-kind")});
  CHECK(reply.answer == StoreAnswer::other_key);
  REQUIRE(reply.nearest);
  CHECK(reply.nearest->writer.run == "near");
  CHECK(reply.differences == std::vector<KeyDifference>{{"version", "1", "2"}});
}

TEST_CASE("of results that are as near the newest tells, whatever the order") {
  const auto old = stored("build:x", kOther, "old", "2026-01-01T00:00:00Z");
  const auto recent = stored("build:x", kOther, "new", "2026-02-01T00:00:00Z");
  CHECK(missing_reply(asked(), {old, recent}).nearest->writer.run == "new");
  CHECK(missing_reply(asked(), {recent, old}).nearest->writer.run == "new");
}

TEST_CASE("without one of the step another of its kind tells, and else nothing does") {
  const StoreReply other = missing_reply(asked(), {stored("build:y", kOther, "other")});
  CHECK(other.nearest->step == "build:y");
  store::Entry checkpoint = stored("build:x", {}, "checkpoint");
  checkpoint.ending = store::Ending::unfinished;
  CHECK_FALSE(missing_reply(asked(), {checkpoint}).nearest);
  const StoreReply none = missing_reply(asked(), {stored("test:x", kOther, "test")});
  CHECK(none.answer == StoreAnswer::nothing);
  CHECK_FALSE(none.nearest);
}

TEST_CASE("a result with the key that is not taken is not read, was skipped or is not whole") {
  store::Entry same = stored("build:x", asked().key.parts, "same");
  CHECK(missing_reply(asked(), {same}).answer == StoreAnswer::lacks_files);
  same.ending = store::Ending::skipped;
  CHECK(missing_reply(asked(), {same}).answer == StoreAnswer::skipped);
  same.writer.domain = store::Domain::pull_request;
  CHECK(missing_reply(asked(), {same}).answer == StoreAnswer::other_domain);
  CHECK(missing_reply(asked(), {same}).differences.empty());
}

TEST_CASE("an unknown part is neither a difference nor evidence that the keys are equal") {
  StoreQuestion question = asked();
  question.key.unknown = {"build:need"};
  KeyParts parts = question.key.parts;
  parts["needs build:need"] = "product";
  const StoreReply reply = missing_reply(question, {stored("build:x", parts, "run")});
  CHECK(reply.differences.empty());
  CHECK(reply.answer == StoreAnswer::other_key);
}

TEST_CASE("where the environment differs, its packages do, if both are known") {
  const store::InstalledPackages then = {{"numpy", {"1.0"}}};
  const store::InstalledPackages now = {{"numpy", {"2.0"}}};
  StoreQuestion question = asked({{"flag", "1"}, {"needs env:a", "new"}});
  store::Entry result = stored("build:x", {{"flag", "1"}, {"needs env:a", "old"}}, "run");
  CHECK(missing_reply(question, {result}).packages.empty());
  result.packages = then;
  CHECK(missing_reply(question, {result}).packages.empty());
  question.packages = now;
  CHECK(missing_reply(question, {result}).packages ==
        std::vector{PackageDifference{"numpy", store::InstalledPackage{"1.0"},
                                      store::InstalledPackage{"2.0"}}});
  // In the same environment they are equal, whatever a record contains.
  result = stored("build:x", {{"flag", "2"}, {"needs env:a", "new"}}, "run");
  result.packages = then;
  CHECK(missing_reply(question, {result}).packages.empty());
}

TEST_CASE("a taken result has the key, or was handed off") {
  CHECK(taken_reply(asked(), stored("build:x", asked().key.parts, "run")).answer ==
        StoreAnswer::taken);
  KeyParts parts = asked().key.parts;
  parts["toolchain"] = "g++ 99";
  const StoreReply reply = taken_reply(asked(), stored("build:x", parts, "run"));
  CHECK(reply.answer == StoreAnswer::handed_off);
  CHECK(reply.differences.size() == 1);
}
