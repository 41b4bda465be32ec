#include "conda/classify_conda.h"

#include <string>

#include "unit/catch.h"
#include "unit/env/tool_output.h"

using namespace pinwheel;
using conda::CondaKind;

namespace {

/// Output of real clients (tests/data/tool_output): conda 4.3.16, and py-rattler 0.28 through
/// pinwheel's script.
ports::Captured printed(const std::string& name) {
  return {{.code = name.starts_with("rattler") ? 0 : 1}, tool_output(name), {}};
}

Error failure(const std::string& name) {
  const CondaKind kind = name.starts_with("rattler") ? CondaKind::rattler : CondaKind::conda;
  return conda_failure(kind, printed(name), "solving");
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a channel that does not respond is transient") {
  for (const char* name :
       {"conda_channel_500.txt", "conda_channel_refused.txt", "rattler_channel_500.txt",
        "rattler_channel_refused.txt", "rattler_package_500.txt"}) {
    INFO(name);
    CHECK(failure(name).kind == ErrorKind::transient);
  }
}

TEST_CASE("packages that no channel has, or that conflict, are an error in the matrix") {
  for (const char* name : {"conda_conflict.txt", "conda_no_package.txt", "rattler_conflict.txt",
                           "rattler_no_channel.txt", "rattler_bad_spec.txt"}) {
    INFO(name);
    CHECK(failure(name).kind == ErrorKind::config);
    CHECK_FALSE(failure(name).hint.empty());
  }
}

TEST_CASE("a conflict is reported in the solver's own words") {
  const std::string rattler = failure("rattler_conflict.txt").message;
  CHECK(contains(rattler, "right 1.0 would require"));
  CHECK(contains(rattler, "shared <2"));
  const std::string conda = failure("conda_conflict.txt").message;
  CHECK(contains(conda, "left -> shared <2"));
  CHECK(contains(conda, "right -> shared >=2"));
}

TEST_CASE("a different file under the same name is not retried") {
  for (const char* name : {"conda_md5_mismatch.txt", "rattler_hash_mismatch.txt"}) {
    INFO(name);
    CHECK(failure(name).kind == ErrorKind::environment);
    CHECK(contains(failure(name).hint, "--refresh"));
  }
}

TEST_CASE("an unknown failure is an environment error with the client's output") {
  const ports::Captured ran{{.code = 2}, "", "Segmentation violation in solver\n"};
  const Error error = conda_failure(CondaKind::mamba, ran, "solving");
  CHECK(error.kind == ErrorKind::environment);
  CHECK(error.message == "solving failed: Segmentation violation in solver");
}

TEST_CASE("an interrupted client is not reported as a failure") {
  const ports::Captured ran{{.signal = 15, .canceled = true}, "", "nothing provides x\n"};
  CHECK(conda_failure(CondaKind::conda, ran, "solving").kind == ErrorKind::interrupted);
}
