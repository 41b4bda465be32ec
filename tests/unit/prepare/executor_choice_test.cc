#include "prepare/executor_choice.h"

#include "unit/catch.h"

namespace pinwheel::prepare {
namespace {

store::PlaceDescription place_of(const char* text) {
  return *store::parse_place(text);
}

}  // namespace

TEST_CASE("the command line chooses the executor, else the settings do") {
  slurm::ExecutorSettings settings;
  RunOptions options;
  CHECK(*choose_executor(options, settings) == ExecutorKind::local);
  settings.use = "slurm";
  CHECK(*choose_executor(options, settings) == ExecutorKind::slurm);
  options.executor = "local";
  CHECK(*choose_executor(options, settings) == ExecutorKind::local);
  options.executor = "pbs";
  CHECK(choose_executor(options, settings).error().kind == ErrorKind::usage);
}

TEST_CASE("a run on a cluster needs a store that its nodes can share") {
  RunOptions options;
  CHECK_FALSE(check_remote_run(options, {}));
  CHECK_FALSE(check_remote_run(options, {place_of("local")}));
  CHECK_FALSE(check_remote_run(options, {place_of("dir:s,ro")}));
  CHECK_FALSE(check_remote_run(options, {place_of("artifacts:s")}));
  CHECK(check_remote_run(options, {place_of("local"), place_of("dir:s")}));
  CHECK(check_remote_run(options, {place_of("s3://bucket/p")}));
  options.reuse_only = true;
  CHECK(check_remote_run(options, {place_of("dir:s")}).error().kind == ErrorKind::usage);
}

}  // namespace pinwheel::prepare
