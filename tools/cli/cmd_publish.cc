#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <utility>

#include "base/text.h"
#include "cli/commands.h"
#include "host/index/content_findings.h"
#include "host/index/upload.h"
#include "host/index/upload_artifact.h"
#include "host/index/upload_hooks.h"
#include "host/net/credentials.h"
#include "host/net/http.h"
#include "host/system/signals.h"
#include "pep/name.h"
#include "prepare/check_version.h"
#include "prepare/host.h"
#include "prepare/http_options.h"
#include "publish/index_state.h"
#include "publish/preflight.h"
#include "session/ask_indexes.h"

namespace pinwheel::cli {
namespace {

namespace fs = std::filesystem;

Result<host::UploadTarget> find_target(const PublishOptions& options) {
  if (options.target.empty() == options.repository_url.empty()) {
    return fail(ErrorKind::usage,
                "`publish` needs exactly one of `--target` and `--repository-url`",
                "pass `--target pypi`, `--target testpypi`, or the upload URL of another index");
  }
  host::UploadTarget target;
  target.name = options.target.empty() ? "index" : options.target;
  const std::vector<std::string> known = publish::known_indexes();
  if (!options.target.empty() &&
      std::find(known.begin(), known.end(), options.target) == known.end()) {
    return fail(ErrorKind::usage, fmt::format("unknown target {}", quoted(options.target)),
                suggest(options.target, known));
  }
  if (!options.target.empty() && options.no_auth) {
    return fail(ErrorKind::usage,
                fmt::format("{} accepts no file without a token", quoted(options.target)),
                "`--no-auth` is for an index named by `--repository-url`");
  }
  if (options.trusted_publishing == "always" && !options.token_file.empty()) {
    return fail(ErrorKind::usage,
                "`--trusted-publishing always` uses a token that is issued for the job, but "
                "`--token-file` gives another",
                "leave one of them out");
  }
  TRY(target.endpoint,
      publish::endpoint(options.target.empty() ? options.repository_url : options.target,
                        options.check_url));
  return target;
}

/// The value of `--auth`. The parser allows no other word.
matrix::UploadAuth requested_auth(const PublishOptions& options) {
  if (options.no_auth) return matrix::UploadAuth::none;
  if (options.trusted_publishing == "always") return matrix::UploadAuth::trusted;
  if (options.trusted_publishing == "never") return matrix::UploadAuth::token;
  return matrix::UploadAuth::automatic;
}

/// The ports of an upload, for its whole duration. `stop` ends its requests and waits, except for
/// the last ones.
struct UploadPorts {
  UploadPorts(const prepare::Host& host, const host::HttpOptions& requests, Streams& streams)
      : http(host.http(requests, streams.log(), stop.get_token())),
        last_http(host.http(host::last_options(requests), streams.log(), {})),
        machine(host.machine(prepare::outside_run(host, streams.log()))),
        credentials{host.files, *http,
                    *last_http, machine->process,
                    host.clock, [&streams](const Secret& secret) { streams.mask(secret); }} {}

  std::stop_source stop;
  std::shared_ptr<ports::Http> http;
  std::shared_ptr<ports::Http> last_http;
  prepare::OpenMachine machine;
  host::CredentialPorts credentials;
};

Result<std::optional<host::Credentials>> credentials_for(
    const std::map<std::string, std::string>& variables, const host::UploadTarget& target,
    const PublishOptions& options, const host::CredentialPorts& ports) {
  const matrix::UploadAuth auth = requested_auth(options);
  if (auth == matrix::UploadAuth::none) return std::nullopt;
  const host::CredentialRequest request{target.name,
                                        target.endpoint,
                                        variables,
                                        options.token_file,
                                        options.insecure ? PlainHttp::allowed : PlainHttp::refused,
                                        auth};
  TRY(host::Credentials found,
      host::find_credentials(request, host::credential_sources(request, ports), ports.mask));
  return found;
}

Result<host::UploadOptions> upload_options(const PublishOptions& options) {
  host::UploadOptions upload;
  if (options.no_confirm) upload.confirm = host::Confirm::none;
  const std::vector<std::string>& ignored = options.ignore;
  if (std::find(ignored.begin(), ignored.end(), "size") != ignored.end()) {
    if (options.size_limit.empty()) {
      upload.size_limit = std::numeric_limits<uint64_t>::max();
      return upload;
    }
    return fail(ErrorKind::usage, "`--size-limit` sets the rule that `--ignore size` leaves out",
                "leave one of them out");
  }
  if (options.size_limit.empty()) return upload;
  const auto limit = parse_bytes(options.size_limit);
  if (!limit || *limit == 0) {
    return fail(ErrorKind::usage,
                fmt::format("`--size-limit` cannot be {}", quoted(options.size_limit)),
                "use a size such as `300 MB`");
  }
  upload.size_limit = *limit;
  return upload;
}

/// Reads the files and the faults in their contents. PyPI's zip rules are always judged for its own
/// indexes, in the preflight.
Result<std::vector<publish::Artifact>> read_files(const prepare::Host& host,
                                                  const PublishOptions& options,
                                                  const host::UploadTarget& target) {
  std::vector<std::string> ignored = options.ignore;
  if (publish::has_pypi_rules(target.endpoint.kind)) ignored.emplace_back("archive");
  const std::vector<fs::path> paths(options.files.begin(), options.files.end());
  TRY(std::vector<publish::Artifact> files, host::read_artifacts(paths));
  TRY_DONE(prepare::check_published_tag(host, files));
  for (publish::Artifact& file : files) {
    TRY(file.content_findings, host::content_findings(file, ignored));
  }
  return files;
}

host::UploadHooks hooks_of(const ports::Clock& clock, Streams& streams, std::stop_token stop) {
  host::UploadHooks hooks = host::waiting_hooks(std::move(stop));
  hooks.event = [&streams](const publish::UploadEvent& event) {
    streams.note(publish::to_line(event));
  };
  hooks.now = [&clock = clock] { return clock.now(); };
  hooks.notice = [&streams](std::string_view line) { streams.note(std::string(line) + "\n"); };
  hooks.warn = [&streams](const Error& warning) { streams.warn(warning); };
  return hooks;
}

std::string as_json(const std::vector<host::FileOutcome>& outcomes) {
  nlohmann::json files = nlohmann::json::array();
  for (const host::FileOutcome& outcome : outcomes) {
    files.push_back({{"file", outcome.filename},
                     {"sha256", outcome.sha256},
                     {"outcome", publish::to_string(outcome.outcome)},
                     {"attempts", outcome.attempts},
                     {"message", outcome.message}});
  }
  return nlohmann::json{{"schema", "pinwheel-publish/1"}, {"files", files}}.dump(2) + "\n";
}

std::string dry_json(const std::vector<publish::Artifact>& ordered, const std::string& url,
                     const std::vector<publish::IndexState>& states) {
  nlohmann::json files = nlohmann::json::array();
  for (const publish::Artifact& file : ordered) {
    files.push_back({{"file", file.filename}, {"sha256", file.sha256}, {"size", file.size}});
  }
  return nlohmann::json{{"schema", "pinwheel-publish/1"},
                        {"url", url},
                        {"would_send", files},
                        {"index", publish::state_json(states)}}
             .dump(2) +
         "\n";
}

/// The releases that the files make: one per project and version.
std::vector<publish::PlannedRelease> releases_of(const std::vector<publish::Artifact>& files,
                                                 const host::UploadTarget& target) {
  std::map<std::pair<std::string, std::string>, publish::PlannedRelease> releases;
  for (const publish::Artifact& file : files) {
    publish::PlannedRelease& release = releases[{pep::normalize_name(file.name), file.version}];
    release.target = target.name;
    release.endpoint = target.endpoint;
    release.project = file.name;
    release.version = file.version;
    release.files += 1;
    release.bytes += file.size;
  }
  std::vector<publish::PlannedRelease> list;
  list.reserve(releases.size());
  for (auto& [key, release] : releases) list.push_back(std::move(release));
  return list;
}

/// The files of a dry run and where they would go.
struct DryRun {
  const std::vector<publish::Artifact>& files;
  const host::UploadTarget& target;
  const host::UploadOptions& upload;
  const host::HttpOptions& requests;
};

Done check_files(const DryRun& run) {
  std::vector<Error> findings =
      publish::preflight(run.files, {run.target.endpoint.kind, run.upload.size_limit});
  if (findings.empty()) return {};
  Error error{ErrorKind::check,
              fmt::format("{} would be rejected", plural(run.files.size(), "file"))};
  error.causes = std::move(findings);
  return fail(std::move(error));
}

std::vector<publish::IndexState> ask_index(const prepare::Host& host, const DryRun& run,
                                           const ports::LogHandle& log) {
  if (run.upload.confirm == host::Confirm::none) return {};
  return session::ask_indexes(host, releases_of(run.files, run.target),
                              host::last_options(run.requests), log);
}

/// Does everything except the upload: prints the files that would be uploaded, in order, and the
/// state of the index.
Result<int> dry_run(const prepare::Host& host, const DryRun& run, const PublishOptions& options,
                    Streams& streams) {
  const std::string& url = run.target.endpoint.upload_url;
  TRY_DONE(check_files(run));
  const std::vector<publish::IndexState> states = ask_index(host, run, streams.log());
  const std::vector<publish::Artifact> ordered = publish::in_upload_order(run.files);
  for (size_t i = 0; i < ordered.size() && !options.json; ++i) {
    const publish::Artifact& file = ordered[i];
    streams.data(fmt::format("{}/{} {} ({}) to {} sha256={}\n", i + 1, ordered.size(),
                             file.filename, format_bytes(file.size), url, file.sha256));
  }
  if (options.json) streams.json(dry_json(ordered, url, states));
  TRY_DONE(session::report_states(states, streams));
  streams.note(fmt::format("dry run: nothing was sent to {}\n", url));
  return 0;
}

using Outcomes = std::vector<host::FileOutcome>;

Result<Outcomes> upload(const ports::Clock& clock, const std::vector<publish::Artifact>& files,
                        const host::UploadTarget& target, const host::UploadOptions& options,
                        UploadPorts& ports, Streams& streams) {
  host::StopOnSignal watcher;
  const std::stop_callback relay(watcher.token(), [&ports] { ports.stop.request_stop(); });
  Result<Outcomes> outcomes = host::upload_release(
      files, target, options, *ports.http, hooks_of(clock, streams, ports.stop.get_token()));
  const int signal = watcher.end();
  if (outcomes || signal == 0) return outcomes;
  return fail(kind_of_stop(signal), "publishing was stopped",
              "run the same command again: files that arrived are recognized by their hash");
}

}  // namespace

Result<int> cmd_publish(const prepare::Host& host, const prepare::GlobalOptions& /*global*/,
                        const PublishOptions& options, Streams& streams) {
  TRY(host::UploadTarget target, find_target(options));
  TRY(const host::UploadOptions settings, upload_options(options));
  TRY(const host::HttpOptions requests,
      prepare::transfer_options(host.variables, options.transfer));
  if (options.dry_run) {
    TRY(const std::vector<publish::Artifact> files, read_files(host, options, target));
    return dry_run(host, {files, target, settings, requests}, options, streams);
  }
  UploadPorts ports(host, requests, streams);
  TRY(target.credentials, credentials_for(host.variables, target, options, ports.credentials));
  TRY(const std::vector<publish::Artifact> files, read_files(host, options, target));
  TRY(const Outcomes outcomes, upload(host.clock, files, target, settings, ports, streams));
  for (const host::FileOutcome& outcome : outcomes) {
    if (options.json) break;
    streams.data(fmt::format("{} {}\n", outcome.filename, publish::to_string(outcome.outcome)));
  }
  if (options.json) streams.json(as_json(outcomes));
  return 0;
}

}  // namespace pinwheel::cli
