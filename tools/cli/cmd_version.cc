#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/commands.h"
#include "prepare/checkout_state.h"
#include "prepare/host.h"
#include "prepare/http_options.h"
#include "prepare/load.h"
#include "prepare/package_version.h"
#include "version/run_date.h"

namespace pinwheel::cli {
namespace {

namespace fs = std::filesystem;

/// The package whose version is requested: the matrix's, or this directory with the flags.
struct Subject {
  matrix::Package package;
  fs::path directory = ".";
};

Result<matrix::VersionBump> parse_bump(const std::string& name) {
  if (name == "major") return matrix::VersionBump::major;
  if (name == "minor") return matrix::VersionBump::minor;
  if (name == "patch") return matrix::VersionBump::patch;
  return fail(ErrorKind::usage, fmt::format("`--bump` cannot be {}", quoted(name)),
              suggest(name, {"major", "minor", "patch"}));
}

Result<Subject> find_subject(const prepare::Host& host, const VersionOptions& options,
                             Streams& streams) {
  Subject subject;
  if (options.matrix.empty()) {
    subject.package.version.match = options.match;
    TRY(subject.package.version.bump, parse_bump(options.bump));
    return subject;
  }
  TRY(const prepare::Loaded loaded,
      prepare::load_matrix(host.files, options.matrix, streams, prepare::Warnings::print));
  subject.package = loaded.matrix.package;
  TRY(subject.directory, prepare::package_directory(host, loaded.matrix));
  return subject;
}

Result<version::Channel> decide(const VersionOptions& options, const Subject& subject,
                                const ports::GitFacts* git) {
  if (options.channel.empty()) {
    if (git == nullptr) return version::Channel::ci;
    TRY(const version::CommitChannel found,
        version::channel_of(*git, prepare::rules_of(subject.package.version)));
    return found.channel;
  }
  if (const auto channel = version::parse_channel(options.channel)) return *channel;
  return fail(ErrorKind::usage, fmt::format("unknown channel {}", quoted(options.channel)),
              suggest(options.channel, {"ci", "nightly", "test", "release"}));
}

std::string as_json(const version::Derived& derived, const std::string& text,
                    version::Channel channel, const ports::GitFacts* git) {
  nlohmann::json json = {{"schema", "pinwheel-version/1"},
                         {"version", text},
                         {"public", pep::to_string(derived.version)},
                         {"channel", version::to_string(channel)},
                         {"released", derived.unreleased.empty()},
                         {"why", derived.why}};
  if (git != nullptr) json["commit"] = git->commit;
  if (derived.build > 0) json["build-number"] = derived.build;
  return json.dump(2) + "\n";
}

}  // namespace

Result<int> cmd_version(const prepare::Host& host, const prepare::GlobalOptions& /*global*/,
                        const VersionOptions& options, Streams& streams) {
  const std::shared_ptr<ports::Http> http =
      host.http(prepare::http_options(host.variables), streams.log(), {});
  TRY(const Subject subject, find_subject(host, options, streams));
  const Result<ports::GitFacts> facts = prepare::own_repository(host.git, subject.directory);
  const bool from_tags = subject.package.requirement.empty() &&
                         subject.package.version.from == matrix::VersionFrom::git_tag;
  if (!facts && from_tags) return fail(facts.error());
  const ports::GitFacts* const repository = facts ? &*facts : nullptr;
  TRY(const version::Channel channel, decide(options, subject, repository));
  TRY(const auto date, version::run_date(prepare::named_date(host.variables), host.clock.now()));
  TRY(const version::Derived derived,
      prepare::package_version(subject.package, channel,
                               {host, http.get(), repository, subject.directory, date}));
  TRY(const pep::Version labeled, version::with_label(derived, options.label));
  // Without a label it is the bare version, as in backends, tags and PyPI.
  const std::string text = pep::to_string(options.label.empty() ? derived.version : labeled);
  if (options.explain) {
    for (const std::string& reason : derived.why) streams.note(reason + "\n");
  }
  if (options.json) {
    streams.json(as_json(derived, text, channel, repository));
  } else {
    streams.data(text + "\n");
  }
  return 0;
}

}  // namespace pinwheel::cli
