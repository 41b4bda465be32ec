#include "plan/publication.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/text.h"
#include "matrix/condition.h"
#include "matrix/family.h"
#include "pep/name.h"
#include "plan/environments.h"
#include "plan/evidence_gate.h"
#include "plan/promotion.h"
#include "plan/step_id.h"

namespace pinwheel::plan {
namespace {

constexpr const char* kChangelog = "CHANGELOG.md";

// Guesses for steps without a recorded run.
constexpr double kInstallSeconds = 30;
constexpr double kPublishSeconds = 30;

/// The minimum evidence that `publish.require` sets for a variant: by the first pattern that
/// matches, then `default`.
std::string required_evidence(const matrix::Matrix& matrix, const matrix::Variant& variant) {
  std::string evidence;
  for (const auto& [pattern, value] : matrix.require_evidence) {
    if (pattern == "default") {
      evidence = value;
    } else if (matrix::value_matches(pattern, variant.get("compute"))) {
      return value;
    }
  }
  return evidence;
}

/// The statuses of the selected variants, by id.
using Statuses = std::unordered_map<std::string_view, matrix::Status>;

Statuses statuses_of(const Outline& outline) {
  Statuses statuses;
  statuses.reserve(outline.variants.size());
  for (const matrix::Variant& variant : outline.variants) statuses[variant.id] = variant.status;
  return statuses;
}

/// Whether a variant is selected and not experimental.
bool is_supported(const Statuses& statuses, const std::string& variant) {
  const auto found = statuses.find(variant);
  return found != statuses.end() && found->second != matrix::Status::experimental;
}

/// Whether a build serves selected variants, and all of them are experimental.
bool is_experimental(const Statuses& statuses, const BuildGroup& group) {
  const auto selected = [&](const std::string& id) { return statuses.contains(id); };
  const auto supported = [&](const std::string& id) { return is_supported(statuses, id); };
  return std::ranges::any_of(group.tests, selected) && std::ranges::none_of(group.tests, supported);
}

/// Adds to a map keys that come almost in order: each insertion begins at the one before.
template <typename V>
class NearlySorted {
 public:
  explicit NearlySorted(std::map<std::string, V>& map) : map_(map), last_(map.end()) {}

  void set(const std::string& key, V value) {
    const auto next = last_ == map_.end() ? last_ : std::next(last_);
    last_ = map_.insert_or_assign(next, key, std::move(value));
  }

 private:
  std::map<std::string, V>& map_;
  typename std::map<std::string, V>::iterator last_;
};

/// A publication while its builds are added.
struct Publication {
  Publish& action;
  Step& step;
  bool named = true;  ///< whether something depends on which builds have names
  NearlySorted<wheel::Naming> names = NearlySorted(action.names);
  NearlySorted<std::string> labels = NearlySorted(action.labels);
  NearlySorted<ResolvedRequest> environments = NearlySorted(action.environments);
  NearlySorted<std::string> evidence = NearlySorted(action.require_evidence);
};

void require_image_tests(const StepInputs& in, const std::string& variant,
                         const std::string& evidence, Publish& action, Step& step) {
  for (const ImageTest* const test : in.tests_on_images.of(variant)) {
    step.needs.push_back(test->id);
    const bool requested =
        verdict_on(*test, in.facts, in.options).gate == ImageTestVerdict::Gate::holds;
    if (requested && !evidence.empty()) action.require_evidence[test->id] = evidence;
  }
}

Result<const matrix::PublishTarget*> find_target(const StepInputs& in, const std::string& name) {
  for (const matrix::PublishTarget& target : in.matrix.targets) {
    if (target.name == name) return &target;
  }
  return fail(ErrorKind::usage,
              fmt::format("{} has no publish target {}", quoted(in.matrix.file), quoted(name)));
}

/// The other targets of the run.
Result<std::vector<OtherTarget>> other_targets(const StepInputs& in, const std::string& target,
                                               const Publish& publication, const Outline& outline,
                                               const Namings& namings) {
  std::vector<OtherTarget> others;
  for (const std::string& name : in.options.targets) {
    if (name == target) continue;
    TRY(const matrix::PublishTarget* const found, find_target(in, name));
    if (in.contents == StepContents::times) continue;
    OtherTarget other{*found};
    for (const BuildGroup& group : outline.builds) {
      const std::string build = build_id(group.cls.id);
      if (!publication.names.contains(build)) continue;
      other.names[build] = name_on(name, namings.at(group.cls.id));
    }
    others.push_back(std::move(other));
  }
  return others;
}

/// The release that a target with tags makes.
TaggedRelease tagged_release(const StepInputs& in, const matrix::PublishTarget& target) {
  const matrix::Package& package = in.matrix.package;
  const std::string usual =
      package.source.empty() ? std::string(kChangelog) : package.source + "/" + kChangelog;
  return {package.name,
          in.facts.version.version,
          in.facts.tag,
          in.facts.commit,
          target.notes.empty() ? usual : target.notes,
          in.facts.version.build};
}

/// The target with the repository of this checkout, unless the matrix names one.
matrix::PublishTarget with_repository(const StepInputs& in, matrix::PublishTarget target) {
  if (target.repository.empty()) target.repository = in.facts.repository;
  return target;
}

/// Adds the release on GitHub that a publication makes, or to whose files its pages link.
Done add_release(const StepInputs& in, Publish& action, Step& step) {
  if (action.target.kind == matrix::TargetKind::github_release) {
    action.target = with_repository(in, std::move(action.target));
    action.release = tagged_release(in, action.target);
  }
  if (action.target.files.empty()) return {};
  TRY(const matrix::PublishTarget* const linked, find_target(in, action.target.files));
  action.linked = with_repository(in, *linked);
  action.release = tagged_release(in, *linked);
  // Another job may have published it: the step reads the release back in any case.
  const std::vector<std::string>& targets = in.options.targets;
  const bool here = std::find(targets.begin(), targets.end(), linked->name) != targets.end();
  if (here) step.needs.push_back(publish_id(linked->name));
  return {};
}

/// Adds the relation of a publication to the first target of its release. A promoted one needs the
/// first and the installations from it, with the evidence that the tests of their variants need,
/// but at most `loaded`.
Done add_role(const StepInputs& in, const Outline& outline, Publish& action, Step& step) {
  const std::string& through = in.options.through;
  if (through.empty()) return {};
  if (action.target.name == through) {
    action.role = PublishRole::first;
    action.release = tagged_release(in, action.target);
    return {};
  }
  action.role = PublishRole::promoted;
  TRY(const matrix::PublishTarget* const first, find_target(in, through));
  action.from = *first;
  step.needs.push_back(publish_id(through));
  for (const std::string& id : install_variants(outline)) {
    step.needs.push_back(install_id(id));
    TRY(const matrix::Variant* const variant, in.variants.find(id));
    const std::string evidence = evidence_of_installation(required_evidence(in.matrix, *variant));
    if (!evidence.empty()) action.require_evidence[install_id(id)] = evidence;
  }
  return {};
}

/// Whether the source is known to be that of the commit. A version that does not come from git says
/// nothing about changed files, except that only an unchanged release has a tag.
bool is_committed(const PlanFacts& facts) {
  const std::string& unreleased = facts.version.unreleased;
  return unreleased.empty() ? !facts.tag.empty() : !unreleased.ends_with(".dirty");
}

ResolvedRequest resolved(const StepInputs& in, const env::Request& request) {
  const std::string& digest = in.digests.of(request);
  return {digest, value_at(in.facts.resolutions, digest)};
}

/// The tests of a build whose variants are not experimental; all of them if all are.
std::vector<std::string> supported_tests(const Statuses& statuses, const BuildGroup& group) {
  if (is_experimental(statuses, group)) return group.tests;
  std::vector<std::string> tests;
  std::ranges::copy_if(group.tests, std::back_inserter(tests),
                       [&](const std::string& id) { return is_supported(statuses, id); });
  return tests;
}

/// The builds whose wheels the supported variants of a build require, by the ids of their steps.
std::set<std::string> siblings_of(const Statuses& statuses, const BuildGroup& group) {
  std::set<std::string> steps;
  if (group.cls.siblings.empty()) return steps;
  for (const std::string& test : supported_tests(statuses, group)) {
    const std::vector<std::string> needed = sibling_builds(group.cls, test);
    steps.insert(needed.begin(), needed.end());
  }
  return steps;
}

bool has_experimental(const Outline& outline) {
  return std::ranges::any_of(outline.variants, [](const auto& variant) {
    return variant.status == matrix::Status::experimental;
  });
}

/// The builds that are not published: all variants that they serve are experimental, and no
/// supported variant requires their wheels.
std::vector<std::string> withheld_builds(const Outline& outline, const Statuses& statuses) {
  std::set<std::string> needed;
  for (const BuildGroup& group : outline.builds) {
    if (!is_experimental(statuses, group)) needed.merge(siblings_of(statuses, group));
  }
  std::vector<std::string> withheld;
  for (const BuildGroup& group : outline.builds) {
    const std::string build = build_id(group.cls.id);
    if (is_experimental(statuses, group) && !needed.contains(build)) withheld.push_back(build);
  }
  return withheld;
}

/// Adds the tests of a build, which the publication needs.
Done add_test_needs(const StepInputs& in, const BuildGroup& group, Publication& publication) {
  for (const std::string& test : group.tests) {
    std::string evidence;
    if (in.contents == StepContents::whole) {
      TRY(const matrix::Variant* const tested, in.variants.find(test));
      evidence = required_evidence(in.matrix, *tested);
    }
    std::string step = test_id(test);
    if (!evidence.empty()) publication.evidence.set(step, evidence);
    publication.step.needs.push_back(std::move(step));
    require_image_tests(in, test, evidence, publication.action, publication.step);
  }
  return {};
}

/// Adds a build to a publication.
Done add_build(const StepInputs& in, const BuildGroup& group, const Namings& namings,
               Publication& publication) {
  Publish& action = publication.action;
  std::string build = build_id(group.cls.id);
  publication.step.needs.push_back(build);
  if (in.contents == StepContents::times) {
    if (publication.named) publication.names.set(build, {});
    action.builds.push_back(std::move(build));
    return add_test_needs(in, group, publication);
  }
  publication.names.set(build, name_on(action.target.name, namings.at(group.cls.id)));
  TRY(const matrix::ConfiguredVariant built,
      matrix::configured(in.variants, in.settings, group.cls.representative));
  // One page lists all variants.
  if (!action.target.variants) publication.labels.set(build, label_of(in.matrix, built.variant));
  TRY(const env::Request environment,
      build_request(in.matrix, built.variant, *built.settings, in.options));
  publication.environments.set(build, resolved(in, environment));
  action.builds.push_back(std::move(build));
  return add_test_needs(in, group, publication);
}

/// The published build of a package that serves the target's default compute; otherwise its first
/// one. Empty if none of the package is published. `package` is empty for the matrix's `package`.
Result<std::string> default_build(const StepInputs& in, const Outline& outline,
                                  const Publish& action, const std::string& package) {
  std::string first;
  for (const BuildGroup& group : outline.builds) {
    const std::string build = build_id(group.cls.id);
    if (group.cls.package != package || !action.names.contains(build)) continue;
    if (first.empty()) first = build;
    for (const std::string& id : group.tests.empty() ? group.cls.members : group.tests) {
      TRY(const matrix::Variant* const served, in.variants.find(id));
      if (matrix::value_matches(action.target.default_compute, served->get("compute"))) {
        return build;
      }
    }
  }
  return first;
}

/// The packages of the matrix, as `AbiClass::package` names them.
std::vector<std::string> package_names(const matrix::Matrix& matrix) {
  std::vector<std::string> names = {""};
  for (const matrix::FamilyMember& member : matrix.family) names.push_back(member.package.name);
  return names;
}

/// Decides which builds the root of an index lists: the default build of each package, and those
/// that these require.
Done add_root(const StepInputs& in, const Outline& outline, const Statuses& statuses,
              Publish& action) {
  std::set<std::string> root;
  for (const std::string& package : package_names(in.matrix)) {
    TRY(const std::string build, default_build(in, outline, action, package));
    if (build.empty()) continue;
    if (action.default_build.empty()) action.default_build = build;
    root.insert(build);
    for (const BuildGroup& group : outline.builds) {
      if (build_id(group.cls.id) == build) root.merge(siblings_of(statuses, group));
    }
  }
  root.erase(action.default_build);
  std::erase_if(root, [&](const std::string& build) { return !action.names.contains(build); });
  action.root_builds.assign(root.begin(), root.end());
  return {};
}

/// Decides which sub-indexes list each build besides its own: those of wheels that require it.
void add_listings(const Outline& outline, const Statuses& statuses, Publish& action) {
  for (const BuildGroup& group : outline.builds) {
    if (group.cls.siblings.empty()) continue;
    const std::string build = build_id(group.cls.id);
    if (!action.names.contains(build)) continue;
    const std::string label = value_at(action.labels, build);
    if (label.empty()) continue;
    for (const std::string& sibling : siblings_of(statuses, group)) {
      if (!action.names.contains(sibling) || label == value_at(action.labels, sibling)) continue;
      std::vector<std::string>& also = action.also_listed[sibling];
      if (std::ranges::find(also, label) == also.end()) also.push_back(label);
    }
  }
}

/// Adds the sdists of the published packages.
Done add_sdists(const StepInputs& in, const Outline& outline, Publish& action, Step& step) {
  for (const PlannedSdist& sdist : planned_sdists(in, outline)) {
    TRY(const std::string build, default_build(in, outline, action, sdist.group->cls.package));
    if (build.empty()) continue;
    const std::string id = sdist.id();
    action.builds.push_back(id);
    step.needs.push_back(id);
    TRY(const SdistSetup setup, sdist_setup(in, sdist));
    action.environments[id] = resolved(in, setup.environment);
  }
  return {};
}

}  // namespace

std::string PlannedSdist::id() const {
  return group->cls.package.empty() ? sdist_id() : sdist_id(group->cls.package);
}

std::vector<PlannedSdist> planned_sdists(const StepInputs& in, const Outline& outline) {
  const matrix::Matrix& matrix = in.matrix;
  std::vector<PlannedSdist> sdists;
  // An sdist has no build number: that of a re-cut is the one that the version has already.
  if (in.facts.version.build > 0) return sdists;
  for (const matrix::Package* const package : matrix::packages_of(matrix)) {
    if (!package->sdist) continue;
    const bool is_main = package == &matrix.package;
    const BuildGroup* const group = sdist_build(outline, is_main ? "" : package->name);
    if (group != nullptr) sdists.push_back({package, group});
  }
  return sdists;
}

Result<SdistSetup> sdist_setup(const StepInputs& in, const PlannedSdist& sdist) {
  TRY(matrix::ConfiguredVariant built,
      matrix::configured(in.variants, in.settings, sdist.group->cls.representative));
  TRY(env::Request environment,
      base_request(in.matrix, built.variant, *built.settings, in.options));
  return SdistSetup{std::move(built.settings), std::move(environment)};
}

std::vector<const Step*> published_sdists(const Plan& plan, const Publish& publication) {
  const std::unordered_set<std::string> builds(publication.builds.begin(),
                                               publication.builds.end());
  std::unordered_set<std::string> projects;
  for (const auto& [build, naming] : publication.names) {
    if (builds.contains(build)) projects.insert(pep::normalize_name(naming.distribution));
  }
  std::vector<const Step*> sdists;
  for (const Step& step : plan.steps) {
    const auto* const sdist = std::get_if<BuildSdist>(&step.action);
    if (sdist == nullptr || !builds.contains(step.id)) continue;
    if (projects.contains(pep::normalize_name(sdist->distribution))) sdists.push_back(&step);
  }
  return sdists;
}

Result<Step> publish_step(const StepInputs& in, const std::string& target, const Outline& outline,
                          const Namings& namings) {
  TRY(const matrix::PublishTarget* const found, find_target(in, target));
  Publish action;
  action.target = *found;
  action.pinwheel = in.facts.pinwheel;
  if (is_committed(in.facts)) action.commit = in.facts.commit;
  Step step{publish_id(target), {}, {}};
  step.predicted_seconds = kPublishSeconds;
  TRY_DONE(add_release(in, action, step));
  const bool whole = in.contents == StepContents::whole;
  const bool experimental = has_experimental(outline);
  const Statuses statuses = whole || experimental ? statuses_of(outline) : Statuses();
  if (experimental) action.withheld = withheld_builds(outline, statuses);
  const std::unordered_set<std::string> withheld(action.withheld.begin(), action.withheld.end());
  Publication publication{action, step, whole || !planned_sdists(in, outline).empty()};
  step.needs.reserve(outline.builds.size() + outline.variants.size() + in.image_tests.size());
  for (const BuildGroup& group : outline.builds) {
    if (!withheld.empty() && withheld.contains(build_id(group.cls.id))) continue;
    TRY_DONE(add_build(in, group, namings, publication));
  }
  if (action.builds.empty()) {
    return fail(ErrorKind::check,
                fmt::format("nothing to publish to {}: everything selected is experimental, which "
                            "is never published",
                            quoted(target)),
                "select supported variants as well");
  }
  if (whole) {
    TRY_DONE(add_root(in, outline, statuses, action));
    add_listings(outline, statuses, action);
  }
  TRY_DONE(add_sdists(in, outline, action, step));
  TRY(action.others, other_targets(in, target, action, outline, namings));
  TRY_DONE(add_role(in, outline, action, step));
  step.action = std::move(action);
  step.resources.pools["upload"] = 1;
  return step;
}

Result<Step> install_step(const StepInputs& in, const std::string& id, const BuildGroup& group,
                          const Namings& namings) {
  TRY(const matrix::ConfiguredVariant installed, matrix::configured(in.variants, in.settings, id));
  const auto& [variant, settings] = installed;
  TRY(const matrix::PublishTarget* const target, find_target(in, in.options.through));
  InstallWheel action{id,
                      build_id(group.cls.id),
                      name_on(target->name, namings.at(group.cls.id)),
                      *target,
                      {},
                      variant.get("arch"),
                      variant.get("compute"),
                      settings->environment.variables};
  TRY(action.environment, install_request(in.matrix, variant, *settings, in.options));
  const auto siblings = group.cls.siblings.find(id);
  if (siblings != group.cls.siblings.end()) {
    for (const std::string& cls : siblings->second) {
      action.siblings.push_back(name_on(target->name, namings.at(cls)));
    }
  }
  Step step{install_id(id), {}, action, {action.build, publish_id(target->name)}};
  step.retry = settings->build.retry;
  step.timeout = settings->test.timeout;
  step.predicted_seconds = kInstallSeconds;
  step.resources.pools["install"] = 1;
  step.axes = variant.axes;
  return step;
}

}  // namespace pinwheel::plan
