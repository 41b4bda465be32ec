#include "inspect/kernel_changes.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "inspect/size_shares.h"

namespace pinwheel::inspect {
namespace {

using KernelPlace = std::tuple<std::string, std::string, std::string>;
using KernelsByPlace = std::map<KernelPlace, std::vector<const binary::CubinKernel*>>;

KernelsByPlace kernels_by_place(const WheelFacts& facts) {
  KernelsByPlace out;
  for (const DeviceCodeMember& member : facts.device_code) {
    for (const KernelFacts& each : member.kernels) {
      out[{each.kernel.name, member.name, each.architecture}].push_back(&each.kernel);
    }
  }
  for (auto& [place, kernels] : out) {
    std::stable_sort(kernels.begin(), kernels.end(), [](const auto* left, const auto* right) {
      return left->code_size < right->code_size;
    });
  }
  return out;
}

/// The kernels of `all` at each place from the number that `others` has there.
std::vector<PlacedKernel> without(const KernelsByPlace& all, const KernelsByPlace& others) {
  std::vector<PlacedKernel> out;
  for (const auto& [place, kernels] : all) {
    const auto found = others.find(place);
    const size_t shared = found == others.end() ? 0 : found->second.size();
    for (size_t i = shared; i < kernels.size(); ++i) {
      out.push_back({std::get<1>(place), std::get<2>(place), *kernels[i]});
    }
  }
  return out;
}

using Sizes = std::map<std::string, uint64_t>;

Sizes file_sizes(const WheelFacts& facts) {
  Sizes out;
  for (const MemberFacts& member : facts.members) {
    const bool info = !facts.dist_info.empty() && member.name.starts_with(facts.dist_info + "/");
    const std::string name =
        info ? "*.dist-info" + member.name.substr(facts.dist_info.size()) : member.name;
    // A file outside of an archive has no size in it.
    out[name] = facts.dist_info.empty() ? member.size : member.compressed_size;
  }
  return out;
}

Sizes share_sizes(const std::vector<SizeShare>& shares) {
  Sizes out;
  for (const SizeShare& share : shares) out[share.what] += share.bytes;
  return out;
}

void add_size_changes(SizeChange::Part part, const Sizes& before, const Sizes& after,
                      std::vector<SizeChange>& out) {
  std::map<std::string, SizeChange> both;
  for (const auto& [name, size] : before) both[name].before = size;
  for (const auto& [name, size] : after) both[name].after = size;
  std::vector<SizeChange> changed;
  for (auto& [name, change] : both) {
    if (change.before == change.after) continue;
    changed.push_back({part, name, change.before, change.after});
  }
  const auto growth = [](const SizeChange& change) {
    return static_cast<int64_t>(change.after) - static_cast<int64_t>(change.before);
  };
  std::stable_sort(changed.begin(), changed.end(),
                   [&](const SizeChange& left, const SizeChange& right) {
                     return growth(left) > growth(right);
                   });
  out.insert(out.end(), changed.begin(), changed.end());
}

}  // namespace

std::string_view to_string(SizeChange::Part part) {
  if (part == SizeChange::Part::file) return "file";
  return part == SizeChange::Part::section ? "section" : "architecture";
}

bool needs_more(const ChangedKernel& kernel) {
  const binary::CubinKernel& before = kernel.before;
  const binary::CubinKernel& after = kernel.after;
  // An unbounded stack is more than any; unknown spills cannot be compared.
  const bool more_stack = before.stack && (!after.stack || *after.stack > *before.stack);
  const bool more_spills = before.spills && after.spills && *after.spills > *before.spills;
  return after.registers > before.registers || more_stack || more_spills ||
         after.shared > before.shared;
}

KernelChanges kernel_changes(const WheelFacts& before, const WheelFacts& after) {
  const KernelsByPlace old_kernels = kernels_by_place(before);
  const KernelsByPlace new_kernels = kernels_by_place(after);
  KernelChanges out;
  out.gained = without(new_kernels, old_kernels);
  out.lost = without(old_kernels, new_kernels);
  for (const auto& [place, kernels] : old_kernels) {
    const auto found = new_kernels.find(place);
    if (found == new_kernels.end()) continue;
    for (size_t i = 0; i < std::min(kernels.size(), found->second.size()); ++i) {
      if (*kernels[i] == *found->second[i]) continue;
      out.changed.push_back(
          {std::get<1>(place), std::get<2>(place), *kernels[i], *found->second[i]});
    }
  }
  std::stable_sort(out.changed.begin(), out.changed.end(),
                   [](const ChangedKernel& left, const ChangedKernel& right) {
                     return needs_more(left) && !needs_more(right);
                   });
  return out;
}

std::vector<SizeChange> size_changes(const WheelFacts& before, const WheelFacts& after) {
  std::vector<SizeChange> out;
  const SizeShares old_shares = size_shares(before);
  const SizeShares new_shares = size_shares(after);
  add_size_changes(SizeChange::Part::file, file_sizes(before), file_sizes(after), out);
  add_size_changes(SizeChange::Part::section, share_sizes(old_shares.sections),
                   share_sizes(new_shares.sections), out);
  add_size_changes(SizeChange::Part::architecture, share_sizes(old_shares.architectures),
                   share_sizes(new_shares.architectures), out);
  return out;
}

}  // namespace pinwheel::inspect
