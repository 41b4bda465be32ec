#include "slurm/whole_plan.h"

#include "unit/catch.h"

namespace pinwheel::slurm {
namespace {

plan::Step planned(const std::string& id, std::vector<std::string> needs = {}) {
  plan::Step step;
  step.id = id;
  step.needs = std::move(needs);
  return step;
}

size_t position(const std::string& text, const std::string& part) {
  INFO(text);
  const size_t at = text.find(part);
  REQUIRE(at != std::string::npos);
  return at;
}

}  // namespace

TEST_CASE("a dry run submits each array after those that it depends on") {
  const plan::Plan plan{{planned("env:1"), planned("build:a", {"env:1"}),
                         planned("build:b", {"env:1"}), planned("test:a", {"build:a"}),
                         planned("test:b", {"build:b"}), planned("publish:index", {"test:a"})},
                        "digest"};
  static const SlurmSettings settings;
  const JobSite site{"/run", "/opt/pinwheel", "/checkout", {}, {"PATH"}};
  const std::string text = plan_script(
      {plan, settings, site, 1001, [](const std::string& step) { return "t-" + step; }});
  CHECK(position(text, "job1=$(sbatch --parsable <<") <
        position(text, "job2=$(sbatch --parsable --dependency=afterok:${job1}_0 <<"));
  position(text, "job3=$(sbatch --parsable --dependency=aftercorr:${job2} <<");
  position(text, "# pinwheel itself runs publish:index\n");
  position(text, "token=t-test:b step=test:b ;;");
  CHECK(text.find("srun") == std::string::npos);
  const std::string inside = plan_script(
      {plan, settings, site, 1001, [](const std::string& step) { return "t-" + step; }, "17"});
  CHECK(position(inside, "# in job 17, pinwheel submits nothing") < position(inside, "sbatch"));
}

}  // namespace pinwheel::slurm
