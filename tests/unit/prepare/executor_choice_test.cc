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

TEST_CASE("an executor of a file yields to options that jobs cannot follow") {
  slurm::ExecutorSettings settings;
  settings.use = "slurm";
  RunOptions reuse_only;
  reuse_only.reuse_only = true;
  RunOptions profile;
  profile.levels.profile = true;
  RunOptions keep_failed;
  keep_failed.levels.keep_failed = true;
  for (RunOptions options : {reuse_only, profile, keep_failed}) {
    CHECK(*choose_executor(options, settings) == ExecutorKind::local);
    options.executor = "slurm";
    CHECK(*choose_executor(options, settings) == ExecutorKind::slurm);
    CHECK(check_remote_run(options, {place_of("dir:s")}).error().kind == ErrorKind::usage);
  }
}

TEST_CASE("steps of a step of srun would wait for it") {
  CHECK(check_caller({}));
  CHECK(check_caller({{"SLURM_JOB_ID", "17"}, {"SLURMD_NODENAME", "n1"}}));
  const Done refused = check_caller({{"SLURM_JOB_ID", "17"}, {"SLURM_STEP_ID", "0"}});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::usage);
  CHECK(refused.error().hint.find("--overlap") != std::string::npos);
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
