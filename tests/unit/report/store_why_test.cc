#include "report/store_why.h"

#include <nlohmann/json.hpp>

#include "unit/catch.h"

using namespace pinwheel;

namespace {

plan::StoreReply differing() {
  store::Entry result;
  result.step = "test:x";
  result.parts = {{"flags", "\"-O2\""}, {"needs build:x", std::string(64, 'a')}};
  result.key = plan::key_of(result.parts);
  result.finished = "2026-01-02T03:04:05Z";
  result.writer = {"77", "abc123", "ci", store::Domain::release};
  const plan::KeyParts here = {{"flags", "\"-O3\""}, {"needs build:x", std::string(64, 'b')}};
  return plan::missing_reply({"test:x", {here}}, {result});
}

}  // namespace

TEST_CASE("why a store has no result: the different parts, the run, and the next command") {
  CHECK(report::store_why_text(differing(), "local") ==
        "`test:x` would run: the key of the nearest result in `local` differs in 2 parts\n"
        "  flags: -O2 -> -O3\n"
        "  needs build:x changed\n"
        "nearest: `test:x` of the run `77`, 2026-01-02T03:04:05Z, channel `ci`, commit abc123, "
        "domain `release`\n"
        "`pinwheel store why build:x` explains this difference\n");
}

TEST_CASE("packages are listed below their environment, up to a limit") {
  store::Entry result;
  result.step = "build:x";
  result.parts = {{"a", "1"}, {"needs env:a", "1"}, {"version", "1"}};
  result.writer.run = "1";
  result.packages = {{"numpy", {"1.26.4"}}, {"gone", {"1"}}};
  plan::StoreQuestion question{"build:x", {{{"a", "1"}, {"needs env:b", "1"}, {"version", "2"}}}};
  question.packages = {{"numpy", {"2.0.0", std::string(64, 'a')}}, {"more", {"3"}}};
  const std::string few = report::store_why_text(plan::missing_reply(question, {result}), "local");
  CHECK(few.find("  needs env:a is gone\n"
                 "  needs env:b is new\n"
                 "    gone 1 is gone\n"
                 "    more 3 is new\n"
                 "    numpy: 1.26.4 -> 2.0.0\n"
                 "  version: 1 -> 2\n") != std::string::npos);
  for (int i = 100; i < 120; ++i) question.packages["p" + std::to_string(i)] = {"1"};
  const plan::StoreReply reply = plan::missing_reply(question, {result});
  const std::string many = report::store_why_text(reply, "local");
  CHECK(many.find("    p108 1 is new\n    and 11 more; `--json` has them all\n") !=
        std::string::npos);
  const nlohmann::json json = nlohmann::json::parse(report::store_why_json(reply, "local"));
  CHECK(json.at("packages").size() == 23);
  CHECK(json.at("packages")[0] == nlohmann::json({{"name", "gone"},
                                                  {"stored", "1"},
                                                  {"here", nullptr},
                                                  {"stored-sha256", nullptr},
                                                  {"here-sha256", nullptr}}));
}

TEST_CASE("unknown parts are listed, each with the time when it is known") {
  const plan::PartialKey key{{}, {"build:x", "env:a"}};
  CHECK(report::store_why_text(plan::missing_reply({"test:x", key}, {}), "dir:out") ==
        "`test:x` would run: `dir:out` has no result of such a step\n"
        "  needs build:x: not known before it has run\n"
        "  needs env:a: not known before its packages are resolved here\n");
  const nlohmann::json json = nlohmann::json::parse(
      report::store_why_json(plan::missing_reply({"test:x", key}, {}), "dir:out"));
  CHECK(json.at("key").is_null());
  CHECK(json.at("nearest").is_null());
  CHECK(json.at("unknown") == nlohmann::json({"build:x", "env:a"}));
}

TEST_CASE("the JSON has every difference with both values, and the run") {
  const plan::StoreReply reply = differing();
  const nlohmann::json json = nlohmann::json::parse(report::store_why_json(reply, "local"));
  CHECK(json.at("schema") == "pinwheel-store-why/1");
  CHECK(json.at("answer") == "other-key");
  CHECK(json.at("key") == plan::key_of(reply.question.key.parts));
  CHECK(json.at("differences")[0] ==
        nlohmann::json({{"part", "flags"}, {"stored", "\"-O2\""}, {"here", "\"-O3\""}}));
  CHECK(json.at("nearest").at("run") == "77");
  CHECK(json.at("nearest").at("domain") == "release");
}

TEST_CASE("text of a place moves no cursor") {
  store::Entry result;
  result.step = "build:x";
  result.parts = {{"flags", "\x1b[2J"}};
  result.finished = "\x1b[2J";
  result.writer.run = "\x1b[2J";
  const plan::StoreReply reply = plan::missing_reply({"build:x", {{{"flags", "1"}}}}, {result});
  CHECK(report::store_why_text(reply, "local").find('\x1b') == std::string::npos);
}
