#include "prepare/recorded_run.h"

#include "prepare/frozen_run.h"
#include "unit/catch.h"

namespace pinwheel::prepare {
namespace {

FromRun example() {
  plan::RunOrigin origin;
  origin.plan.source_digest = "source";
  origin.plan.matrix_digest = "matrix";
  origin.toolchain = "12.2.0";
  return {origin, "matrix"};
}

plan::PlanFacts the_same() {
  plan::PlanFacts facts;
  facts.source.digest = "source";
  facts.toolchain = "12.2.0";
  return facts;
}

TEST_CASE("a machine that matches the run has no differences") {
  CHECK(differences(example(), the_same()).empty());
}

TEST_CASE("a different source, matrix and compiler are each reported") {
  FromRun run = example();
  run.matrix_digest = "another";
  plan::PlanFacts here = the_same();
  here.source.digest = "another";
  here.toolchain = "13.1.0";
  const std::vector<Error> errors = differences(run, here);
  REQUIRE(errors.size() == 3);
  CHECK(errors[0].message == "the package source differs from that of the run");
  CHECK(errors[1].message == "the matrix file differs from that of the run");
  CHECK(errors[2].message == "the run's compiler was `12.2.0`, but this machine's is `13.1.0`");
  run.origin.dirty = true;
  CHECK(differences(run, here)[0].message == "the run's checkout had uncommitted changes");
}

TEST_CASE("in a container the machine's compiler does not matter") {
  FromRun run = example();
  run.origin.plan.levels.engine = container::Engine::docker;
  plan::PlanFacts here = the_same();
  here.toolchain = "13.1.0";
  CHECK(differences(run, here).empty());
}

}  // namespace
}  // namespace pinwheel::prepare
