#include "session/step_secrets.h"

#include <string>
#include <vector>

#include "unit/catch.h"
#include "unit/session/recording_console.h"

namespace pinwheel::session {
namespace {

plan::Step build_with(std::vector<std::string> secrets) {
  plan::BuildWheel build;
  build.secrets = std::move(secrets);
  return {"build:x", "b", build};
}

TEST_CASE("without secrets a workplace stays as it is") {
  RecordingConsole console;
  const plan::Step step = build_with({});
  const Result<host::Workplace> workplace = with_secrets({}, {&step}, console);
  REQUIRE(workplace);
  CHECK(workplace->secrets.empty());
  CHECK(workplace->hidden == nullptr);
  CHECK(console.hidden == 0);
}

TEST_CASE("a secret of a step comes from the caller, and no output shows it") {
  RecordingConsole console;
  const plan::Step step = build_with({"TOKEN"});
  host::Workplace given;
  given.variables = {{"TOKEN", "correct horse battery"}, {"OTHER", "unrelated value"}};
  const Result<host::Workplace> workplace = with_secrets(given, {&step}, console);
  REQUIRE(workplace);
  CHECK(workplace->secrets.size() == 1);
  CHECK(workplace->hidden->mask("a correct horse battery").find("horse") == std::string::npos);
  CHECK(workplace->hidden->mask("unrelated value") == "unrelated value");
  CHECK(console.hidden == 1);
}

TEST_CASE("all that are missing are named, with the first step that needs one") {
  RecordingConsole console;
  const plan::Step step = build_with({"A", "B"});
  const Result<host::Workplace> workplace = with_secrets({}, {&step}, console);
  REQUIRE_FALSE(workplace);
  CHECK(workplace.error().kind == ErrorKind::environment);
  CHECK(workplace.error().message == "`A`, `B` are not set, and `build:x` needs them");
}

TEST_CASE("a secret that is too short to be hidden is refused") {
  RecordingConsole console;
  const plan::Step step = build_with({"TOKEN"});
  host::Workplace given;
  given.variables = {{"TOKEN", "ab"}};
  const Result<host::Workplace> workplace = with_secrets(given, {&step}, console);
  REQUIRE_FALSE(workplace);
  CHECK(workplace.error().message.starts_with("the secret `TOKEN` has fewer than"));
  CHECK(console.hidden == 0);
}

}  // namespace
}  // namespace pinwheel::session
