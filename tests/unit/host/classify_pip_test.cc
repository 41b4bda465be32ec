#include "host/classify_pip.h"

#include <string>

#include "host/files.h"
#include "unit/catch.h"

using namespace pinwheel;

namespace {

/// What a real tool printed (tests/data/tool_output).
std::string output(const std::string& name) {
  host::LocalFiles files;
  const auto text =
      files.read(std::string(PINWHEEL_SOURCE_DIR) + "/tests/data/tool_output/" + name);
  REQUIRE(text.has_value());
  return *text;
}

ErrorKind kind_of(const std::string& name) {
  return host::classify_pip({.code = 1}, output(name)).kind;
}

}  // namespace

TEST_CASE("an index that does not answer now is worth a retry") {
  for (const char* name : {"pip_index_500.txt", "pip_index_closes.txt", "pip_index_hangs.txt",
                           "pip_index_refused.txt", "pip_unknown_host.txt", "pip_short_file.txt"}) {
    INFO(name);
    CHECK(kind_of(name) == ErrorKind::transient);
  }
}

TEST_CASE("what an index does not have is a mistake in the matrix") {
  for (const char* name :
       {"pip_index_404.txt", "pip_no_version.txt", "pip_conflict.txt", "pip_bad_requirement.txt"}) {
    INFO(name);
    CHECK(kind_of(name) == ErrorKind::config);
  }
  const host::Diagnosis diagnosis = host::classify_pip({.code = 1}, output("pip_no_version.txt"));
  CHECK(diagnosis.line ==
        "ERROR: Could not find a version that satisfies the requirement tiny>=2 (from versions: "
        "1.0)");
  CHECK_FALSE(diagnosis.hint.empty());
}

TEST_CASE("a refused login, another file under the same name and a full disk are the machine's") {
  for (const char* name : {"pip_index_401.txt", "pip_hash_mismatch.txt", "pip_disk_full.txt"}) {
    INFO(name);
    CHECK(kind_of(name) == ErrorKind::environment);
  }
}

TEST_CASE("how the child ended decides before what it said") {
  const std::string text = output("pip_index_500.txt");
  CHECK(host::classify_pip({.signal = 15, .cancelled = true}, text).kind == ErrorKind::interrupted);
  CHECK(host::classify_pip({.signal = 15, .timed_out = true}, text).kind == ErrorKind::timeout);
  CHECK(host::classify_pip({.signal = 9, .out_of_memory = true}, text).kind ==
        ErrorKind::out_of_memory);
}

TEST_CASE("what no row knows is a failed step, which is not retried") {
  const host::Diagnosis diagnosis = host::classify_pip({.code = 3}, "something new\n");
  CHECK(diagnosis.kind == ErrorKind::step);
  CHECK(host::to_error(diagnosis, "resolving", {.code = 3}).message ==
        "resolving failed: exit code 3");
}
