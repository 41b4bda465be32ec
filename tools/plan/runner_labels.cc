#include "plan/runner_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "matrix/compute_name.h"
#include "matrix/variant.h"
#include "plan/step_id.h"

namespace pinwheel::plan {
namespace {

constexpr const char* kHosted = "ubuntu-24.04";
constexpr const char* kHostedArm = "ubuntu-24.04-arm";

template <typename Rule>
const Rule* rule_for(const std::vector<Rule>& rules, const matrix::Variant& variant) {
  const auto found = std::ranges::find_if(rules, [&](const Rule& rule) {
    return rule.pattern != "default" && matrix::matches_compute(rule.pattern, variant);
  });
  return found == rules.end() ? nullptr : &*found;
}

}  // namespace

std::optional<std::vector<std::string>> runner_labels(const matrix::CiSettings& ci, RunnerUse use,
                                                      const matrix::Variant& variant,
                                                      NeedsGpu gpu) {
  if (const std::string& own = variant.get("runner"); !own.empty()) return {{own}};
  const auto& rules = use == RunnerUse::build ? ci.build_runners : ci.test_runners;
  if (const matrix::RunnerRule* const rule = rule_for(rules, variant)) return rule->labels;
  if (gpu == NeedsGpu::yes) return std::nullopt;
  const bool arm = variant.get("arch") == "aarch64";
  const auto fallback = std::ranges::find(rules, "default", &matrix::RunnerRule::pattern);
  // The default of a matrix is a machine of the architecture of most variants.
  if (fallback != rules.end() && !arm) return fallback->labels;
  return {{arm ? kHostedArm : kHosted}};
}

std::string hosted_arch(const std::vector<std::string>& labels) {
  // "ubuntu-24.04", "ubuntu-24.04-arm", "ubuntu-latest": labels of one's own may begin the same.
  if (labels.size() != 1 || !labels.front().starts_with("ubuntu-")) return {};
  std::string_view name =
      std::string_view(labels.front()).substr(std::string_view("ubuntu-").size());
  const bool arm = name.ends_with("-arm");
  if (arm) name.remove_suffix(std::string_view("-arm").size());
  const bool release = name.find_first_not_of("0123456789.") == std::string_view::npos;
  if (name.empty() || (!release && name != "latest")) return {};
  return arm ? "aarch64" : "x86_64";
}

std::string driver_command(const matrix::CiSettings& ci, const matrix::Variant& variant) {
  if (!runner_labels(ci, RunnerUse::test, variant, NeedsGpu::yes)) return {};
  if (const matrix::DriverRule* const rule = rule_for(ci.drivers, variant)) return rule->command;
  const auto fallback = std::ranges::find(ci.drivers, "default", &matrix::DriverRule::pattern);
  return fallback == ci.drivers.end() ? std::string() : fallback->command;
}

namespace {

/// The best evidence that a test can have, and the reason for the limit.
struct BestEvidence {
  Evidence most = Evidence::ran;
  std::string why = {};
  std::string fix = {};
};

/// Whether the test's own command runs only with a GPU.
bool runs_on_gpu(const TestWheel& test) {
  const bool loaded_without =
      test.compute.starts_with("cuda/") && !test.environment.torch.spec.empty();
  return test.settings.hardware == matrix::Hardware::gpu || loaded_without;
}

std::string gpu_fix(const TestWheel& test) {
  const std::string family = test.compute.substr(0, test.compute.find('/'));
  return fmt::format(
      "name a runner that has a GPU: {}",
      quoted(fmt::format("ci: {{runners: {{test: {{\"{}/*\": [LABEL]}}}}}}", family)));
}

BestEvidence best_evidence(const TestWheel& test,
                           const std::optional<std::vector<std::string>>& runner) {
  if (!test.skip.empty()) {
    const bool image = !test.image.empty();
    return {Evidence::none, test.skip,
            image ? "run the jobs in containers: `ci: {engine: docker}`" : ""};
  }
  if (!runner) return {Evidence::none, "no runner is configured for it", gpu_fix(test)};
  const std::string label = quoted(join(*runner, ", "));
  if (const std::string arch = hosted_arch(*runner); !arch.empty()) {
    if (!test.arch.empty() && test.arch != arch) {
      return {Evidence::inspected, fmt::format("runner {} is for {}", label, arch),
              "name a runner of its architecture"};
    }
    if (runs_on_gpu(test)) {
      return {Evidence::loaded, fmt::format("runner {} has no GPU", label), gpu_fix(test)};
    }
  }
  if (test.settings.command.empty()) {
    return {Evidence::loaded, "the matrix has no `test.command`, so it only imports the wheel",
            "write a `test.command`"};
  }
  return {};
}

/// The evidence of each test that any of the publications requires.
std::map<std::string, std::string> required_by(const Plan& plan) {
  std::map<std::string, std::string> required;
  for (const Step& step : plan.steps) {
    const auto* const publish = std::get_if<Publish>(&step.action);
    if (publish == nullptr) continue;
    required.insert(publish->require_evidence.begin(), publish->require_evidence.end());
  }
  return required;
}

}  // namespace

std::vector<UnreachableEvidence> unreachable_evidence(const Plan& plan,
                                                      const std::vector<matrix::Variant>& variants,
                                                      const matrix::CiSettings& ci) {
  const std::map<std::string, std::string> required = required_by(plan);
  const matrix::VariantIndex index(variants);
  std::vector<UnreachableEvidence> found;
  for (const Step& step : plan.steps) {
    const auto* const test = std::get_if<TestWheel>(&step.action);
    const auto wanted = required.find(step.id);
    if (test == nullptr || wanted == required.end()) continue;
    const Result<const matrix::Variant*> variant = index.find(test->variant_id);
    const std::optional<Evidence> least = parse_evidence(wanted->second);
    if (!variant || !least) continue;
    const NeedsGpu gpu =
        test->settings.hardware == matrix::Hardware::gpu ? NeedsGpu::yes : NeedsGpu::no;
    BestEvidence best = best_evidence(*test, runner_labels(ci, RunnerUse::test, **variant, gpu));
    if (best.most >= *least) continue;
    found.push_back({step.id, wanted->second, best.most, std::move(best.why), std::move(best.fix)});
  }
  return found;
}

std::vector<Error> unreachable_warnings(const std::vector<UnreachableEvidence>& tests) {
  std::vector<std::pair<UnreachableEvidence, std::vector<std::string>>> groups;
  for (const UnreachableEvidence& each : tests) {
    const auto same = std::ranges::find_if(groups, [&](const auto& group) {
      const UnreachableEvidence& first = group.first;
      return first.wanted == each.wanted && first.most == each.most && first.why == each.why &&
             first.fix == each.fix;
    });
    if (same == groups.end()) {
      groups.push_back({each, {each.test}});
    } else {
      same->second.push_back(each.test);
    }
  }
  std::vector<Error> warnings;
  for (const auto& [first, all] : groups) {
    const std::string others = all.size() == 1 ? "" : fmt::format(" and {} more", all.size() - 1);
    warnings.push_back(
        Error{ErrorKind::check,
              fmt::format("{}{} can have at most evidence {}, but {} is required: {}",
                          quoted(all.front()), others, quoted(to_string(first.most)),
                          quoted(first.wanted), first.why)}
            .with_hint(fmt::format(
                "{}, or require less: {}", first.fix.empty() ? "leave the test out" : first.fix,
                quoted(fmt::format("publish: {{require: {}}}", to_string(first.most))))));
  }
  return warnings;
}

}  // namespace pinwheel::plan
