#include "env/classify.h"

#include <string>

#include "unit/catch.h"
#include "unit/env/tool_output.h"

using namespace pinwheel;

namespace {

ErrorKind kind_of(const std::string& name) {
  return env::classify_pip({.code = 1}, tool_output(name)).kind;
}

std::string line_of(const std::string& text) {
  return env::classify_pip({.code = 1}, text).line;
}

}  // namespace

TEST_CASE("an index that does not respond is transient") {
  for (const char* name : {"pip_index_500.txt", "pip_index_closes.txt", "pip_index_hangs.txt",
                           "pip_index_refused.txt", "pip_unknown_host.txt", "pip_short_file.txt"}) {
    INFO(name);
    CHECK(kind_of(name) == ErrorKind::transient);
  }
}

TEST_CASE("a package that the index lacks is an error in the matrix") {
  for (const char* name :
       {"pip_index_404.txt", "pip_no_version.txt", "pip_conflict.txt", "pip_bad_requirement.txt"}) {
    INFO(name);
    CHECK(kind_of(name) == ErrorKind::config);
  }
  const env::Diagnosis diagnosis =
      env::classify_pip({.code = 1}, tool_output("pip_no_version.txt"));
  CHECK(diagnosis.line ==
        "ERROR: Could not find a version that satisfies the requirement tiny>=2 (from versions: "
        "1.0)");
  CHECK_FALSE(diagnosis.hint.empty());
}

TEST_CASE("a conflict is reported with its reasons") {
  CHECK(line_of(tool_output("pip_conflict.txt")) ==
        "ERROR: Cannot install one==1.0 and two==1.0 because these package versions have "
        "conflicting dependencies: one 1.0 depends on tiny==1.0; two 1.0 depends on tiny==2.0");
  // The user's own words, and a constraint.
  CHECK(line_of(tool_output("pip_conflict_constraint.txt")) ==
        "ERROR: Cannot install one==1.0 and tiny>=2 because these package versions have "
        "conflicting dependencies: The user requested tiny>=2; one 1.0 depends on tiny==1.0; The "
        "user requested (constraint) tiny<3");
  // An old pip repeats one of them for each version that it tried.
  const std::string many = line_of(tool_output("pip_conflict_many.txt"));
  CHECK(many.ends_with(
      "conflicting dependencies: one 1.0 depends on tiny==1.0; many 8.0 depends on tiny==10.0; "
      "many 7.0 depends on tiny==9.0; many 6.0 depends on tiny==8.0; many 5.0 depends on "
      "tiny==7.0, and 4 more"));
}

TEST_CASE("a conflict without reasons, or whose reasons end with the output, is still reported") {
  const std::string head =
      "ERROR: Cannot install a and b because these package versions have conflicting dependencies.";
  CHECK(line_of(head + "\n") == head);
  CHECK(line_of("The conflict is caused by:\n\n    a\n" + head) == head);
  CHECK(line_of("The conflict is caused by:\n    a needs c\n" + head + "\n\n")
            .ends_with("dependencies: a needs c"));
  CHECK(line_of(head + "\nThe conflict is caused by:").ends_with("dependencies."));
  CHECK(line_of(head + "\n  The conflict is caused by:\r\n    a needs c\r\n  \r\n  To fix")
            .ends_with("dependencies: a needs c"));
  // They do not explain another failure.
  CHECK(
      line_of("The conflict is caused by:\n    a\n\nERROR: No matching distribution found for x") ==
      "ERROR: No matching distribution found for x");
}

TEST_CASE(
    "a rejected login, a different file under the same name and a full disk are environment "
    "errors") {
  for (const char* name : {"pip_index_401.txt", "pip_hash_mismatch.txt", "pip_disk_full.txt"}) {
    INFO(name);
    CHECK(kind_of(name) == ErrorKind::environment);
  }
}

TEST_CASE("the exit status takes precedence over the output") {
  const std::string text = tool_output("pip_index_500.txt");
  CHECK(env::classify_pip({.signal = 15, .canceled = true}, text).kind == ErrorKind::interrupted);
  CHECK(env::classify_pip({.signal = 15, .timed_out = true}, text).kind == ErrorKind::timeout);
  CHECK(env::classify_pip({.signal = 9, .out_of_memory = true}, text).kind ==
        ErrorKind::out_of_memory);
}

TEST_CASE("an unknown failure is a failed step, which is not retried") {
  const env::Diagnosis diagnosis = env::classify_pip({.code = 3}, "something new\n");
  CHECK(diagnosis.kind == ErrorKind::step);
  CHECK(to_error(diagnosis, "resolving", {.code = 3}).message == "resolving failed: something new");
  const env::Diagnosis silent = env::classify_pip({.code = 3}, "\n");
  CHECK(to_error(silent, "resolving", {.code = 3}).message == "resolving failed: exit code 3");
}

TEST_CASE("the reason of a failed build is the backend's, not pip's hint") {
  CHECK(line_of(tool_output("pip_build_raises.txt")) ==
        "RuntimeError: this project needs a flux capacitor");
  CHECK(kind_of("pip_build_raises.txt") == ErrorKind::step);
  CHECK(line_of(tool_output("pip_build_compile_error.txt")).starts_with("b.c:1:25: error: "));
  CHECK(kind_of("pip_build_compile_error.txt") == ErrorKind::step);
  CHECK(
      line_of("  ╰─> [2 lines of output]\n      first\n      last\n      [end of output]\n\n"
              "  note: This error originates from a subprocess\nhint: See above for details.\n") ==
      "last");
  CHECK(line_of("ERROR: it broke\n\nnote: not pip\nhint: See above for output.\n") ==
        "ERROR: it broke");
}

TEST_CASE("a package that cannot be built for want of a compiler is an environment error") {
  for (const char* name : {"pip_build_without_gcc.txt", "pip_meson_without_compiler.txt",
                           "pip_cmake_without_compiler.txt", "pip_setuptools_without_rust.txt",
                           "pip_maturin_without_rust.txt"}) {
    INFO(name);
    CHECK(kind_of(name) == ErrorKind::environment);
  }
}

TEST_CASE("other bytes than those of a release are the index's fault, and only there") {
  const std::string mismatch = tool_output("pip_hash_mismatch.txt");
  CHECK(env::classify_pip({.code = 1}, mismatch).kind == ErrorKind::environment);
  const env::Diagnosis diagnosis = env::classify_pip_of_release({.code = 1}, mismatch);
  CHECK(diagnosis.kind == ErrorKind::check);
  CHECK(diagnosis.hint.ends_with("publish another version"));
  const std::string denied = "ERROR: HTTP error 401 while getting x\nERROR: 401 Client Error: no\n";
  CHECK(env::classify_pip({.code = 1}, denied).kind == ErrorKind::environment);
  CHECK(env::classify_pip_of_release({.code = 1}, denied).kind == ErrorKind::check);
  CHECK(env::classify_pip_of_release({.code = 1}, denied).hint.ends_with("without credentials"));
  CHECK(
      env::classify_uv({.code = 1}, "error: HTTP status client error (401 Unauthorized)\n").hint ==
      env::classify_pip_of_release({.code = 1}, denied).hint);
  CHECK(env::classify_pip_of_release({.code = 1}, tool_output("pip_index_500.txt")).kind ==
        ErrorKind::transient);
}

TEST_CASE("uv names an error and its causes") {
  const auto of = [](const char* text) { return env::classify_uv({.code = 1}, text); };
  const env::Diagnosis silent =
      of("Using Python 3.11.7 environment at: v\n"
         "error: Request failed after 3 retries in 10.0s\n"
         "  cause: Failed to fetch: http://127.0.0.1:8766/simple/spam/\n"
         "  cause: error sending request for url (http://127.0.0.1:8766/simple/spam/)\n"
         "  cause: client error (Connect)\n");
  CHECK(silent.kind == ErrorKind::transient);
  const env::Diagnosis mismatch =
      of("error: Failed to download `spam==1.0+cpu`\n"
         "  cause: Hash mismatch for `spam==1.0+cpu`\n\n         Expected:\n");
  CHECK(mismatch.kind == ErrorKind::check);
  CHECK(mismatch.hint.ends_with("publish another version"));
  CHECK(mismatch.line == "Failed to download `spam==1.0+cpu`: Hash mismatch for `spam==1.0+cpu`");
  const env::Diagnosis old =
      of("  \xC3\x97 No solution found when resolving dependencies:\n"
         "  \xE2\x95\xB0\xE2\x94\x80\xE2\x96\xB6 Because eggs was not found, they are "
         "unsatisfiable.\n");
  CHECK(old.kind == ErrorKind::step);
  CHECK(old.line ==
        "No solution found when resolving dependencies: Because eggs was not found, they are "
        "unsatisfiable.");
  CHECK(of("").line.empty());
}
