#include "prepare/no_target.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "base/text.h"

namespace pinwheel::prepare {
namespace {

template <typename Named>
std::vector<std::string> names_of(const std::vector<Named>& all) {
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const Named& one : all) names.push_back(one.name);
  return names;
}

std::string no_target_message(const matrix::Matrix& matrix, const VersionFacts& version) {
  const std::string file = quoted(matrix.file);
  const DefaultChannel& default_channel = version.default_channel;
  if (default_channel.why.empty()) {
    return fmt::format("channel {} of {} publishes nowhere", quoted(version.channel), file);
  }
  std::string chosen = fmt::format("the channel is {}, since {}, and ",
                                   quoted(default_channel.name), default_channel.why);
  if (!version.channel.empty()) return chosen + fmt::format("it publishes nowhere in {}", file);
  if (matrix.channels.empty()) return chosen + file + " declares no channels";
  return chosen + fmt::format("{} declares only {}", file, quoted_list(names_of(matrix.channels)));
}

/// An example of a channel that publishes to every target of the matrix.
std::string example(const matrix::Matrix& matrix, const std::string& channel) {
  const std::vector<std::string> targets = names_of(matrix.targets);
  return fmt::format("{}: {{publish: [{}]}}", channel,
                     targets.empty() ? "TARGET" : join(targets, ", "));
}

}  // namespace

Error no_target(const matrix::Matrix& matrix, const VersionFacts& version) {
  const std::string& channel =
      version.channel.empty() ? version.default_channel.name : version.channel;
  return Error{ErrorKind::usage, no_target_message(matrix, version)}.with_hint(fmt::format(
      "write {} below `channels`, where `publish: []` makes `release` only build and test; or "
      "pass a target with `--target` or a channel with `--channel`",
      quoted(example(matrix, channel))));
}

Error no_target(const plan::FrozenPlan& plan) {
  const std::string frozen =
      plan.channel.empty() ? "no channel" : "channel " + quoted(plan.channel);
  return Error{ErrorKind::usage,
               fmt::format("the plan was frozen in {}, and has no target", frozen)}
      .with_hint(
          "freeze it again in a channel that has targets: pass `plan` a channel with "
          "`--channel`");
}

}  // namespace pinwheel::prepare
