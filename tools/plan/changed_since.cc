#include "plan/changed_since.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/map_difference.h"
#include "base/text.h"
#include "plan/environments.h"
#include "plan/key.h"
#include "plan/known_results.h"
#include "plan/step_id.h"
#include "plan/store_answer.h"
#include "project/ignored_files.h"

namespace pinwheel::plan {
namespace {

constexpr const char* kSourceDigest = "source.digest";
constexpr std::string_view kNeedPrefix = "needs ";
constexpr size_t kMostNames = 5;  // of files and packages in a reason

/// Whether a step is compared: the others are made for it, or happen once.
bool is_compared(const Step& step) {
  return std::holds_alternative<BuildWheel>(step.action) ||
         std::holds_alternative<BuildSdist>(step.action) ||
         std::holds_alternative<TestWheel>(step.action);
}

const Source* source_of_step(const Step& step) {
  if (const auto* const build = std::get_if<BuildWheel>(&step.action)) return &build->source;
  if (const auto* const sdist = std::get_if<BuildSdist>(&step.action)) return &sdist->source;
  if (const auto* const test = std::get_if<TestWheel>(&step.action)) return &test->source;
  return nullptr;
}

std::map<std::string, const Step*> steps_by_id(const Plan& plan) {
  std::map<std::string, const Step*> steps;
  for (const Step& step : plan.steps) steps[step.id] = &step;
  return steps;
}

/// The files in which the sources of two steps differ. Many steps have the same source.
class FileChanges {
 public:
  /// Empty if a source does not list its files.
  const std::vector<std::string>& between(const Step& then, const Step& now) {
    const Source* const before = source_of_step(then);
    const Source* const after = source_of_step(now);
    const bool listed = before != nullptr && after != nullptr && before->files && after->files;
    if (!listed) return none_;
    const auto [at, added] = found_.try_emplace({before->files.get(), after->files.get()});
    if (!added) return at->second;
    for (const auto& each : map_differences(before->files->digests, after->files->digests)) {
      at->second.push_back(each.name);
    }
    return at->second;
  }

 private:
  using Sides = std::pair<const SourceFiles*, const SourceFiles*>;

  std::map<Sides, std::vector<std::string>> found_ = {};
  const std::vector<std::string> none_ = {};
};

/// The files that wheels receive from a directory.
std::set<std::string> files_in_wheels(const Plan& plan, const std::string& directory) {
  std::set<std::string> names;
  for (const Step& step : plan.steps) {
    const auto* const build = std::get_if<BuildWheel>(&step.action);
    if (build == nullptr || build->source.directory != directory || !build->source.files) continue;
    for (const auto& [name, digest] : build->source.files->digests) names.insert(name);
  }
  return names;
}

/// Decides which files of a side affect its steps only through other parts of their keys.
class SilentFiles {
 public:
  explicit SilentFiles(const SinceSide& side) : side_(side) {}

  bool has(const Step& step, const std::string& name) {
    const Source& source = *source_of_step(step);
    const bool matrix = std::filesystem::path(source.directory) / name == side_.matrix;
    if (matrix || is_lock(name)) return !has_command_with(step, name);
    if (!project::is_documentation(name) || is_read(step, name)) return false;
    auto found = in_wheels_.find(source.directory);
    if (found == in_wheels_.end()) {
      found =
          in_wheels_.emplace(source.directory, files_in_wheels(side_.plan, source.directory)).first;
    }
    return !found->second.contains(name);
  }

 private:
  static bool is_lock(const std::string& name) {
    return glob_match("pylock.*.toml", last_part(name)) ||
           name.find(".locks/") != std::string::npos;
  }

  /// Whether a test runs documentation: its command contains the name of the file or of its
  /// directory, or an option such as `--doctest-glob`.
  static bool is_read(const Step& step, const std::string& name) {
    return has_command_with(step, name.substr(0, name.find('/'))) ||
           has_command_with(step, "doctest");
  }

  static bool has_command_with(const Step& step, std::string_view text) {
    const auto* const test = std::get_if<TestWheel>(&step.action);
    if (test == nullptr) return false;
    const auto has_text = [text](const std::string& word) {
      return word.find(text) != std::string::npos;
    };
    return std::ranges::any_of(test->settings.command, has_text) ||
           std::ranges::any_of(test->settings.without_gpu, has_text);
  }

  const SinceSide& side_;
  std::map<std::string, std::set<std::string>> in_wheels_ = {};  ///< by directory
};

/// The plan of this side. Where only silent files of a test or an sdist differ, its source is that
/// of the other side.
Plan without_silent_changes(const SinceSide& then, const SinceSide& now, FileChanges& changes) {
  const std::map<std::string, const Step*> before = steps_by_id(then.plan);
  SilentFiles silent_then(then);
  SilentFiles silent_now(now);
  Plan plan = now.plan;
  for (Step& step : plan.steps) {
    const auto found = before.find(step.id);
    if (found == before.end() || std::holds_alternative<BuildWheel>(step.action)) continue;
    const std::vector<std::string>& files = changes.between(*found->second, step);
    const bool silent = !files.empty() && std::ranges::all_of(files, [&](const std::string& name) {
      return silent_then.has(*found->second, name) && silent_now.has(step, name);
    });
    const auto digest = found->second->parts.find(kSourceDigest);
    if (silent && digest != found->second->parts.end()) step.parts[kSourceDigest] = digest->second;
  }
  return plan;
}

/// "a.cpp, b.h and 3 more".
std::string some_names(const std::vector<std::string>& names) {
  const size_t shown = std::min(names.size(), kMostNames);
  const std::string first = join(
      std::vector<std::string>(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown)),
      ", ");
  return names.size() > shown ? fmt::format("{} and {} more", first, names.size() - shown) : first;
}

std::string source_reason(const std::vector<std::string>& files) {
  if (files.empty()) return "source changed";
  return fmt::format("source changed ({}: {})", plural(files.size(), "file"), some_names(files));
}

using Packages = store::InstalledPackages;

std::vector<std::string> package_reasons(const Packages* then, const Packages* now) {
  std::vector<std::string> reasons;
  if (then != nullptr && now != nullptr) {
    const std::vector<PackageDifference> all = map_differences(*then, *now);
    for (size_t i = 0; i < std::min(all.size(), kMostNames); ++i) {
      reasons.push_back("package " + to_text(all[i]));
    }
    if (all.size() > kMostNames) {
      reasons.push_back(fmt::format("{} more packages", all.size() - kMostNames));
    }
  }
  if (reasons.empty()) reasons.emplace_back("its environment changed");
  return reasons;
}

const Packages* packages_of(const SinceSide& side, const std::string& step) {
  const auto found = side.packages.find(step);
  return found == side.packages.end() ? nullptr : &found->second;
}

/// Compares steps in plan order, so that those that a step needs come first.
class Comparison {
 public:
  Comparison(const SinceSide& then, const Results& results, const SinceSide& now,
             const std::string& rev)
      : then_(then),
        now_(now),
        rev_(rev),
        plan_(without_silent_changes(then, now, changes_)),
        before_(steps_by_id(then.plan)) {
    for (const Step& step : plan_.steps) {
      if (prepares(step.id)) made_[step.id] = step.key;
    }
    for (StepOutcome& outcome : known_outcomes(then.plan, results)) {
      results_[{outcome.id, outcome.key}] = outcome;
      outcomes_[outcome.id] = std::move(outcome);
    }
    for (const StepOutcome& outcome : known_outcomes(plan_, results_)) same_.insert(outcome.id);
  }

  std::vector<SinceStep> all() {
    std::vector<SinceStep> steps;
    for (const Step& step : plan_.steps) {
      if (!is_compared(step)) continue;
      steps.push_back(compare(step));
      if (steps.back().state != SinceState::unchanged) running_.insert(step.id);
    }
    return steps;
  }

 private:
  SinceStep compare(const Step& step) {
    if (same_.contains(step.id)) return {step.id, SinceState::unchanged};
    const auto result = outcomes_.find(step.id);
    if (result == outcomes_.end()) {
      const std::string why = before_.contains(step.id)
                                  ? fmt::format("no result of {}", quoted(rev_))
                                  : fmt::format("{} has no such step", quoted(rev_));
      return {step.id, SinceState::no_result, {why}};
    }
    return {step.id, SinceState::changed, reasons(step, result->second)};
  }

  /// The parts of a step's key whose needs are known without running anything.
  KeyParts parts_of(const Step& step) const {
    std::map<std::string, std::string> products;
    for (const std::string& need : step.needs) {
      if (const auto known = outcomes_.find(need); known != outcomes_.end()) {
        products[need] = product_of(known->second);
      }
      if (const auto made = made_.find(need); made != made_.end()) products[need] = made->second;
    }
    return with_needs(step.parts, products);
  }

  std::vector<std::string> reasons(const Step& step, const StepOutcome& result) {
    std::vector<std::string> out;
    for (const std::string& need : step.needs) {
      if (running_.contains(need)) out.push_back(fmt::format("{} changed", quoted(need)));
    }
    const std::vector<KeyDifference> all = map_differences(result.parts, parts_of(step));
    const bool source = std::ranges::any_of(
        all, [](const KeyDifference& one) { return one.name == kSourceDigest; });
    bool environment = false;
    for (const KeyDifference& one : all) {
      if (one.name == kSourceDigest) {
        out.push_back(source_reason(changes_.between(*before_.at(step.id), step)));
      } else if (is_of_environment(one)) {
        environment = true;
      } else if (one.name.starts_with(kNeedPrefix)) {
        if (one.name.starts_with("needs toolkit:") && one.now) out.push_back("its toolkit changed");
      } else if (!source || (one.name != "epoch" && one.name != "record")) {
        // The date and the record of a changed source follow from it.
        out.push_back(to_text(one));
      }
    }
    if (environment) {
      for (std::string& each :
           package_reasons(packages_of(then_, step.id), packages_of(now_, step.id))) {
        out.push_back(std::move(each));
      }
    }
    if (out.empty()) out.emplace_back("its key changed");
    return out;
  }

  const SinceSide& then_;
  const SinceSide& now_;
  const std::string& rev_;
  FileChanges changes_ = {};
  Plan plan_;
  std::map<std::string, const Step*> before_;
  Results results_ = {};                              ///< of `then`
  std::map<std::string, StepOutcome> outcomes_ = {};  ///< the same by step
  std::set<std::string> same_ = {};                   ///< steps of `now` with one of them
  std::set<std::string> running_ = {};
  std::map<std::string, std::string> made_ = {};  ///< environments and toolkits: their keys
};

}  // namespace

std::string_view to_string(SinceState state) {
  switch (state) {
    case SinceState::unchanged:
      return "unchanged";
    case SinceState::changed:
      return "changed";
    case SinceState::no_result:
      return "no-result";
  }
  return {};
}

std::vector<SinceStep> compare_sides(const SinceSide& then, const Results& results,
                                     const SinceSide& now, const std::string& rev) {
  return Comparison(then, results, now, rev).all();
}

bool has_any_result(const Plan& plan, const Results& results) {
  const std::vector<StepOutcome> outcomes = known_outcomes(plan, results);
  return std::ranges::any_of(
      outcomes, [](const StepOutcome& each) { return !prepares(each.id) && !publishes(each.id); });
}

std::vector<std::string> steps_to_run(const ChangedSince& since) {
  std::vector<std::string> ids;
  for (const SinceStep& step : since.steps) {
    if (step.state != SinceState::unchanged) ids.push_back(step.id);
  }
  return ids;
}

Outline affected_part(const Outline& outline, const ChangedSince& since) {
  std::set<std::string> builds;
  std::set<std::string> variants;
  for (const std::string& id : steps_to_run(since)) {
    const std::optional<StepKind> kind = kind_of_step(id);
    if (kind == StepKind::build) builds.insert(id);
    if (kind == StepKind::test) variants.insert(variant_of(id));
  }
  const std::unordered_map<std::string, std::string> build_of = builds_by_variant(outline);
  std::vector<matrix::Variant> affected;
  for (const matrix::Variant& variant : outline.variants) {
    const auto build = build_of.find(variant.id);
    const bool built = build != build_of.end() && builds.contains(build->second);
    if (built || variants.contains(variant.id)) affected.push_back(variant);
  }
  return part_of(outline, affected);
}

}  // namespace pinwheel::plan
