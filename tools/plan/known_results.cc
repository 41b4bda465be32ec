#include "plan/known_results.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "plan/key.h"
#include "plan/step_id.h"

namespace pinwheel::plan {
namespace {

/// An environment or a toolkit: it needs nothing, and has no files of its own.
bool prepares_environment(const Step& step) {
  return std::holds_alternative<CreateEnvironment>(step.action) ||
         std::holds_alternative<MakeToolkit>(step.action);
}

bool is_fact_of_machine(const std::string& part) {
  return part == "toolchain" || part.starts_with("needs toolkit:");
}

/// The state of a step before anything runs.
struct KnownStep {
  std::optional<KeyParts> parts = std::nullopt;  ///< complete
  bool has_result = false;
};

/// Goes through a plan, needs first.
class Knowledge {
 public:
  Knowledge(const Plan& plan, const Results& results) {
    for (const Step& step : plan.steps) add(step, results);
  }

  const KnownStep& of(const std::string& id) const { return steps_.at(id); }
  std::optional<std::string> product_of_step(const std::string& id) const {
    const auto found = products_.find(id);
    return found == products_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  void add(const Step& step, const Results& results) {
    KnownStep& known = steps_[step.id];
    std::map<std::string, std::string> products;
    bool complete = true;
    for (const std::string& need : step.needs) {
      const auto product = products_.find(need);
      if (product != products_.end()) products.insert(*product);
      complete = complete && (product != products_.end() || compiles_device_code(need));
    }
    if (complete) known.parts = with_needs(step.parts, products);
    std::optional<StepOutcome> result;
    if (known.parts) result = find_result(results, step.id, *known.parts);
    known.has_result = result.has_value();
    if (result) {
      products_[step.id] = product_of(*result);
    } else if (prepares_environment(step)) {
      products_[step.id] = step.key;
    }
  }

  std::map<std::string, KnownStep> steps_ = {};
  std::map<std::string, std::string> products_ = {};  ///< by step id
};

/// The steps whose device code no step would use: the builds have a result.
std::set<std::string> unused_device_code(const Plan& plan, const Knowledge& knowledge) {
  std::set<std::string> unused;
  std::set<std::string> used;
  for (const Step& step : plan.steps) {
    for (const std::string& need : step.needs) {
      if (!compiles_device_code(need)) continue;
      (knowledge.of(step.id).has_result ? unused : used).insert(need);
    }
  }
  std::erase_if(unused, [&used](const std::string& id) { return used.contains(id); });
  return unused;
}

}  // namespace

bool is_shareable(const Step& step) {
  const auto* const publication = std::get_if<Publish>(&step.action);
  if (publication != nullptr) return publication->role == PublishRole::first;
  return std::holds_alternative<BuildWheel>(step.action) ||
         std::holds_alternative<CompileDeviceCode>(step.action) ||
         std::holds_alternative<BuildSdist>(step.action) ||
         std::holds_alternative<TestWheel>(step.action) ||
         std::holds_alternative<InstallWheel>(step.action);
}

std::vector<SearchableStep> searchable_steps(const Plan& plan, const Results& results) {
  const Knowledge knowledge(plan, results);
  const std::set<std::string> unused = unused_device_code(plan, knowledge);
  std::vector<SearchableStep> open;
  for (const Step& step : plan.steps) {
    const KnownStep& known = knowledge.of(step.id);
    if (!is_shareable(step) || known.has_result || !known.parts) continue;
    if (unused.contains(step.id)) continue;
    open.push_back({&step, *known.parts, key_of(*known.parts)});
  }
  return open;
}

bool is_unresolved(const Step& step) {
  if (const auto* const toolkit = std::get_if<MakeToolkit>(&step.action)) {
    return toolkit->packages.empty();
  }
  const auto* const environment = std::get_if<CreateEnvironment>(&step.action);
  return environment != nullptr && environment->resolution.empty();
}

PartialKey partial_key(const Plan& plan, const Results& results, const std::string& step) {
  const Knowledge knowledge(plan, results);
  std::set<std::string> unresolved;
  for (const Step& each : plan.steps) {
    if (is_unresolved(each)) unresolved.insert(each.id);
  }
  PartialKey key;
  for (const Step& each : plan.steps) {
    if (each.id != step) continue;
    key.parts = each.parts;
    for (const std::string& need : each.needs) {
      if (compiles_device_code(need)) continue;
      const std::optional<std::string> product = knowledge.product_of_step(need);
      if (product && !unresolved.contains(need)) {
        key.parts = with_needs(std::move(key.parts), {{need, *product}});
      } else {
        key.unknown.insert(need);
      }
    }
  }
  return key;
}

std::vector<std::string> disagreements(const KeyParts& here, const KeyParts& there) {
  std::vector<std::string> names;
  for (const KeyDifference& one : map_differences(there, here)) {
    if (!is_fact_of_machine(one.name)) names.push_back(one.name);
  }
  return names;
}

namespace {

/// The steps without a result that only steps with a result need, directly or through each other.
std::set<std::string> idle_steps(const Plan& plan, const Knowledge& knowledge) {
  std::set<std::string> idle;
  std::set<std::string> needed;
  std::set<std::string> only_known;  // needed, but by steps that do not run
  for (auto step = plan.steps.rbegin(); step != plan.steps.rend(); ++step) {
    const bool known = knowledge.of(step->id).has_result;
    const bool serves = prepares_environment(*step) || compiles_device_code(step->id);
    const bool unused = only_known.contains(step->id) && !needed.contains(step->id);
    if (serves && unused && !known) idle.insert(step->id);
    std::set<std::string>& by = known || idle.contains(step->id) ? only_known : needed;
    by.insert(step->needs.begin(), step->needs.end());
  }
  return idle;
}

}  // namespace

Plan without_idle(const Plan& plan, const Results& results) {
  const Knowledge knowledge(plan, results);
  const std::set<std::string> idle = idle_steps(plan, knowledge);
  std::map<std::string, std::string> dropped;  // id -> product
  Plan rest;
  rest.digest = plan.digest;
  for (const Step& step : plan.steps) {
    if (idle.contains(step.id)) {
      dropped[step.id] = step.key;
      continue;
    }
    Step& kept = rest.steps.emplace_back(step);
    for (const std::string& need : step.needs) {
      const auto product = dropped.find(need);
      if (product != dropped.end()) kept.parts = with_needs(std::move(kept.parts), {*product});
    }
    std::erase_if(kept.needs, [&](const std::string& need) { return dropped.contains(need); });
  }
  return rest;
}

namespace {

/// The plan without some steps that no key contains. `dropped` decides by id.
template <typename Dropped>
Plan without_steps(Plan plan, const Dropped& dropped) {
  for (Step& step : plan.steps) std::erase_if(step.needs, dropped);
  std::erase_if(plan.steps, [&](const Step& step) { return dropped(step.id); });
  return plan;
}

}  // namespace

Plan without_device_code(Plan plan, const Results& results, const std::vector<std::string>& named) {
  if (named.empty()) return plan;
  const Knowledge knowledge(plan, results);
  const auto unnamed = [&](const std::string& id) {
    return compiles_device_code(id) && !knowledge.of(id).has_result &&
           std::ranges::find(named, id) == named.end();
  };
  return without_steps(std::move(plan), unnamed);
}

Plan without_unused_device_code(Plan plan, const Results& results) {
  const auto compiles = [](const Step& step) { return compiles_device_code(step.id); };
  if (std::ranges::none_of(plan.steps, compiles)) return plan;
  const Knowledge knowledge(plan, results);
  const std::set<std::string> unused = unused_device_code(plan, knowledge);
  const auto dropped = [&](const std::string& id) {
    return unused.contains(id) && !knowledge.of(id).has_result;
  };
  return without_steps(std::move(plan), dropped);
}

std::vector<StepOutcome> known_outcomes(const Plan& plan, const Results& results) {
  const Knowledge knowledge(plan, results);
  std::vector<StepOutcome> outcomes;
  for (const Step& step : plan.steps) {
    const KnownStep& known = knowledge.of(step.id);
    if (!known.parts) continue;
    std::optional<StepOutcome> outcome = find_result(results, step.id, *known.parts);
    if (outcome) outcomes.push_back(*std::move(outcome));
  }
  return outcomes;
}

std::vector<std::string> missing_steps(const Plan& plan, const Results& results,
                                       const std::set<std::string>& requested) {
  const Knowledge knowledge(plan, results);
  const std::set<std::string> unused = unused_device_code(plan, knowledge);
  std::vector<std::string> missing;
  for (const Step& step : plan.steps) {
    if (!is_shareable(step) || requested.contains(step.id)) continue;
    if (unused.contains(step.id)) continue;
    if (!knowledge.of(step.id).has_result) missing.push_back(step.id);
  }
  return missing;
}

}  // namespace pinwheel::plan
