#include "plan/make_plan.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include "base/text.h"
#include "container/container_image.h"
#include "plan/environments.h"
#include "plan/key.h"
#include "unit/catch.h"
#include "unit/plan/plan_example.h"

using namespace pinwheel;
using namespace pinwheel::plan;

namespace {

std::vector<std::string> ids_with(const Plan& plan, const std::string& prefix) {
  std::vector<std::string> ids;
  for (const Step& step : plan.steps) {
    if (step.id.starts_with(prefix)) ids.push_back(step.id);
  }
  return ids;
}

}  // namespace

TEST_CASE("variants that share a binary share one build") {
  const PlanExample example;
  const Plan plan = example.plan();
  CHECK(ids_with(plan, "build:") == std::vector<std::string>{"build:cpu", "build:cu13"});
  CHECK(ids_with(plan, "test:").size() == 18);
  CHECK(ids_with(plan, "sdist").size() == 1);
  CHECK(summary_line(example.outline()) == "18 variants, 2 builds, 18 tests");
}

TEST_CASE("a re-cut has build numbers and no sdist") {
  PlanExample example;
  example.facts.version.build = 4;
  const Plan plan = example.plan({}, Stage::publish);
  CHECK(ids_with(plan, "sdist").empty());
  const auto& build = std::get<BuildWheel>(planned_step(plan, "build:cpu").action);
  CHECK(build.build_number == 4);
  for (const wheel::Naming& naming : build.namings) CHECK(naming.build == 4);
  const auto& publication = std::get<Publish>(planned_step(plan, "publish:index").action);
  CHECK(build_number_of(publication) == 4);
  CHECK(std::ranges::count(publication.builds, "sdist") == 0);
  CHECK(build_number_of(Publish{}) == 0);
}

TEST_CASE("needs come before the steps that need them") {
  const Plan plan = PlanExample().plan({}, Stage::publish);
  std::set<std::string> seen;
  for (const Step& step : plan.steps) {
    for (const std::string& need : step.needs) CHECK(seen.contains(need));
    CHECK(seen.insert(step.id).second);
  }
  CHECK(plan.steps.back().id == "publish:index");
}

TEST_CASE("the build of any single variant has the key of the full run") {
  const PlanExample example;
  const Plan full = example.plan();
  for (const matrix::Variant& variant : example.expansion.variants) {
    const Plan one = example.plan({variant.id});
    for (const Step& step : one.steps) {
      INFO(step.id);
      CHECK(step.key == planned_step(full, step.id).key);
    }
    CHECK(ids_with(one, "build:").size() == 1);
    CHECK(ids_with(one, "test:").size() == 1);
  }
}

TEST_CASE("a build uses the oldest variant of its class, with that variant's settings") {
  const Plan plan = PlanExample().plan();
  const auto& cuda = std::get<BuildWheel>(planned_step(plan, "build:cu13").action);
  CHECK(cuda.compute == "cuda/13.0");
  CHECK(cuda.torch == "2.10");
  CHECK(cuda.environment.python == "3.11");
  CHECK(cuda.environment.toolkit == "cuda/13.0");
  CHECK(cuda.variables.at("TORCH_CUDA_ARCH_LIST") == "8.0;9.0");
  CHECK(cuda.requires_torch == "torch>=2.10");
  CHECK(cuda.tags.python == "py3");
  const auto& cpu = std::get<BuildWheel>(planned_step(plan, "build:cpu").action);
  CHECK(cpu.environment.toolkit.empty());
  CHECK_FALSE(cpu.variables.contains("TORCH_CUDA_ARCH_LIST"));
}

TEST_CASE("an input changes the keys of its step and of that step's dependents, and nothing else") {
  PlanExample example;
  const Plan before = example.plan({}, Stage::publish);
  example.facts.source.digest = "edited";
  const Plan edited = example.plan({}, Stage::publish);
  for (const Step& step : before.steps) {
    const bool environment = step.id.starts_with("env:");
    INFO(step.id);
    CHECK((planned_step(edited, step.id).key == step.key) == environment);
  }
}

TEST_CASE("durations of earlier runs set predictions and change no key") {
  PlanExample example;
  const Plan guessed = example.plan();
  example.facts.durations = {{{"build:cpu", {std::chrono::seconds(45)}}}};
  const Plan measured = example.plan();
  CHECK(measured.digest == guessed.digest);
  for (const Step& step : guessed.steps) CHECK(planned_step(measured, step.id).key == step.key);
  std::map<std::string, double> seconds;
  for (const Step& step : measured.steps) seconds[step.id] = step.predicted_seconds;
  CHECK(seconds.at("build:cpu") == 45);
  // Guessed at 60 and 30 for each of its two architectures; builds took half of that.
  CHECK(seconds.at("build:cu13") == 60);
  CHECK(seconds.at("test:cp311-cpu-torch2.10") == 30);
}

TEST_CASE("a new resolution of one environment changes only the steps that need it") {
  PlanExample example;
  const Plan before = example.plan();
  const auto& request =
      std::get<TestWheel>(planned_step(before, "test:cp313-cpu-torch2.13").action).environment;
  example.facts.resolutions[env::digest(request)] = "new";
  const Plan after = example.plan();
  std::set<std::string> changed;
  for (const Step& step : before.steps) {
    if (planned_step(after, step.id).key != step.key) changed.insert(step.id);
  }
  CHECK(changed == std::set<std::string>{"env:" + env::digest(request).substr(0, 12),
                                         "test:cp313-cpu-torch2.13", "test:cp313-cu130-torch2.13",
                                         "test:cp313-cu132-torch2.13"});
}

TEST_CASE("an environment records that only tests need it, and its key does not") {
  PlanExample example;
  std::string text = kPlanYaml;
  text.replace(text.find("overrides:"), 0, "test: {environment: build}\n");
  example.matrix = *matrix::parse(text, "m.yaml");
  const Plan plan = example.plan();
  const auto environment_of = [&plan](const std::string& test) {
    const Step& step = planned_step(plan, test);
    return std::get<CreateEnvironment>(planned_step(plan, step.needs.front()).action);
  };
  // The builds are those of Python 3.11 and torch 2.10.
  CHECK(environment_of("test:cp311-cpu-torch2.10").only_tests.empty());
  CHECK(environment_of("test:cp311-cu130-torch2.10").only_tests.empty());
  CreateEnvironment tested = environment_of("test:cp312-cu130-torch2.13");
  CHECK(tested.only_tests == "cpu");
  const KeyParts parts = key_parts(tested);
  tested.only_tests = "cuda/13.0";
  CHECK(key_parts(tested) == parts);
}

TEST_CASE("a test gets the torch of its variant and none of the build's packages") {
  PlanExample example;
  const Plan plan = example.plan();
  const auto& build = std::get<BuildWheel>(planned_step(plan, "build:cpu").action);
  const Step& step = planned_step(plan, "test:cp311-cpu-torch2.10");
  const auto& test = std::get<TestWheel>(step.action);
  CHECK_FALSE(build.environment.requirements.empty());
  CHECK(test.environment.requirements.empty());
  CHECK(test.environment.torch == build.environment.torch);
  CHECK(test.environment.purpose == env::Purpose::test);
  CHECK(env::torch_digest(test.environment) == env::torch_digest(build.environment));
  CHECK(env::digest(test.environment) != env::digest(build.environment));
  // All variants with that Python and that torch share it.
  CHECK(std::count_if(plan.steps.begin(), plan.steps.end(), [&](const Step& each) {
          return std::holds_alternative<TestWheel>(each.action) &&
                 each.needs.front() == step.needs.front();
        }) == 3);
}

TEST_CASE("without packages, the environments of builds and tests still differ") {
  env::Request build{.python = "3.11"};
  env::Request test = build;
  test.purpose = env::Purpose::test;
  CHECK(env::digest(build) != env::digest(test));
  CHECK_FALSE(env::has_packages(test));
}

TEST_CASE("the operators of a wheel are checked in the environment of tests") {
  PlanExample example;
  std::string text = kPlanYaml;
  text.replace(text.find("overrides:"), 0, "checks: {after: [{operators: [\"demo::sum\"]}]}\n");
  example.matrix = *matrix::parse(text, "m.yaml");
  const Plan plan = example.plan({}, Stage::build);
  const Step& step = planned_step(plan, "build:cpu");
  const env::Request& checked_in = std::get<BuildWheel>(step.action).checked_in;
  CHECK(checked_in.requirements.empty());
  const std::string id = "env:" + env::digest(checked_in).substr(0, 12);
  CHECK(std::find(step.needs.begin(), step.needs.end(), id) != step.needs.end());
  const auto requests =
      requests_of(example.matrix, example.expansion, example.outline(), {Stage::build, {}});
  REQUIRE(requests);
  CHECK(std::find(requests->begin(), requests->end(), checked_in) != requests->end());
}

TEST_CASE("a test knows the operators that its library must register") {
  PlanExample example;
  const Plan before = example.plan();
  CHECK(std::get<TestWheel>(planned_step(before, "test:cp311-cpu-torch2.10").action)
            .operators.empty());
  std::string text = kPlanYaml;
  text.replace(text.find("overrides:"), 0, "checks: {after: [{operators: [\"demo::sum\"]}]}\n");
  example.matrix = *matrix::parse(text, "m.yaml");
  const Plan after = example.plan();
  const Step& step = planned_step(after, "test:cp311-cpu-torch2.10");
  CHECK(std::get<TestWheel>(step.action).operators == std::vector<std::string>{"demo::sum"});
  CHECK(step.parts.contains("operators"));
}

TEST_CASE("publishing waits for every test and requires the evidence from the matrix") {
  const Plan plan = PlanExample().plan({}, Stage::publish);
  const Step& publish = planned_step(plan, "publish:index");
  const auto& action = std::get<Publish>(publish.action);
  CHECK(action.require_evidence.at("test:cp311-cpu-torch2.10") == "ran");
  CHECK(action.require_evidence.at("test:cp311-cu132-torch2.10") == "loaded");
  CHECK(action.builds == std::vector<std::string>{"build:cpu", "build:cu13", "sdist"});
  CHECK(action.labels.at("build:cu13") == "cu13");
  CHECK(std::count_if(publish.needs.begin(), publish.needs.end(),
                      [](const std::string& need) { return need.starts_with("test:"); }) == 18);
}

TEST_CASE("secrets and machine paths stay out of keys") {
  Source here{"/somewhere/checkout", "", "source"};
  Source there{"/elsewhere/clone", "", "source"};
  BuildWheel a;
  BuildWheel b;
  a.source = here;
  b.source = there;
  CHECK(key_parts(a) == key_parts(b));
  b.source.digest = "other";
  CHECK(key_of(key_parts(a)) != key_of(key_parts(b)));
}

TEST_CASE("the environments to resolve are the plan's") {
  const PlanExample example;
  const Plan plan = example.plan();
  const Result<std::vector<env::Request>> requests =
      requests_of(example.matrix, example.expansion, example.outline(), {Stage::test, {}});
  REQUIRE(requests);
  std::set<std::string> wanted;
  for (const env::Request& request : *requests) {
    wanted.insert("env:" + env::digest(request).substr(0, 12));
  }
  const std::vector<std::string> planned = ids_with(plan, "env:");
  CHECK(wanted == std::set<std::string>(planned.begin(), planned.end()));
}

TEST_CASE("levels are independent, and keys contain a container by its contents") {
  PlanExample example;
  const auto keys = [&](const PlanOptions& options) {
    const Result<Plan> plan =
        make_plan(example.matrix, example.expansion, example.outline({"cp311-cpu-torch2.10"}),
                  example.facts, options);
    REQUIRE(plan);
    return planned_step(*plan, "build:cpu").key;
  };
  PlanOptions host{Stage::build, {}};
  PlanOptions contained{Stage::build, {}, container::Engine::docker};
  contained.bases = {{"*", "debian:bookworm"}};
  const std::string on_host = keys(host);
  const std::string in_container = keys(contained);
  CHECK(on_host != in_container);
  // The engine that runs the container does not affect the build.
  contained.engine = container::Engine::podman;
  CHECK(keys(contained) == in_container);
  example.facts.images[container::digest(matrix::ContainerSettings{"", "debian:bookworm", {}})] =
      "k1";
  const std::string of_contents = keys(contained);
  CHECK(of_contents != in_container);
  CHECK(keys(host) == on_host);
  // The container does not use the host's compiler.
  example.facts.toolchain = "another compiler";
  CHECK(keys(contained) == of_contents);
  CHECK(keys(host) != on_host);
}

TEST_CASE("a base image is selected by compute and architecture") {
  PlanExample example;
  for (matrix::Variant& variant : example.expansion.variants) {
    variant.axes.emplace_back("arch", "aarch64");
  }
  const auto base = [&](const std::vector<std::pair<std::string, std::string>>& bases) {
    PlanOptions options{Stage::build, {}, container::Engine::docker};
    options.bases = bases;
    const Result<Plan> plan =
        make_plan(example.matrix, example.expansion, example.outline({"cp311-cpu-torch2.10"}),
                  example.facts, options);
    REQUIRE(plan);
    return std::get<BuildWheel>(planned_step(*plan, "build:cpu").action).environment.container;
  };
  CHECK(base({{"@x86_64", "one"}, {"@aarch64", "two"}}).base == "two");
  CHECK(base({{"cuda/*@aarch64", "one"}, {"c*@aarch64", "two"}}).base == "two");
  CHECK(base({{"cpu", "one"}, {"@aarch64", "two"}}).base == "one");
  CHECK(base({{"*", "one"}}).arch == "aarch64");
}

TEST_CASE("a matrix without a container or conda packages is an error when they are required") {
  const PlanExample example;
  for (const PlanOptions& options :
       {PlanOptions{Stage::build, {}, container::Engine::docker},
        PlanOptions{Stage::build, {}, container::Engine::host, env::PythonSource::conda}}) {
    const Result<Plan> plan =
        make_plan(example.matrix, example.expansion, example.outline(), example.facts, options);
    REQUIRE_FALSE(plan);
    CHECK(plan.error().kind == ErrorKind::config);
    CHECK_FALSE(plan.error().hint.empty());
  }
}

TEST_CASE("experimental builds are withheld from every target") {
  PlanExample example;
  for (matrix::Variant& variant : example.expansion.variants) {
    if (variant.get("compute") != "cpu") variant.status = matrix::Status::experimental;
  }
  const Plan plan = example.plan({}, Stage::publish);
  const auto& action = std::get<Publish>(planned_step(plan, "publish:index").action);
  CHECK(action.builds == std::vector<std::string>{"build:cpu", "sdist"});
  CHECK(action.withheld == std::vector<std::string>{"build:cu13"});
  for (matrix::Variant& variant : example.expansion.variants) {
    variant.status = matrix::Status::experimental;
  }
  const Result<Plan> nothing = make_plan(example.matrix, example.expansion, example.outline(),
                                         example.facts, {Stage::publish, {"index"}});
  REQUIRE_FALSE(nothing);
  CHECK(nothing.error().kind == ErrorKind::check);
}

TEST_CASE("a split build needs a step for each architecture, and has the key of a whole one") {
  const std::string yaml = replace_all(kPlanYaml, "[\"8.0\", \"9.0\"]}",
                                       "[\"8.0\", \"9.0+PTX\"], split: architectures}");
  const std::string unsplit = replace_all(yaml, ", split: architectures", "");
  const PlanExample split(yaml.c_str());
  const PlanExample same(unsplit.c_str());
  const Plan plan = split.plan();
  const Plan other = same.plan();
  const Step& build = planned_step(plan, "build:cu13");
  CHECK(build.key == planned_step(other, "build:cu13").key);
  for (const char* const id : {"device:cu13@8.0", "device:cu13@9.0-ptx"}) {
    CHECK(std::ranges::find(build.needs, id) != build.needs.end());
    const Step& device = planned_step(plan, id);
    const auto& action = std::get<CompileDeviceCode>(device.action);
    // Another target or check of the wheel compiles nothing again.
    CHECK((action.build.namings.empty() && action.build.settings.checks.after.empty()));
    CHECK(device.needs == planned_step(other, "build:cu13").needs);
  }
  CHECK(planned_step(plan, "device:cu13@8.0").key != planned_step(plan, "device:cu13@9.0-ptx").key);
  CHECK(plan.steps.size() == other.steps.size() + 2);
  // The build for the CPU is not split.
  CHECK(planned_step(plan, "build:cpu").needs == planned_step(other, "build:cpu").needs);
}

TEST_CASE("no plan has two steps of one name") {
  const PlanExample example;
  const Result<Plan> twice = make_plan(example.matrix, example.expansion, example.outline(),
                                       example.facts, {Stage::publish, {"index", "index"}});
  REQUIRE_FALSE(twice);
  CHECK(twice.error().kind == ErrorKind::config);
  CHECK(twice.error().message == "two steps of the plan are called `publish:index`");
}
