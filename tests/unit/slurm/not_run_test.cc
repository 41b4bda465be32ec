#include "slurm/not_run.h"

#include "unit/catch.h"

namespace pinwheel::slurm {

TEST_CASE("a step that did not run says why its job ended") {
  const Error error =
      not_run("build:a", 4, "note: x\nerror: first\nerror: no compiler\x1b[0m here\n  hint: x\n",
              "/shared/a.out");
  CHECK(error.kind == ErrorKind::environment);
  CHECK(error.message.starts_with(
      "`build:a` did not run: pinwheel exited with 4 in its job: no compiler"));
  CHECK(error.message.find('\x1b') == std::string::npos);
  CHECK(error.hint == "see `/shared/a.out`");
  CHECK(not_run("build:a", 2, "", "/a.out").message ==
        "`build:a` did not run: pinwheel exited with 2 in its job");
}

TEST_CASE("a checkout that changed while jobs waited is named as the cause") {
  const Error error =
      not_run("build:a", exit_code(ErrorKind::drift),
              "error: the plan is of commit a, and the checkout is at commit b\n", "/a.out");
  CHECK(error.message.ends_with("the plan is of commit a, and the checkout is at commit b"));
  CHECK(error.hint.find("checkout must not change") != std::string::npos);
}

}  // namespace pinwheel::slurm
