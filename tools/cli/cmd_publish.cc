#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <utility>

#include "base/limits.h"
#include "base/mask.h"
#include "base/text.h"
#include "cli/commands.h"
#include "host/index/content_findings.h"
#include "host/index/publish_target.h"
#include "host/index/upload.h"
#include "host/index/upload_artifact.h"
#include "host/index/upload_hooks.h"
#include "host/net/credentials.h"
#include "host/net/http.h"
#include "host/provision/attestations.h"
#include "host/system/signals.h"
#include "pep/name.h"
#include "prepare/check_version.h"
#include "prepare/host.h"
#include "prepare/http_options.h"
#include "prepare/workplace.h"
#include "publish/index_state.h"
#include "publish/pinned_version.h"
#include "publish/preflight.h"
#include "publish/promotion.h"
#include "publish/release_record.h"
#include "publish/upload_order.h"
#include "session/ask_indexes.h"
#include "session/promotion.h"

namespace pinwheel::cli {
namespace {

namespace fs = std::filesystem;

/// The options with the defaults of a promotion, which goes to PyPI.
Result<PublishOptions> with_defaults(PublishOptions options) {
  if (options.from.empty() != options.record.empty()) {
    return fail(ErrorKind::usage,
                options.from.empty() ? "`--record` needs `--from`, the source of the files"
                                     : "`--from` needs `--record`, which identifies the files",
                fmt::format("a release writes {} to its output directory",
                            quoted(publish::kReleaseRecordName)));
  }
  if (options.from.empty()) return options;
  if (options.files.size() != 1) {
    return fail(ErrorKind::usage, "`--from` promotes one version of one project",
                "write `PROJECT==VERSION` instead of files");
  }
  if (options.target.empty() && options.repository_url.empty()) options.target = "pypi";
  return options;
}

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
  if (!options.sigstore.empty() && options.attestations != "always") {
    return fail(ErrorKind::usage, "`--sigstore` needs `--attestations always`",
                "add it, or leave `--sigstore` out");
  }
  TRY(target.endpoint,
      publish::endpoint(options.target.empty() ? options.repository_url : options.target,
                        options.check_url));
  return target;
}

/// Whether an identity token is used only if `--trusted-publishing always` asks for it: no matrix
/// names an index that is only a URL on the command line, so nothing else says that it is trusted.
bool identity_on_request(const PublishOptions& options) {
  return options.trusted_publishing == "auto" && options.target.empty();
}

/// The value of `--trusted-publishing` and `--no-auth`. The parser allows no other word.
matrix::UploadAuth requested_auth(const PublishOptions& options) {
  if (options.no_auth) return matrix::UploadAuth::none;
  if (options.trusted_publishing == "always") return matrix::UploadAuth::trusted;
  if (options.trusted_publishing == "never" || identity_on_request(options)) {
    return matrix::UploadAuth::token;
  }
  return matrix::UploadAuth::automatic;
}

/// The ports of an upload, for its whole duration. A stop ends the requests and waits of `http`,
/// and not those of the last requests.
struct UploadPorts {
  UploadPorts(const prepare::Host& host, const host::HttpOptions& requests,
              std::shared_ptr<ports::Http> stoppable, Streams& streams)
      : http(std::move(stoppable)),
        last_http(host.http(host::last_options(requests), streams.log(), {})),
        machine(host.machine(prepare::outside_run(host, streams.log()))),
        credentials{host.files, *http,
                    *last_http, machine->process,
                    host.clock, [&streams](const Secret& secret) { streams.mask(secret); }} {}

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
  Result<host::Credentials> found =
      host::find_credentials(request, host::credential_sources(request, ports), ports.mask);
  if (found) return std::move(*found);
  Error error = std::move(found).error();
  if (identity_on_request(options) && error.kind == ErrorKind::usage) {
    error.hint += "; if the index trusts this job, pass `--trusted-publishing always`";
  }
  return fail(std::move(error));
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
                                                  const std::vector<fs::path>& paths,
                                                  const PublishOptions& options,
                                                  const host::UploadTarget& target) {
  std::vector<std::string> ignored = options.ignore;
  if (publish::has_pypi_rules(target.endpoint.kind)) ignored.emplace_back("archive");
  TRY(std::vector<publish::Artifact> files, host::read_artifacts(paths));
  TRY_DONE(prepare::check_published_tag(host, files));
  for (publish::Artifact& file : files) {
    TRY(file.content_findings, host::content_findings(file, ignored));
  }
  return files;
}

/// Whether it is an attestation of a file, which is sent with that file.
bool is_attestation(const fs::path& path) {
  const std::vector<std::string> suffixes = publish::attestation_names("");
  return std::any_of(suffixes.begin(), suffixes.end(), [&path](const std::string& suffix) {
    return path.string().ends_with(suffix);
  });
}

/// The files of a command line.
std::vector<fs::path> named_files(const PublishOptions& options) {
  std::vector<fs::path> paths(options.files.begin(), options.files.end());
  // `dist/*` includes the record that a release wrote there, and attestations.
  std::erase_if(paths, [](const fs::path& path) {
    return publish::is_release_record(path.string()) || is_attestation(path);
  });
  return paths;
}

/// The release that `--from` promotes; nullopt without `--from`. `target` is not its source.
Result<std::optional<session::PromotionRequest>> requested_promotion(
    const prepare::Host& host, const PublishOptions& options, const host::UploadTarget& target) {
  if (options.from.empty()) return std::nullopt;
  TRY(const publish::PinnedVersion wanted, publish::parse_pinned_version(options.files.front()));
  TRY(const std::string text, host.files.read(host.at(options.record), limits::kReleaseRecord));
  Result<publish::ReleaseRecord> record = publish::parse_release_record(text);
  if (!record)
    return fail(std::move(record).error().with_location({.file = options.record, .excerpt = {}}));
  TRY_DONE(publish::check_record(*record, wanted));
  session::PromotionRequest request{*std::move(record), publish::release_source(options.from),
                                    options.store};
  if (without_trailing_slashes(request.source.place) ==
      without_trailing_slashes(target.endpoint.simple_url)) {
    return fail(ErrorKind::usage,
                fmt::format("{} is both the source and the target", request.source.name),
                "`--to` names the index that receives the files");
  }
  return std::optional(std::move(request));
}

/// The files to publish, read and checked.
struct Input {
  std::vector<publish::Artifact> files = {};
  session::PromotedFiles promoted = {};  ///< of a promotion
};

/// The files of the command line, or those of a promotion.
Result<Input> gather_input(const prepare::Host& host, const PublishOptions& options,
                           const std::optional<session::PromotionRequest>& promotion,
                           const host::UploadTarget& target, ports::Http& http, Streams& streams) {
  Input input;
  if (!promotion) {
    TRY(input.files, read_files(host, named_files(options), options, target));
    return input;
  }
  TRY(input.promoted, session::fetch_promotion(host, *promotion, http, streams));
  TRY(input.files, read_files(host, input.promoted.files, options, target));
  TRY_DONE(publish::check_promoted(promotion->record, input.files, promotion->source.name));
  return input;
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

/// Whether the files of this upload get attestations. The parser allows no other word.
bool attests(const PublishOptions& options, const host::UploadTarget& target,
             const std::map<std::string, std::string>& variables) {
  return host::is_attested(matrix::attesting_of(options.attestations), target, variables);
}

/// The files, with the attestations that are stored next to them.
Result<std::vector<publish::Artifact>> with_stored(std::vector<publish::Artifact> files,
                                                   ports::Files& ports) {
  for (publish::Artifact& file : files) {
    TRY(file.attestations, host::stored_attestations(file, ports));
  }
  return files;
}

/// The target whose files are signed, and the ports for it.
struct Signing {
  const host::UploadTarget& target;
  const host::CredentialPorts& ports;
  std::stop_token stop;
};

/// Signs the statement that the files were published, with the identity of the job.
Result<host::FileAttestations> attest(const prepare::Host& host, const PublishOptions& options,
                                      const Signing& signing,
                                      const std::vector<publish::Artifact>& files,
                                      Streams& streams) {
  host::SigningRequest request;
  TRY(request.provider, host::signing_provider(host.variables, signing.target));
  request.variables = host.variables;
  if (!options.sigstore.empty()) request.trust = host.at(options.sigstore);
  TRY(const prepare::OpenMachine machine,
      prepare::cache_machine(host, streams.log(), signing.stop));
  if (const auto notice = host::attestation_notice(*machine)) streams.note(*notice + "\n");
  streams.note(
      fmt::format("signing {} with the identity of the job\n", plural(files.size(), "file")));
  for (const publish::Artifact& file : files) {
    request.list.statements.push_back({{file.filename, file.sha256}});
  }
  TRY(std::vector<publish::Attestation> made,
      host::sign_statements(*machine, request, signing.ports));
  host::FileAttestations attestations;
  for (publish::Attestation& each : made) attestations.push_back({std::move(each)});
  return attestations;
}

/// A document of the command; a promotion names its source.
std::string document(nlohmann::json members, const PublishOptions& options) {
  members["schema"] = "pinwheel-publish/1";
  if (!options.from.empty()) members["from"] = mask_urls(options.from);
  return members.dump(2) + "\n";
}

std::string as_json(const std::vector<host::FileOutcome>& outcomes, const PublishOptions& options) {
  nlohmann::json files = nlohmann::json::array();
  for (const host::FileOutcome& outcome : outcomes) {
    files.push_back({{"file", outcome.filename},
                     {"sha256", outcome.sha256},
                     {"outcome", publish::to_string(outcome.outcome)},
                     {"attempts", outcome.attempts},
                     {"message", outcome.message}});
  }
  return document({{"files", files}}, options);
}

std::string dry_json(const std::vector<publish::Artifact>& ordered, const std::string& url,
                     const std::vector<publish::IndexState>& states,
                     const PublishOptions& options) {
  nlohmann::json files = nlohmann::json::array();
  for (const publish::Artifact& file : ordered) {
    files.push_back({{"file", file.filename}, {"sha256", file.sha256}, {"size", file.size}});
  }
  return document({{"url", url}, {"would_send", files}, {"index", publish::state_json(states)}},
                  options);
}

/// The releases that the files make: one per project and version. `build` is the build number of a
/// re-cut, else 0.
std::vector<publish::PlannedRelease> releases_of(const std::vector<publish::Artifact>& files,
                                                 const host::UploadTarget& target, uint64_t build) {
  std::map<std::pair<std::string, std::string>, publish::PlannedRelease> releases;
  for (const publish::Artifact& file : files) {
    publish::PlannedRelease& release = releases[{pep::normalize_name(file.name), file.version}];
    release.target = target.name;
    release.endpoint = target.endpoint;
    release.project = file.name;
    release.version = file.version;
    release.files += 1;
    release.bytes += file.size;
    release.build = build;
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
  return session::ask_indexes(host, releases_of(run.files, run.target, run.upload.build_number),
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
  if (options.json) streams.json(dry_json(ordered, url, states, options));
  TRY_DONE(session::report_states(states, streams));
  streams.note(fmt::format("dry run: nothing was sent to {}\n", url));
  return 0;
}

using Outcomes = std::vector<host::FileOutcome>;

/// Until a signal, which ends the requests of `stop`.
template <class T>
Result<T> until_signal(std::stop_source& stop, const std::function<Result<T>()>& work) {
  host::StopOnSignal watcher;
  const std::stop_callback relay(watcher.token(), [&stop] { stop.request_stop(); });
  Result<T> result = work();
  const int signal = watcher.end();
  if (result || signal == 0) return result;
  return fail(kind_of_stop(signal), "publishing was stopped",
              "run the same command again: files that arrived are recognized by their hash");
}

/// Received files are of no use once they are published.
void end_input(const prepare::Host& host, const Input& input, Streams& streams) {
  const Done ended = session::end_promotion(host.files, input.promoted);
  if (!ended) streams.warn(ended.error());
}

void print_outcomes(const Outcomes& outcomes, const PublishOptions& options, Streams& streams) {
  if (options.json) return streams.json(as_json(outcomes, options));
  for (const host::FileOutcome& outcome : outcomes) {
    streams.data(fmt::format("{} {}\n", outcome.filename, publish::to_string(outcome.outcome)));
  }
}

}  // namespace

Result<int> cmd_publish(const prepare::Host& host, const prepare::GlobalOptions& /*global*/,
                        const PublishOptions& given, Streams& streams) {
  TRY(const PublishOptions options, with_defaults(given));
  TRY(host::UploadTarget target, find_target(options));
  TRY(host::UploadOptions settings, upload_options(options));
  using Variables = std::map<std::string, std::string>;
  TRY(const Variables bounded, prepare::with_transfer(host.variables, options.transfer));
  TRY(settings.at_once, host::uploads_at_once(bounded, target.endpoint));
  TRY(const host::HttpOptions requests,
      prepare::transfer_options(host.variables, options.transfer));
  TRY(const std::optional<session::PromotionRequest> promotion,
      requested_promotion(host, options, target));
  if (promotion) settings.build_number = promotion->record.build;
  std::stop_source stop;
  const std::shared_ptr<ports::Http> http = host.http(requests, streams.log(), stop.get_token());
  const auto gather = [&] {
    return until_signal<Input>(
        stop, [&] { return gather_input(host, options, promotion, target, *http, streams); });
  };
  if (options.dry_run) {
    TRY(Input input, gather());
    const bool own_index = options.target.empty();
    if (options.attestations == "always" || (options.attestations == "auto" && !own_index)) {
      TRY(input.files, with_stored(std::move(input.files), host.files));
    }
    return dry_run(host, {input.files, target, settings, requests}, options, streams);
  }
  UploadPorts ports(host, requests, http, streams);
  TRY(target.credentials, credentials_for(host.variables, target, options, ports.credentials));
  TRY(Input input, gather());
  host::UploadHooks hooks = hooks_of(host.clock, streams, stop.get_token());
  if (attests(options, target, host.variables)) {
    TRY(input.files, with_stored(std::move(input.files), host.files));
    hooks.attest = [&](const std::vector<publish::Artifact>& files) {
      return attest(host, options, {target, ports.credentials, stop.get_token()}, files, streams);
    };
  }
  TRY(const Outcomes outcomes, until_signal<Outcomes>(stop, [&] {
        return host::upload_release(input.files, target, settings, *http, hooks);
      }));
  end_input(host, input, streams);
  print_outcomes(outcomes, options, streams);
  return 0;
}

}  // namespace pinwheel::cli
