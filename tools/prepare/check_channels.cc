#include "prepare/check_channels.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "host/machine/machine_name.h"
#include "matrix/selection.h"
#include "plan/outline.h"
#include "plan/promotion.h"

namespace pinwheel::prepare {
namespace {

/// The variants and targets that decide the names of a channel's wheels.
struct NamedWheels {
  std::vector<const matrix::Variant*> variants;
  std::vector<std::string> targets;

  bool operator==(const NamedWheels&) const = default;
};

plan::Outline outline_of_selected(const Loaded& loaded,
                                  const std::vector<const matrix::Variant*>& selected) {
  std::vector<matrix::Variant> variants;
  variants.reserve(selected.size());
  for (const matrix::Variant* const variant : selected) variants.push_back(*variant);
  return plan::make_outline(loaded.classes, std::move(variants));
}

/// The classes of all variants, or those of `outline` if it has only some of them.
std::vector<const matrix::AbiClass*> built_classes(const Loaded& loaded,
                                                   const plan::Outline& outline) {
  std::vector<const matrix::AbiClass*> classes;
  classes.reserve(loaded.classes.size());
  if (outline.variants.empty()) {
    for (const matrix::AbiClass& cls : loaded.classes) classes.push_back(&cls);
  }
  for (const plan::BuildGroup& group : outline.builds) classes.push_back(&group.cls);
  return classes;
}

/// `checked` has the wheels of the channels whose names were checked.
Done check_names(const Loaded& loaded, const matrix::ChannelSettings& channel,
                 const plan::ReleaseVersion& version, std::vector<NamedWheels>& checked) {
  NamedWheels wheels{{}, plan::targets_of(loaded.matrix, channel.name, {})};
  TRY(wheels.variants,
      matrix::find_selected(loaded.matrix, loaded.expansion, {.channel = channel.name}));
  const bool known = std::ranges::find(checked, wheels) != checked.end();
  if (known && channel.through.empty()) return {};
  plan::Outline outline;
  if (!channel.through.empty() || wheels.variants.size() < loaded.expansion.variants.size()) {
    outline = outline_of_selected(loaded, wheels.variants);
  }
  plan::NamingRequest request{built_classes(loaded, outline),
                              loaded.expansion.variants,
                              wheels.targets,
                              {version.version, version.unreleased},
                              host::machine_name()};
  if (!known) checked.push_back(std::move(wheels));
  if (channel.through.empty()) return plan::check_wheel_names(loaded.matrix, request);
  TRY(const plan::Namings namings, plan::name_wheels(loaded.matrix, request));
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
