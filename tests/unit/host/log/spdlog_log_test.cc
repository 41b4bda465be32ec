#include "host/log/spdlog_log.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "host/system/files.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"

using namespace pinwheel;

namespace {

const ports::LogEvent kEvent{ports::LogLevel::debug,
                             "request",
                             {{"address", "a b"},
                              {"list", std::vector<std::string>{"x", "y\nz"}},
                              {"status", int64_t{200}},
                              {"bytes", std::string("\xff\x1b")}}};

std::vector<std::string> lines_of(const std::filesystem::path& path) {
  const Result<std::string> text = host::LocalFiles().read(path);
  REQUIRE(text);
  return split(trim(*text), '\n');
}

}  // namespace

TEST_CASE("an event is one line of plain text") {
  CHECK(host::plain_text(kEvent) ==
        "request address='a b' list=(x 'y\\nz') status=200 bytes='\\xff\\x1b'");
}

TEST_CASE("a file has every event as JSON, those before it was named as well") {
  Scratch scratch;
  host::SpdlogLog log(host::LogText::json);
  log.write(kEvent);
  REQUIRE(log.to_file(scratch.path() / "one.log"));
  log.write({ports::LogLevel::info, "cache"});
  REQUIRE(log.to_file(scratch.path() / "two.log"));
  log.forget_earlier();
  log.write({ports::LogLevel::info, "last"});
  for (const char* const name : {"one.log", "two.log"}) {
    const std::vector<std::string> lines = lines_of(scratch.path() / name);
    REQUIRE(lines.size() == 3);
    const auto first = nlohmann::json::parse(lines[0]);
    CHECK(first["event"] == "request");
    CHECK(first["level"] == "debug");
    CHECK(first["list"] == nlohmann::json({"x", "y\nz"}));
    CHECK(first["status"] == 200);
    CHECK(std::string(first["time"]).ends_with("Z"));
    CHECK(nlohmann::json::parse(lines[2])["event"] == "last");
  }
}

TEST_CASE("a file is appended to, and one that cannot be written is an error with its name") {
  Scratch scratch;
  const std::filesystem::path path = scratch.write("kept.log", "before\n");
  host::SpdlogLog log(host::LogText::plain);
  REQUIRE(log.to_file(path));
  log.write({ports::LogLevel::info, "cache", {{"decision", "make"}}});
  const std::vector<std::string> lines = lines_of(path);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] == "before");
  CHECK(lines[1].ends_with("Z info  cache decision=make"));
  const Done failed = log.to_file(scratch.path() / "missing" / "a.log");
  REQUIRE_FALSE(failed);
  CHECK(failed.error().message.find("missing/a.log") != std::string::npos);
}

TEST_CASE("lines that are lost, as on a full disk, are reported and do not fail a command") {
  host::SpdlogLog log(host::LogText::plain);
  REQUIRE(log.to_file("/dev/full"));
  log.write({ports::LogLevel::info, "cache"});
  CHECK(log.trouble().find("/dev/full") != std::string::npos);
}
