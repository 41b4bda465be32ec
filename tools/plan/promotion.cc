#include "plan/promotion.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "matrix/axis_value.h"
#include "matrix/selection.h"
#include "plan/step_id.h"

namespace pinwheel::plan {
namespace {

using matrix::Variant;

/// Everything but the Python and the torch of a variant.
std::vector<std::string> group_of(const Variant& variant) {
  std::vector<std::string> group = {variant.get("python").ends_with('t') ? "t" : ""};
  for (const auto& [axis, value] : variant.axes) {
    if (axis != "python" && axis != "torch") group.push_back(value);
  }
  return group;
}

int compare(const Variant& a, const Variant& b, const char* axis) {
  return matrix::compare_versions(a.get(axis), b.get(axis));
}

/// The oldest and the newest Python of a group, each with its newest torch.
struct Ends {
  const Variant* oldest = nullptr;
  const Variant* newest = nullptr;

  void add(const Variant& variant) {
    if (is_better(variant, oldest, -1)) oldest = &variant;
    if (is_better(variant, newest, 1)) newest = &variant;
  }

 private:
  static bool is_better(const Variant& variant, const Variant* known, int direction) {
    if (known == nullptr) return true;
    const int python = compare(variant, *known, "python") * direction;
    return python > 0 || (python == 0 && compare(variant, *known, "torch") > 0);
  }
};

std::string pinned_name(const wheel::Naming& naming) {
  std::string name = fmt::format("{}=={}", naming.distribution, naming.version);
  if (!naming.variants.empty()) name += " with variants";
  return quoted(name);
}

/// Checks that each wheel has the same name on both targets.
Done check_same_names(const matrix::PublishTarget& target, const std::string& through,
                      const Outline& outline, const Namings& namings) {
  for (const BuildGroup& group : outline.builds) {
    const std::vector<wheel::Naming>& names = namings.at(group.cls.id);
    const std::string first = pinned_name(name_on(through, names));
    const std::string next = pinned_name(name_on(target.name, names));
    if (first == next) continue;
    return fail(Error{ErrorKind::config,
                      fmt::format("the wheel of {} is {} on {} and {} on {}, so it cannot be "
                                  "promoted",
                                  quoted(build_id(group.cls.id)), first, quoted(through), next,
                                  quoted(target.name))}
                    .with_location(target.at)
                    .with_hint("give both targets the same `name`, `default`, `others`, "
                               "`label` and `variants`"));
  }
  return {};
}

const matrix::ChannelSettings* find_channel(const matrix::Matrix& matrix, const std::string& name) {
  const auto found = std::ranges::find(matrix.channels, name, &matrix::ChannelSettings::name);
  return found == matrix.channels.end() ? nullptr : &*found;
}

/// The targets in order, except that those whose pages link to files of another one come last.
std::vector<std::string> linking_last(const matrix::Matrix& matrix,
                                      std::vector<std::string> names) {
  std::stable_partition(names.begin(), names.end(), [&](const std::string& name) {
    const auto found = std::find_if(matrix.targets.begin(), matrix.targets.end(),
                                    [&](const auto& target) { return target.name == name; });
    return found == matrix.targets.end() || found->files.empty();
  });
  return names;
}

}  // namespace

std::vector<std::string> targets_of(const matrix::Matrix& matrix, const std::string& channel,
                                    const std::vector<std::string>& named) {
  const matrix::ChannelSettings* const found = find_channel(matrix, channel);
  if (found == nullptr) return linking_last(matrix, named);
  std::vector<std::string> targets = linking_last(matrix, named.empty() ? found->publish : named);
  if (through_of(matrix, channel, targets).empty()) return targets;
  std::erase(targets, found->through);
  targets.insert(targets.begin(), found->through);
  return targets;
}

std::string through_of(const matrix::Matrix& matrix, const std::string& channel,
                       const std::vector<std::string>& targets) {
  const matrix::ChannelSettings* const found = find_channel(matrix, channel);
  if (found == nullptr) return {};
  const bool promotes = std::ranges::any_of(found->publish, [&](const std::string& target) {
    return std::ranges::find(targets, target) != targets.end();
  });
  return promotes ? found->through : std::string();
}

std::vector<std::string> install_variants(const Outline& outline) {
  std::map<std::vector<std::string>, Ends> groups;
  for (const Variant& variant : outline.variants) {
    if (variant.status == matrix::Status::experimental) continue;
    groups[group_of(variant)].add(variant);
  }
  std::set<std::string> chosen;
  for (const auto& [group, ends] : groups) {
    chosen.insert(ends.oldest->id);
    chosen.insert(ends.newest->id);
  }
  std::vector<std::string> ids;
  for (const Variant& variant : outline.variants) {
    if (chosen.contains(variant.id)) ids.push_back(variant.id);
  }
  return ids;
}

std::vector<ChannelInstalls> channel_installs(const matrix::Matrix& matrix,
                                              const matrix::Expansion& expansion) {
  std::vector<ChannelInstalls> all;
  for (const matrix::ChannelSettings& channel : matrix.channels) {
    if (channel.through.empty()) continue;
    Result<std::vector<Variant>> selected =
        matrix::select(matrix, expansion, {.channel = channel.name});
    // A channel without variants has none to install.
    if (!selected) continue;
    all.push_back({channel.name, channel.through, install_variants({*std::move(selected), {}})});
  }
  return all;
}

Result<PromotionPath> promotion_path(const matrix::Matrix& matrix, const Outline& outline,
                                     const Namings& namings, const std::string& through,
                                     const std::vector<std::string>& targets) {
  PromotionPath path{through, install_variants(outline)};
  for (const matrix::PublishTarget& target : matrix.targets) {
    const bool promoted =
        target.name != through && std::ranges::find(targets, target.name) != targets.end();
    if (promoted) TRY_DONE(check_same_names(target, through, outline, namings));
  }
  std::ranges::copy_if(targets, std::back_inserter(path.targets),
                       [&](const std::string& target) { return target != through; });
  return path;
}

}  // namespace pinwheel::plan
