#include "prepare/check_channels.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "host/machine/machine_name.h"
#include "plan/outline.h"
#include "plan/promotion.h"

namespace pinwheel::prepare {
namespace {

/// The variants and targets that decide the names of a channel's wheels.
struct NamedWheels {
  std::vector<std::string> variants;
  std::vector<std::string> targets;

  bool operator==(const NamedWheels&) const = default;
};

/// `checked` has the wheels of the channels whose names were checked.
Done check_names(const Loaded& loaded, const matrix::ChannelSettings& channel,
                 const plan::ReleaseVersion& version, std::vector<NamedWheels>& checked) {
  SelectionOptions selection;
  selection.channel = channel.name;
  TRY(const plan::Outline outline, select_outline(loaded, selection, {}, channel.name));
  NamedWheels wheels{{}, plan::targets_of(loaded.matrix, channel.name, {})};
  wheels.variants.reserve(outline.variants.size());
  for (const matrix::Variant& variant : outline.variants) wheels.variants.push_back(variant.id);
  const bool known = std::ranges::find(checked, wheels) != checked.end();
  if (known && channel.through.empty()) return {};
  plan::NamingRequest request{{},
                              loaded.expansion.variants,
                              wheels.targets,
                              {version.version, version.unreleased},
                              host::machine_name()};
  request.classes.reserve(outline.builds.size());
  for (const plan::BuildGroup& group : outline.builds) request.classes.push_back(&group.cls);
  TRY(const plan::Namings namings, plan::name_wheels(loaded.matrix, request));
  if (!known) checked.push_back(std::move(wheels));
  if (channel.through.empty()) return {};
  return plan::promotion_path(loaded.matrix, outline, namings, channel.through, request.targets)
      .map([](const auto&) {});
}

/// Adds the name of the channel to the error.
Error in_channel(Error error, const matrix::ChannelSettings& channel) {
  error.message =
      fmt::format("channel {} cannot be planned: {}", quoted(channel.name), error.message);
  if (!error.at) error.at = channel.at;
  return error;
}

}  // namespace

Done check_dated_version(const matrix::Package& package, const matrix::ChannelSettings& channel) {
  const bool of_files = package.version.from == matrix::VersionFrom::project ||
                        package.version.from == matrix::VersionFrom::file;
  if (!channel.nightly_version || !of_files || !package.requirement.empty()) return {};
  return fail(Error{ErrorKind::config,
                    "`version: nightly` needs a version that can be dated, and that of the "
                    "package is written in its files"}
                  .with_location(channel.at)
                  .with_hint("let the project take its version from git tags, as setuptools-scm "
                             "does, and write `version: {from: git-tag}` below `package`; or leave "
                             "out `version: nightly`"));
}

Done check_channels(const Loaded& loaded, const std::string& name,
                    const plan::ReleaseVersion& version) {
  std::vector<NamedWheels> names;
  for (const matrix::ChannelSettings& channel : loaded.matrix.channels) {
    if (!name.empty() && channel.name != name) continue;
    Done checked = check_dated_version(loaded.matrix.package, channel);
    if (checked && !channel.publish.empty()) checked = check_names(loaded, channel, version, names);
    if (!checked) return fail(in_channel(std::move(checked).error(), channel));
  }
  return {};
}

}  // namespace pinwheel::prepare
