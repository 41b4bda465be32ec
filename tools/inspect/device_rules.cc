#include <algorithm>
#include <set>

#include "base/text.h"
#include "inspect/arch_list.h"
#include "inspect/rule_functions.h"

namespace pinwheel::inspect {
namespace {

/// The targets that a device can run, without code for link-time optimization.
std::set<Target> contained_targets(const DeviceCodeMember& member) {
  std::set<Target> out;
  for (const binary::DeviceCode& code : member.code) {
    if (code.kind == binary::CodeKind::lto_ir || code.kind == binary::CodeKind::other) continue;
    out.insert({code.kind, code.architecture});
  }
  return out;
}

std::vector<Target> without(const std::set<Target>& from, const std::set<Target>& what) {
  std::vector<Target> out;
  std::set_difference(from.begin(), from.end(), what.begin(), what.end(), std::back_inserter(out));
  return out;
}

template <class Targets>
std::string list(const Targets& targets) {
  std::vector<std::string> names;
  names.reserve(targets.size());
  for (const Target& target : targets) names.push_back(to_string(target));
  return names.empty() ? "none" : join(names, ", ");
}

void compare(const DeviceCodeMember& member, const std::set<Target>& claimed, Findings& out) {
  const std::set<Target> contained = contained_targets(member);
  const std::string evidence = "has " + list(contained) + "; claimed " + list(claimed);
  const std::vector<Target> missing = without(claimed, contained);
  if (!missing.empty()) {
    out.push_back({"", member.name, "has no device code for " + list(missing), evidence,
                   "check that the build passes the arch list to the compiler"});
  }
  const std::vector<Target> unclaimed = without(contained, claimed);
  if (!unclaimed.empty()) {
    out.push_back({"", member.name, "has device code that was not requested: " + list(unclaimed),
                   evidence,
                   "add them to the arch list, or find out what else sets architectures"});
  }
}

}  // namespace

Findings judge_device_code(const WheelFacts& facts, const Expectations& expected) {
  if (expected.arch_list.empty() && !facts.claim.arch_list) return {};
  const Result<std::vector<Target>> targets =
      targets_of(expected.arch_list.empty() ? *facts.claim.arch_list : expected.arch_list);
  if (!targets) {
    return {{"", facts.file_name, "claims an architecture that does not exist",
             targets.error().message, targets.error().hint}};
  }
  const std::set<Target> claimed(targets->begin(), targets->end());
  Findings out;
  bool some = false;
  for (const DeviceCodeMember& member : facts.device_code) {
    if (!is_to_run(facts, member)) continue;
    some = true;
    compare(member, claimed, out);
  }
  if (!claimed.empty() && !some) {
    out.push_back({"", facts.file_name, "has no device code at all", "claimed " + list(claimed),
                   "check whether the build made only its CPU part"});
  }
  return out;
}

}  // namespace pinwheel::inspect
