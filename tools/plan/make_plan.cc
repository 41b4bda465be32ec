#include "plan/make_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "base/digest.h"
#include "base/text.h"
#include "env/arch_list.h"
#include "env/toolkit.h"
#include "matrix/axis_value.h"
#include "matrix/condition.h"
#include "matrix/family.h"
#include "matrix/shared_settings.h"
#include "matrix/variant.h"
#include "plan/environments.h"
#include "plan/evidence_gate.h"
#include "plan/image_tests.h"
#include "plan/plan_builder.h"
#include "plan/predict.h"
#include "plan/promotion.h"
#include "plan/publication.h"
#include "plan/record.h"
#include "plan/step_id.h"
#include "plan/step_inputs.h"

namespace pinwheel::plan {
namespace {

// Guesses for steps without a recorded run; earlier runs correct them (plan/predict.h).
constexpr double kTestSeconds = 30;

/// Steps without actions by what decides their environments, resources and times: the settings of
/// a variant, its Python and its architecture. Others of their kind need not be decided again.
class AlikeSteps {
 public:
  /// The index of a step of such a variant.
  std::optional<size_t> find(const matrix::ConfiguredVariant& of) const {
    const auto found = steps_.find(deciding(of));
    return found == steps_.end() ? std::nullopt : std::optional(found->second);
  }
  void add(const matrix::ConfiguredVariant& of, size_t step) { steps_.emplace(deciding(of), step); }

 private:
  using Deciding = std::tuple<const matrix::Settings*, std::string_view, std::string_view>;

  static Deciding deciding(const matrix::ConfiguredVariant& of) {
    return {of.settings.get(), of.variant.get("python"), of.variant.get("arch")};
  }

  std::map<Deciding, size_t> steps_;
};

std::map<std::string, std::string> build_variables(const StepInputs& in,
                                                   const matrix::Variant& variant,
                                                   const matrix::Settings& settings) {
  std::map<std::string, std::string> variables = in.facts.variables;
  for (const auto& [name, value] : settings.environment.variables) variables[name] = value;
  const std::string& compute = variant.get("compute");
  if (!compute.empty()) variables["PINWHEEL_COMPUTE"] = compute;
  const std::string family = matrix::split_compute(compute).family;
  for (const auto& [name, value] : env::arch_list_variables(settings.build.arch_list, family)) {
    variables[name] = value;
  }
  return variables;
}

/// The facts about the sources of packages; those of a family's other packages have their own.
const PackageFacts* find_facts(const StepInputs& in, const matrix::Package& package) {
  const auto member = in.facts.family.find(package.name);
  return member == in.facts.family.end() ? nullptr : &member->second;
}

const Source& package_source(const StepInputs& in, const matrix::Package& package) {
  const PackageFacts* const facts = find_facts(in, package);
  return facts == nullptr ? in.facts.source : facts->source;
}

const Source& wheel_source_of_package(const StepInputs& in, const matrix::Package& package) {
  if (const PackageFacts* const facts = find_facts(in, package)) return facts->wheel_source;
  return in.facts.wheel_source ? *in.facts.wheel_source : in.facts.source;
}

const SourceChange& change_of_package(const StepInputs& in, const matrix::Package& package) {
  const PackageFacts* const facts = find_facts(in, package);
  return facts == nullptr ? in.facts.wheel_change : facts->wheel_change;
}

/// The requirement for `requires: {torch: auto}`: the torch versions on which the binary loads.
std::string torch_requirement(const matrix::Matrix& matrix, const matrix::Variant& variant) {
  if (!matrix::package_of(matrix, variant).requires_torch_auto) return {};
  const matrix::Abi& abi = matrix::abi_of(matrix, variant);
  if (abi.torch == matrix::TorchAbi::stable) return "torch>=" + abi.torch_stable;
  const std::vector<std::string> parts = split(variant.get("torch"), '.');
  // The C++ ABI is stable only within a minor release.
  if (abi.torch == matrix::TorchAbi::minor && parts.size() >= 2) {
    return fmt::format("torch=={}.{}.*", parts[0], parts[1]);
  }
  return {};
}

/// Whether each target names the distribution with a template of its own.
bool have_name_templates(const StepInputs& in) {
  const auto has_name_template = [&in](const std::string& name) {
    return std::any_of(in.matrix.targets.begin(), in.matrix.targets.end(),
                       [&name](const matrix::PublishTarget& target) {
                         return target.name == name && !target.name_template.empty() &&
                                target.name_template.find("{name}") == std::string::npos;
                       });
  };
  return !in.options.targets.empty() &&
         std::all_of(in.options.targets.begin(), in.options.targets.end(), has_name_template);
}

/// The axes whose values all selected variants of a build share.
Result<Axes> shared_axes(const StepInputs& in, const BuildGroup& group) {
  TRY(const matrix::Variant* const representative, in.variants.find(group.cls.representative));
  Axes axes = representative->axes;
  for (const std::string& test : group.tests) {
    TRY(const matrix::Variant* const variant, in.variants.find(test));
    std::erase_if(axes,
                  [variant](const auto& axis) { return variant->get(axis.first) != axis.second; });
  }
  return axes;
}

/// The time of a build that compiles the code for the host and that of one architecture.
double guess_for_one(const BuildWheel& action) {
  BuildWheel one = action;
  one.settings.build.arch_list.resize(1);
  return guess_build(one);
}

/// Adds what decides the guess of a build's time and how it is split.
void add_guessed(const StepInputs& in, const matrix::Variant& variant,
                 const matrix::Settings& settings, BuildWheel& action) {
  const matrix::Package& package = matrix::package_of(in.matrix, variant);
  action.source.files = wheel_source_of_package(in, package).files;
  action.settings.build.arch_list = settings.build.arch_list;
  action.settings.build.split = settings.build.split;
  action.compute = variant.get("compute");
}

/// Adds everything but the environments.
void add_contents(const StepInputs& in, const BuildGroup& group, const matrix::Variant& variant,
                  const matrix::Settings& settings, const Namings& namings, BuildWheel& action) {
  const matrix::Package& package = matrix::package_of(in.matrix, variant);
  const matrix::Abi& abi = matrix::abi_of(in.matrix, variant);
  const SourceChange& change = change_of_package(in, package);
  if (!have_name_templates(in)) action.package_name = package.name;
  action.source = wheel_source_of_package(in, package);
  action.settings = settings;
  action.version = in.facts.version.version;
  action.arch = variant.get("arch");
  action.compute = variant.get("compute");
  action.torch = variant.get("torch");
  action.torch_abi = abi.torch;
  action.torch_target = abi.torch_stable;
  action.variables = build_variables(in, variant, settings);
  action.secrets = settings.environment.secrets;
  action.namings = namings.at(group.cls.id);
  action.build_number = in.facts.version.build;
  action.tags = tags_of(abi, variant, in.facts.machine);
  // In a container the compiler comes from the image, which the environment's key covers.
  if (!container::uses_containers(in.options.engine)) action.toolchain = in.facts.toolchain;
  if (!in.facts.toolkits.empty()) {
    const auto toolkit = in.facts.toolkits.find(env::toolkit_digest(action.environment));
    if (toolkit != in.facts.toolkits.end()) action.toolchain += toolkit->second.exact;
  }
  action.requires_torch = torch_requirement(in.matrix, variant);
  action.source_date_epoch = change.epoch;
  action.record_json = record_json(BuildRecord{group.cls, action.torch, action.compute,
                                               settings.build.arch_list, change.commit});
}

Result<Step> build_step(const StepInputs& in, const BuildGroup& group,
                        const matrix::ConfiguredVariant& built, const Namings& namings) {
  const auto& [variant, settings] = built;
  Step step{build_id(group.cls.id), {}, {}};
  auto& action = step.action.emplace<BuildWheel>();
  action.class_id = group.cls.id;
  TRY(action.environment, build_request(in.matrix, variant, *settings, in.options));
  TRY(std::optional<env::Request> checked_in,
      operators_request(in.matrix, variant, *settings, in.options));
  if (checked_in) action.checked_in = *std::move(checked_in);
  const bool whole = in.contents == StepContents::whole;
  if (whole) add_contents(in, group, variant, *settings, namings, action);
  if (!whole) add_guessed(in, variant, *settings, action);
  const bool is_split = settings->build.split != matrix::BuildSplit::none;
  step.retry = settings->build.retry;
  step.timeout = settings->build.timeout;
  step.predicted_seconds = is_split ? guess_for_one(action) : guess_build(action);
  step.resources.cores_max = 1 << 16;
  step.resources.memory_per_core = settings->build.memory_per_job;
  if (whole) {
    TRY(step.axes, shared_axes(in, group));
  }
  return step;
}

/// The steps that compile the device code of a build, if it is split. They do not depend on what
/// happens to the wheel.
std::vector<Step> device_steps(const Step& build) {
  const auto& whole = std::get<BuildWheel>(build.action);
  std::vector<Step> steps;
  if (whole.settings.build.split == matrix::BuildSplit::none) return steps;
  BuildWheel part = whole;
  part.package_name.clear();
  part.namings.clear();
  part.requires_torch.clear();
  part.record_json.clear();
  part.siblings.clear();
  part.checked_in = {};
  part.build_number = 0;
  part.settings.checks.after.clear();
  part.settings.checks.accept.clear();
  std::set<std::string> architectures;
  for (const std::string& architecture : whole.settings.build.arch_list) {
    if (!architectures.insert(architecture).second) continue;
    Step step = build;
    step.id = device_id(whole.class_id, architecture);
    step.action = CompileDeviceCode{part, architecture};
    step.predicted_seconds = guess_for_one(whole);
    steps.push_back(std::move(step));
  }
  return steps;
}

Result<Step> sdist_step(const StepInputs& in, const PlannedSdist& sdist) {
  TRY(const SdistSetup setup, sdist_setup(in, sdist));
  const std::shared_ptr<const matrix::Settings>& settings = setup.settings;
  BuildSdist action{setup.environment,
                    package_source(in, *sdist.package),
                    sdist.package->name,
                    in.facts.version.version,
                    {},
                    in.facts.source_date_epoch};
  action.variables = settings->environment.variables;
  action.secrets = settings->environment.secrets;
  action.network = settings->build.network;
  Step step{sdist.id(), {}, action};
  step.retry = settings->build.retry;
  step.timeout = settings->build.timeout;
  step.predicted_seconds = kTestSeconds;
  return step;
}

/// Adds everything but the ids of steps and the environment.
void add_contents(const StepInputs& in, const matrix::Variant& variant,
                  const matrix::Settings& settings, TestWheel& action) {
  const matrix::Package& package = matrix::package_of(in.matrix, variant);
  action.settings = settings.test;
  action.package_name = package.name;
  action.arch = variant.get("arch");
  action.compute = variant.get("compute");
  action.source = package_source(in, package);
  action.variables = settings.environment.variables;
  action.secrets = settings.environment.secrets;
  for (const matrix::Check& check : settings.checks.after) {
    if (check.rule == "operators") action.operators = check.arguments;
  }
}

Result<Step> test_step(const StepInputs& in, const matrix::ConfiguredVariant& tested,
                       const BuildGroup& group) {
  const auto& [variant, settings] = tested;
  Step step{test_id(variant.id), {}, {}};
  auto& action = step.action.emplace<TestWheel>();
  action.variant_id = variant.id;
  action.build = build_id(group.cls.id);
  TRY(action.environment, test_request(in.matrix, variant, *settings, in.options));
  action.siblings = sibling_builds(group.cls, variant.id);
  const bool whole = in.contents == StepContents::whole;
  if (whole) add_contents(in, variant, *settings, action);
  step.needs.reserve(action.siblings.size() + 2);
  step.needs.push_back(action.build);
  step.needs.insert(step.needs.end(), action.siblings.begin(), action.siblings.end());
  step.retry = settings->build.retry;
  step.timeout = settings->test.timeout;
  step.predicted_seconds = kTestSeconds;
  step.resources.cores_max = 1 << 16;
  if (settings->test.hardware == matrix::Hardware::gpu) step.resources.pools["gpu"] = 1;
  if (whole) step.axes = variant.axes;
  return step;
}

/// The test on a distribution; a skipped one needs no environment.
Result<Step> image_test_step(const StepInputs& in, const ImageTest& test, const BuildGroup& group) {
  TRY(const matrix::ConfiguredVariant tested,
      matrix::configured(in.variants, in.settings, test.variant));
  TRY(Step step, test_step(in, tested, group));
  step.id = test.id;
  step.axes.emplace_back("image", test.image);
  auto& action = std::get<TestWheel>(step.action);
  action.image = test.image;
  action.skip = verdict_on(test, in.facts, in.options).skip;
  action.environment = action.skip.empty() ? test.environment : env::Request{};
  if (!action.skip.empty()) action.secrets.clear();
  return step;
}

/// Adds a step, which needs the environment of its action and the environment's toolkit. The
/// request may be that of the action.
Done add_with_environment(PlanBuilder& builder, Step&& step, const env::Request& request) {
  TRY(std::string toolkit, builder.toolkit(request, step));
  if (!toolkit.empty()) step.needs.insert(step.needs.begin(), std::move(toolkit));
  TRY(std::string environment, builder.environment(request, step));
  step.needs.insert(step.needs.begin(), std::move(environment));
  return builder.add(std::move(step));
}

Result<Namings> names_of(const StepInputs& in, const Outline& outline) {
  // Of the steps' times, only a promotion depends on names.
  if (in.contents == StepContents::times && in.options.through.empty()) return Namings();
  NamingRequest naming{
      {}, in.expansion.variants, in.options.targets, in.facts.version, in.facts.machine};
  naming.classes.reserve(outline.builds.size());
  for (const BuildGroup& group : outline.builds) naming.classes.push_back(&group.cls);
  return name_wheels(in.matrix, naming);
}

/// The parts of the names of a build's files that are not tags.
std::string file_names(const wheel::Naming& naming) {
  return fmt::format("{}-{}-{}", naming.distribution, naming.version, join(naming.variants, "-"));
}

/// For each build, the others of the plan that differ only in their tags.
Result<std::vector<std::vector<Sibling>>> siblings_of_builds(const StepInputs& in,
                                                             const Outline& outline,
                                                             const Namings& namings) {
  std::vector<Sibling> builds;
  std::unordered_map<std::string, std::vector<size_t>> by_name;
  std::vector<std::vector<const std::vector<size_t>*>> same(outline.builds.size());
  builds.reserve(outline.builds.size());
  for (const BuildGroup& group : outline.builds) {
    TRY(const matrix::Variant* const variant, in.variants.find(group.cls.representative));
    const size_t place = builds.size();
    builds.push_back({build_id(group.cls.id),
                      tags_of(matrix::abi_of(in.matrix, *variant), *variant, in.facts.machine)});
    for (const wheel::Naming& naming : namings.at(group.cls.id)) {
      std::vector<size_t>& named = by_name[file_names(naming)];
      named.push_back(place);
      same[place].push_back(&named);
    }
  }
  std::vector<std::vector<Sibling>> siblings(builds.size());
  for (size_t i = 0; i < builds.size(); ++i) {
    std::set<size_t> others;
    for (const std::vector<size_t>* const named : same[i]) {
      if (named->size() > 1) others.insert(named->begin(), named->end());
    }
    others.erase(i);
    for (const size_t other : others) siblings[i].push_back(builds[other]);
  }
  return siblings;
}

/// Adds a build and the steps that compile its device code.
Done add_with_device_code(PlanBuilder& builder, Step&& step) {
  auto& action = std::get<BuildWheel>(step.action);
  const env::Request& request = action.environment;
  std::vector<std::string> compiled;
  for (Step& device : device_steps(step)) {
    compiled.push_back(device.id);
    TRY_DONE(add_with_environment(builder, std::move(device), request));
  }
  step.needs = std::move(compiled);
  const bool checked_apart = action.checked_in.purpose == env::Purpose::test;
  if (checked_apart) {
    TRY(std::string checked_in, builder.environment(action.checked_in, step));
    step.needs.push_back(std::move(checked_in));
  }
  return add_with_environment(builder, std::move(step), request);
}

/// The indexes of the added builds, in the order of the outline.
using BuildPlaces = std::vector<size_t>;

Result<BuildPlaces> add_builds(const StepInputs& in, const Outline& outline, const Namings& namings,
                               PlanBuilder& builder) {
  const bool whole = in.contents == StepContents::whole;
  std::vector<std::vector<Sibling>> siblings;
  if (whole) {
    TRY(siblings, siblings_of_builds(in, outline, namings));
  }
  auto next = siblings.begin();
  AlikeSteps alike;
  BuildPlaces places;
  places.reserve(outline.builds.size());
  for (const BuildGroup& group : outline.builds) {
    TRY(const matrix::ConfiguredVariant built,
        matrix::configured(in.variants, in.settings, group.cls.representative));
    if (const std::optional<size_t> like = alike.find(built)) {
      TRY_DONE(builder.add_like(*like, build_id(group.cls.id), std::nullopt));
    } else {
      TRY(Step step, build_step(in, group, built, namings));
      if (whole) std::get<BuildWheel>(step.action).siblings = std::move(*next++);
      TRY_DONE(add_with_device_code(builder, std::move(step)));
      // Each split build needs its own device code.
      const bool is_split = built.settings->build.split != matrix::BuildSplit::none;
      if (!whole && !is_split) alike.add(built, builder.last());
    }
    places.push_back(builder.last());
  }
  return places;
}

/// Adds the tests of the variants of a build, which is at `place`.
Done add_tests_of_build(const StepInputs& in, const BuildGroup& group, size_t place,
                        AlikeSteps& alike, PlanBuilder& builder) {
  // Then the build is the last step that a test needs.
  const bool alone = group.cls.siblings.empty();
  for (const std::string& test : group.tests) {
    TRY(const matrix::ConfiguredVariant tested, matrix::configured(in.variants, in.settings, test));
    if (const std::optional<size_t> like = alone ? alike.find(tested) : std::nullopt) {
      TRY_DONE(builder.add_like(*like, test_id(test), place));
      continue;
    }
    TRY(Step step, test_step(in, tested, group));
    const env::Request& request = std::get<TestWheel>(step.action).environment;
    TRY_DONE(add_with_environment(builder, std::move(step), request));
    if (alone && in.contents == StepContents::times) alike.add(tested, builder.last());
  }
  return {};
}

/// Adds the tests of the variants; their builds are at `places`.
Done add_variant_tests(const StepInputs& in, const Outline& outline, const BuildPlaces& places,
                       PlanBuilder& builder) {
  AlikeSteps alike;
  for (size_t i = 0; i < places.size(); ++i) {
    TRY_DONE(add_tests_of_build(in, outline.builds[i], places[i], alike, builder));
  }
  return {};
}

/// Adds the tests on distributions.
Done add_image_tests(const StepInputs& in, const Outline& outline, PlanBuilder& builder) {
  if (in.image_tests.empty()) return {};
  std::unordered_map<std::string, const BuildGroup*> by_build;
  for (const BuildGroup& group : outline.builds) by_build[build_id(group.cls.id)] = &group;
  for (const ImageTest& test : in.image_tests) {
    TRY(Step step, image_test_step(in, test, *by_build.at(test.build)));
    const bool skipped = !std::get<TestWheel>(step.action).skip.empty();
    TRY_DONE(skipped ? builder.add(std::move(step))
                     : add_with_environment(builder, std::move(step), test.environment));
  }
  return {};
}

/// Adds the installations from the first target.
Done add_installations(const StepInputs& in, const Outline& outline, const Namings& namings,
                       PlanBuilder& builder) {
  TRY(const PromotionPath path,
      promotion_path(in.matrix, outline, namings, in.options.through, in.options.targets));
  const std::unordered_set<std::string> installs(path.installs.begin(), path.installs.end());
  for (const BuildGroup& group : outline.builds) {
    for (const std::string& variant : group.tests) {
      if (!installs.contains(variant)) continue;
      TRY(Step step, install_step(in, variant, group, namings));
      const env::Request& request = std::get<InstallWheel>(step.action).environment;
      TRY_DONE(add_with_environment(builder, std::move(step), request));
    }
  }
  return {};
}

/// Adds the publications. The first target of a release and the installations from it come before
/// the targets to which it is promoted.
Done add_publications(const StepInputs& in, const Outline& outline, const Namings& namings,
                      PlanBuilder& builder) {
  std::vector<std::string> targets = in.options.targets;
  const std::string& through = in.options.through;
  std::stable_partition(targets.begin(), targets.end(),
                        [&](const std::string& target) { return target == through; });
  for (const std::string& target : targets) {
    TRY(Step step, publish_step(in, target, outline, namings));
    TRY_DONE(builder.add(std::move(step)));
    if (target == through) TRY_DONE(add_installations(in, outline, namings, builder));
  }
  return {};
}

}  // namespace

std::string source_digest(const PlanFacts& facts) {
  if (facts.family.empty()) return facts.source.digest;
  std::string all = facts.source.digest + "\n";
  for (const auto& [name, member] : facts.family) {
    all += fmt::format("{} {}\n", name, member.source.digest);
  }
  return sha256_hex(all);
}

Result<std::vector<env::Request>> requests_of(const matrix::Matrix& matrix,
                                              const matrix::Expansion& expansion,
                                              const Outline& outline, const PlanOptions& options) {
  std::map<std::string, env::Request> requests;
  // Builds come first, so that an environment shared by a build and tests names the build's
  // toolkit.
  const auto remember = [&requests](env::Request request) {
    requests.emplace(env::digest(request), std::move(request));
  };
  TRY(std::vector<BuildRequest> builds, build_requests(matrix, expansion, outline, options));
  for (BuildRequest& build : builds) remember(std::move(build.request));
  const matrix::VariantIndex variants(expansion.variants);
  matrix::SharedSettings settings(matrix);
  for (const BuildGroup& group : outline.builds) {
    TRY(const matrix::ConfiguredVariant built,
        matrix::configured(variants, settings, group.cls.representative));
    TRY(std::optional<env::Request> checked,
        operators_request(matrix, built.variant, *built.settings, options));
    if (checked) remember(*std::move(checked));
  }
  for (const BuildGroup& group : outline.builds) {
    if (options.stage == Stage::build) break;
    for (const std::string& test : group.tests) {
      TRY(const matrix::ConfiguredVariant tested, matrix::configured(variants, settings, test));
      TRY(env::Request request, test_request(matrix, tested.variant, *tested.settings, options));
      remember(std::move(request));
    }
  }
  if (options.stage == Stage::publish && !options.through.empty()) {
    for (const std::string& id : install_variants(outline)) {
      TRY(const matrix::ConfiguredVariant installed, matrix::configured(variants, settings, id));
      TRY(env::Request request,
          install_request(matrix, installed.variant, *installed.settings, options));
      remember(std::move(request));
    }
  }
  std::vector<env::Request> sorted;
  sorted.reserve(requests.size());
  for (auto& [digest, request] : requests) sorted.push_back(std::move(request));
  return sorted;
}

namespace {

/// Adds the steps of an outline in topological order.
Done add_steps(const StepInputs& in, const Outline& outline, PlanBuilder& builder) {
  TRY(const Namings namings, names_of(in, outline));
  TRY(const BuildPlaces builds, add_builds(in, outline, namings, builder));
  for (const PlannedSdist& sdist : planned_sdists(in, outline)) {
    TRY(Step step, sdist_step(in, sdist));
    const env::Request request = std::get<BuildSdist>(step.action).environment;
    TRY_DONE(add_with_environment(builder, std::move(step), request));
  }
  const Stage stage = in.options.stage;
  if (stage != Stage::build) {
    TRY_DONE(add_variant_tests(in, outline, builds, builder));
    TRY_DONE(add_image_tests(in, outline, builder));
  }
  if (stage == Stage::publish) TRY_DONE(add_publications(in, outline, namings, builder));
  return {};
}

/// Either is empty.
struct PlannedSteps {
  Plan plan;
  std::vector<TimedStep> timed;
};

Result<PlannedSteps> plan_steps(const matrix::Matrix& matrix, const matrix::Expansion& expansion,
                                const Outline& outline, const PlanFacts& facts,
                                const PlanOptions& options, StepContents contents) {
  TRY(const std::vector<ImageTest> on_images, image_tests(matrix, expansion, outline, options));
  const matrix::VariantIndex variants(expansion.variants);
  const ImageTestIndex tests_on_images(on_images);
  matrix::SharedSettings settings(matrix);
  RequestDigests digests;
  const StepInputs in{matrix,    expansion,       variants, facts,   options,
                      on_images, tests_on_images, settings, digests, contents};
  PlanBuilder builder(in, outline.builds.size() + outline.variants.size() + on_images.size());
  TRY_DONE(add_steps(in, outline, builder));
  PlannedSteps planned;
  if (contents == StepContents::whole) {
    planned.plan = std::move(builder).finish();
  } else {
    planned.timed = std::move(builder).timed_steps();
  }
  return planned;
}

}  // namespace

Result<Plan> make_plan(const matrix::Matrix& matrix, const matrix::Expansion& expansion,
                       const Outline& outline, const PlanFacts& facts, const PlanOptions& options) {
  TRY(PlannedSteps planned,
      plan_steps(matrix, expansion, outline, facts, options, StepContents::whole));
  return std::move(planned.plan);
}

Result<std::vector<TimedStep>> make_timed_steps(const matrix::Matrix& matrix,
                                                const matrix::Expansion& expansion,
                                                const Outline& outline, const PlanFacts& facts,
                                                const PlanOptions& options) {
  TRY(PlannedSteps planned,
      plan_steps(matrix, expansion, outline, facts, options, StepContents::times));
  return std::move(planned.timed);
}

}  // namespace pinwheel::plan
