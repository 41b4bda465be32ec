#include "prepare/version_facts.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <optional>

#include "base/text.h"
#include "host/machine/machine_name.h"
#include "plan/promotion.h"
#include "prepare/check_channels.h"
#include "prepare/checkout_state.h"
#include "prepare/host.h"
#include "prepare/http_options.h"
#include "prepare/load.h"
#include "prepare/package_version.h"
#include "publish/github_place.h"
#include "version/run_date.h"
#include "version/tagged.h"

namespace pinwheel::prepare {
namespace {

namespace fs = std::filesystem;

// The earliest DOS time in a zip; the date of a package without a commit and SOURCE_DATE_EPOCH.
constexpr int64_t kFirstZipTime = 315532800;

const matrix::ChannelSettings* find_channel(const matrix::Matrix& matrix, const std::string& name) {
  for (const matrix::ChannelSettings& channel : matrix.channels) {
    if (channel.name == name) return &channel;
  }
  return nullptr;
}

/// The repository's facts; nullopt if the package has no directory, or if there is no repository
/// and the version does not come from git.
Result<std::optional<ports::GitFacts>> git_facts(ports::Git& git, const matrix::Matrix& matrix,
                                                 const fs::path& directory) {
  if (!matrix.package.requirement.empty()) return std::nullopt;
  Result<ports::GitFacts> facts = own_repository(git, directory);
  if (facts) return std::optional<ports::GitFacts>(std::move(*facts));
  if (facts.error().kind == ErrorKind::config) return fail(facts.error());
  if (matrix.package.version.from == matrix::VersionFrom::git_tag) return fail(facts.error());
  return std::nullopt;
}

Result<DefaultChannel> default_channel(const matrix::Matrix& matrix,
                                       const std::optional<ports::GitFacts>& git) {
  version::CommitChannel found;
  if (!git || matrix.package.version.from != matrix::VersionFrom::git_tag) {
    return DefaultChannel{std::string(to_string(found.channel)), "the version comes from no tag"};
  }
  TRY(found, version::channel_of(*git, rules_of(matrix.package.version)));
  return DefaultChannel{std::string(to_string(found.channel)),
                        found.tag.empty() ? "no tag of a version is on HEAD"
                                          : fmt::format("tag {} is on HEAD", quoted(found.tag))};
}

int64_t seconds(std::chrono::system_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

Result<int64_t> source_epoch(const std::map<std::string, std::string>& variables,
                             const std::optional<ports::GitFacts>& git,
                             std::chrono::system_clock::time_point date) {
  const std::optional<std::string> set = named_date(variables);
  if (set && !set->empty()) return seconds(date);
  return git ? seconds(git->date) : kFirstZipTime;
}

/// The tag of a release of HEAD; empty for a commit that is none.
Result<std::string> release_tag_of(const ports::GitFacts& git, const matrix::Package& package,
                                   const plan::ReleaseVersion& version) {
  if (git.dirty || !version.unreleased.empty()) return std::string();
  TRY(const std::optional<version::ReleaseTag> tag,
      version::release_tag(git, package.version.match, package.name, version.version,
                           {version.build, rules_of(package.version).recuts}));
  return tag ? tag->name : std::string();
}

/// The build number that the tag on HEAD gives the version; 0: none. If the version comes from
/// files, the tag must be of that version.
uint64_t tagged_build(const VersionFacts& facts, const version::Derived& derived) {
  const bool same = facts.tag && !facts.dirty && facts.tag->version == derived.version;
  return same ? facts.tag->build : derived.build;
}

Done check_build_number(uint64_t build, version::Channel channel) {
  if (build == 0 || channel != version::Channel::nightly) return {};
  return fail(ErrorKind::usage,
              fmt::format("{} cannot be used for a nightly",
                          quoted(fmt::format("--build-number {}", build))),
              "each nightly has a version of its own; a re-cut is of a version that is published "
              "already");
}

}  // namespace

std::optional<std::string> named_date(const std::map<std::string, std::string>& variables) {
  const auto found = variables.find("SOURCE_DATE_EPOCH");
  return found == variables.end() ? std::nullopt : std::optional(found->second);
}

version::Channel version_channel(const matrix::Matrix& matrix, const std::string& name) {
  const matrix::ChannelSettings* const channel = find_channel(matrix, name);
  if (channel != nullptr && channel->nightly_version) return version::Channel::nightly;
  return version::parse_channel(name).value_or(version::Channel::ci);
}

bool publishes_nowhere(const matrix::Matrix& matrix, const std::string& channel) {
  const matrix::ChannelSettings* const found = find_channel(matrix, channel);
  return found != nullptr && found->publishes_nowhere;
}

Result<VersionFacts> gather_version_facts(const Host& host, const Loaded& loaded,
                                          const std::string& channel,
                                          const std::vector<std::string>& targets, uint64_t build,
                                          const ports::LogHandle& log) {
  const matrix::Matrix& matrix = loaded.matrix;
  TRY(const fs::path directory, package_directory(host, matrix));
  TRY(const std::optional<ports::GitFacts> repository, git_facts(host.git, matrix, directory));
  VersionFacts facts;
  facts.channel = channel;
  if (channel.empty()) {
    TRY(facts.default_channel, default_channel(matrix, repository));
    // No limits apply if the matrix does not have the channel.
    if (find_channel(matrix, facts.default_channel.name) != nullptr)
      facts.channel = facts.default_channel.name;
  }
  facts.targets = plan::targets_of(matrix, facts.channel, targets);
  const matrix::ChannelSettings* const found = find_channel(matrix, facts.channel);
  if (found != nullptr) TRY_DONE(check_dated_version(matrix.package, *found));
  if (targets.empty() && found != nullptr) {
    facts.publishes_nowhere = publishes_nowhere(matrix, facts.channel);
  }
  TRY(const auto date, version::run_date(named_date(host.variables), host.clock.now()));
  const std::shared_ptr<ports::Http> http = host.http(http_options(host.variables), log, {});
  const VersionSources sources{host, http.get(), repository ? &*repository : nullptr, directory,
                               date};
  const version::Channel kind = version_channel(matrix, facts.channel);
  TRY_DONE(check_build_number(build, kind));
  TRY(const version::Derived derived, package_version(matrix.package, kind, sources));
  facts.version = {pep::to_string(derived.version), derived.unreleased};
  facts.why = derived.why;
  TRY(facts.source_date_epoch, source_epoch(host.variables, repository, date));
  if (repository) {
    facts.commit = repository->commit;
    facts.branch = repository->branch;
    facts.dirty = repository->dirty;
    TRY(facts.tag, tag_on_head(*repository, matrix.package));
  }
  facts.version.build = build > 0 ? build : tagged_build(facts, derived);
  if (repository) {
    TRY(facts.release_tag, release_tag_of(*repository, matrix.package, facts.version));
  }
  facts.repository =
      publish::github_repository(host.variables, repository ? repository->origin : std::string());
  facts.machine = host::machine_name();
  return facts;
}

Result<std::optional<version::Tagged>> tag_on_head(const ports::GitFacts& git,
                                                   const matrix::Package& package) {
  const bool from_tags = package.version.from == matrix::VersionFrom::git_tag;
  if (!package.requirement.empty() || from_tags) return std::nullopt;
  return version::tag_of_package(git, package.version.match, package.name,
                                 rules_of(package.version).recuts);
}

std::string nowhere_line(const std::string& channel) {
  return fmt::format("channel {} publishes nowhere: it has `publish: []`\n", quoted(channel));
}

std::string recut_line(const plan::ReleaseVersion& version) {
  if (version.build == 0) return {};
  return fmt::format("re-cut of version {}: its wheels have build number {}\n", version.version,
                     version.build);
}

namespace {

plan::NamingRequest naming_request(const Loaded& loaded, const plan::Outline& outline,
                                   const VersionFacts& version) {
  plan::NamingRequest request{
      {}, loaded.expansion.variants, version.targets, version.version, version.machine};
  request.classes.reserve(outline.builds.size());
  for (const plan::BuildGroup& group : outline.builds) request.classes.push_back(&group.cls);
  return request;
}

}  // namespace

Result<plan::Namings> name_builds(const Loaded& loaded, const plan::Outline& outline,
                                  const VersionFacts& version) {
  return plan::name_wheels(loaded.matrix, naming_request(loaded, outline, version));
}

Done check_build_names(const Loaded& loaded, const plan::Outline& outline,
                       const VersionFacts& version) {
  return plan::check_wheel_names(loaded.matrix, naming_request(loaded, outline, version));
}

}  // namespace pinwheel::prepare
