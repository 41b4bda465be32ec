#include "host/steps/publish.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "base/digest.h"
#include "base/text.h"
#include "host/index/bucket_index.h"
#include "host/index/content_findings.h"
#include "host/index/github_release.h"
#include "host/index/index_directory.h"
#include "host/index/publish_target.h"
#include "host/index/upload.h"
#include "host/index/upload_artifact.h"
#include "host/index/upload_hooks.h"
#include "host/log/logged_http.h"
#include "host/net/counted_http.h"
#include "host/net/http.h"
#include "host/steps/attest.h"
#include "host/steps/promotion.h"
#include "host/steps/release_contents.h"
#include "host/system/digest_file.h"
#include "inspect/rules.h"
#include "pep/name.h"
#include "pep/version.h"
#include "plan/evidence_gate.h"
#include "plan/listing.h"
#include "plan/names.h"
#include "plan/step_id.h"
#include "publish/changelog.h"
#include "publish/narrower_wheel.h"
#include "publish/preflight.h"
#include "publish/promotion.h"
#include "publish/recut.h"
#include "publish/release_assets.h"
#include "publish/release_sbom.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// A file to publish and the step that built it.
struct Built {
  std::string build;
  publish::Artifact file;
};

/// The warning for the result of the step, which the log has, too.
std::string logged_warning(const StepContext& context, const Error& warning) {
  append_log(context, render_warning(warning));
  return fmt::format("{}; {}", warning.message, warning.hint);
}

/// The files of all builds of the release, for every target.
Result<std::vector<Built>> gather_files(const StepContext& context, const plan::Publish& action) {
  std::vector<Built> files;
  for (const plan::StepOutcome& need : context.attempt.needs) {
    if (!action.names.contains(need.id) && !plan::is_sdist(need.id)) continue;
    for (const plan::Output& output : need.outputs) {
      TRY(publish::Artifact artifact, read_artifact(output.path));
      if (artifact.sha256 != output.sha256) {
        return fail(
            ErrorKind::check,
            fmt::format("{} is not the file that {} built", quoted(output.path), quoted(need.id)),
            "remove it and run again: the step is then repeated");
      }
      files.push_back({need.id, std::move(artifact)});
    }
  }
  return files;
}

/// The files for a target: from each build the wheel with the target's name, and the sdist.
Result<std::vector<Built>> files_for(const std::vector<Built>& all,
                                     const plan::OtherTarget& destination) {
  std::vector<Built> files;
  std::set<std::string> builds;
  for (const Built& built : all) {
    const auto naming = destination.names.find(built.build);
    if (naming != destination.names.end() &&
        !plan::is_wheel_named(built.file.filename, naming->second)) {
      continue;
    }
    builds.insert(built.build);
    files.push_back(built);
  }
  for (const auto& [build, naming] : destination.names) {
    if (builds.contains(build)) continue;
    return fail(ErrorKind::internal, fmt::format("{} built nothing for target {}", quoted(build),
                                                 quoted(destination.target.name)));
  }
  return files;
}

/// Drops the sdist if no wheel has its name: with `name` or `others` all wheels may have different
/// names, and installers would build the plain name from source.
std::vector<Built> without_lone_sdist(const StepContext& context, const std::string& target,
                                      std::vector<Built> files) {
  std::set<std::string> projects;
  for (const Built& built : files) {
    if (built.file.kind == publish::FileKind::wheel) {
      projects.insert(pep::normalize_name(built.file.name));
    }
  }
  std::erase_if(files, [&](const Built& built) {
    const std::string project = pep::normalize_name(built.file.name);
    if (projects.contains(project)) return false;
    append_log(context, fmt::format("{} is left out: no wheel of {} goes to {}\n",
                                    built.file.filename, quoted(project), quoted(target)));
    return true;
  });
  return files;
}

/// Adds to each file what PyPI rejects in its metadata. A matrix may have those rules in
/// `checks.accept`, but PyPI applies them to each file as it arrives.
Done add_content_findings(std::vector<Built>& files) {
  std::vector<std::string> ignored = inspect::rule_ids();
  for (const char* rule : {"wheel-name", "metadata", "record"}) std::erase(ignored, rule);
  for (Built& built : files) {
    TRY(built.file.content_findings, content_findings(built.file, ignored));
  }
  return {};
}

std::vector<publish::Artifact> artifacts_of(const std::vector<Built>& files) {
  std::vector<publish::Artifact> artifacts;
  artifacts.reserve(files.size());
  for (const Built& built : files) artifacts.push_back(built.file);
  return artifacts;
}

/// The files by their projects, for the record.
publish::Publication publication_of(const std::string& target, const std::vector<Built>& files) {
  publish::Publication publication{target};
  for (const Built& built : files) {
    publication.projects[pep::normalize_name(built.file.name)].push_back(
        {built.file.filename, built.file.size, built.file.sha256});
  }
  return publication;
}

/// The errors with which GitHub would reject the files of a release and those that describe them.
std::vector<Error> asset_rejections(const matrix::PublishTarget& target,
                                    const std::vector<Built>& files) {
  std::vector<publish::WantedAsset> assets = {{publish::kSbomName, 1, {}}};
  for (const Built& built : files) {
    assets.push_back({built.file.filename, built.file.size, built.file.sha256});
    if (target.attestations == matrix::Attesting::always) {
      assets.push_back({publish::bundle_name(built.file.filename), 1, {}});
    }
  }
  for (const publish::MadeAsset& made :
       publish::describing_assets({}, publication_of(target.name, files))) {
    assets.push_back(made.asset);
  }
  return publish::asset_findings(assets);
}

/// The errors with which a target would reject the files.
Result<std::vector<Error>> rejections(const matrix::PublishTarget& target,
                                      std::vector<Built> files) {
  switch (target.kind) {
    case matrix::TargetKind::pypi:
    case matrix::TargetKind::testpypi:
    case matrix::TargetKind::index:
      break;
    case matrix::TargetKind::github_release:
      return asset_rejections(target, files);
    case matrix::TargetKind::directory:
    case matrix::TargetKind::s3:
      return std::vector<Error>();
  }
  TRY(const publish::Endpoint endpoint, endpoint_of(target));
  if (publish::has_pypi_rules(endpoint.kind)) TRY_DONE(add_content_findings(files));
  return publish::preflight(artifacts_of(files), {endpoint.kind, target.size_limit});
}

/// Checks the files of every other target by its rules. A release is on all of its targets or on
/// none: kind `check` with all findings if a target would reject a file.
Done check_other_targets(const StepContext& context, const plan::Publish& action,
                         const std::vector<Built>& all) {
  for (const plan::OtherTarget& other : action.others) {
    TRY(std::vector<Built> named, files_for(all, other));
    std::vector<Built> files = without_lone_sdist(context, other.target.name, std::move(named));
    TRY(std::vector<Error> findings, rejections(other.target, std::move(files)));
    if (findings.empty()) continue;
    return fail(
        Error{ErrorKind::check,
              fmt::format("{} would reject files of this release, so nothing was sent to {}",
                          quoted(other.target.name), quoted(action.target.name)),
              std::nullopt,
              {},
              std::move(findings)});
  }
  return {};
}

fs::path index_of(const StepContext& context, const plan::Publish& action) {
  return (context.workplace.matrix_directory / action.target.path).lexically_normal();
}

/// The files' entries in the index. Those in `urls` are only linked to.
std::vector<IndexEntry> directory_entries(const plan::Publish& action,
                                          const std::vector<Built>& files,
                                          const std::map<std::string, std::string>& urls) {
  std::vector<IndexEntry> entries;
  entries.reserve(files.size());
  for (const Built& built : files) {
    plan::Listing listing = plan::listing_of(action, built.build);
    entries.push_back({built.file, std::move(listing.label), listing.in_root,
                       value_at(urls, built.file.filename), std::move(listing.also)});
  }
  return entries;
}

/// Records what became of the files, at `place`.
void log_publication(const StepContext& context, const plan::Publish& action,
                     const std::string& place, const IndexPublication& publication) {
  for (const FileOutcome& outcome : publication.files) {
    append_log(context, fmt::format("{} {} sha256={}\n", outcome.filename,
                                    publish::to_string(outcome.outcome), outcome.sha256));
    context.workplace.log->write({ports::LogLevel::debug,
                                  "published",
                                  {{"path", fmt::format("{}/{}", place, outcome.filename)},
                                   {"outcome", std::string(publish::to_string(outcome.outcome))},
                                   {"sha256", outcome.sha256}}});
  }
  for (const std::string& name : publication.retired) {
    append_log(context, fmt::format("{} is no longer listed: only the newest {} nightlies are\n",
                                    name, action.target.keep_nightlies.value_or(0)));
    context.workplace.log->write({ports::LogLevel::debug, "retired", {{"file", name}}});
  }
}

/// Adds the files to the index and returns its page.
Result<plan::Output> into_directory(const StepContext& context, const plan::Publish& action,
                                    const std::vector<IndexEntry>& entries) {
  const RetentionOptions options{action.target.keep_nightlies};
  TRY(const IndexPublication publication,
      publish_to_directory(index_of(context, action), entries, options, context.machine.files,
                           context.machine.clock));
  log_publication(context, action, index_of(context, action).string(), publication);
  // A removed or changed index is recreated; nothing is written if it has the files.
  const fs::path page = index_of(context, action) / "index.json";
  TRY(const FileDigest digest, digest_file(page));
  return plan::Output{page.string(), digest.sha256, digest.size};
}

/// The names of the files that the directory has of a project, in its sub-indexes and in the root.
std::vector<std::string> listed_names(const StepContext& context, const plan::Publish& action,
                                      const Built& built) {
  const fs::path index = index_of(context, action);
  const std::string project = pep::normalize_name(built.file.name);
  const plan::Listing listing = plan::listing_of(action, built.build);
  std::vector<fs::path> places = {index / project};
  if (!listing.label.empty()) places.push_back(index / listing.label / project);
  std::vector<std::string> names;
  for (const fs::path& place : places) {
    // A directory that is missing or unreadable has none.
    const Result<std::vector<std::string>> listed = context.machine.files.list(place);
    if (listed) names.insert(names.end(), listed->begin(), listed->end());
  }
  return names;
}

/// The warnings about wheels for fewer systems than those in the directory.
std::vector<std::string> narrower_than_listed(const StepContext& context,
                                              const plan::Publish& action,
                                              const std::vector<Built>& files) {
  std::vector<std::string> wheels;
  wheels.reserve(files.size());
  std::vector<std::string> published;
  for (const Built& built : files) {
    wheels.push_back(built.file.filename);
    const std::vector<std::string> names = listed_names(context, action, built);
    published.insert(published.end(), names.begin(), names.end());
  }
  std::vector<std::string> warnings;
  for (const Error& warning : publish::narrower_warnings(
           publish::narrower_wheels(wheels, published), action.target.name)) {
    warnings.push_back(logged_warning(context, warning));
  }
  return warnings;
}

/// The upload's waits end immediately when the run is stopped.
UploadHooks hooks_of(const StepContext& context) {
  UploadHooks hooks = waiting_hooks(context.stop);
  // The log outlives a kill: it shows which files were sent and which of them arrived.
  hooks.event = [&context](const publish::UploadEvent& event) {
    append_log(context, publish::to_line(event));
    if (event.stage == publish::UploadStage::sent && context.attempt.meter) {
      context.attempt.meter->add_sent(event.size);
    }
    if (context.workplace.on_upload) context.workplace.on_upload(event);
  };
  hooks.now = [&context] { return context.machine.clock.now(); };
  hooks.notice = [&context](std::string_view line) {
    append_log(context, std::string(line) + "\n");
  };
  return hooks;
}

/// The network of an upload: its requests are logged and end when the run is stopped.
struct UploadNetwork {
  UploadNetwork(const StepContext& step, const HttpBounds& bounds)
      : context(step),
        requests{.ca_bundle = ca_bundle_from(step.workplace.variables), .bounds = bounds},
        curl(requests, step.stop),
        counted(curl, received_by(step)),
        http(counted, *step.workplace.log, step.machine.clock),
        last_curl(last_options(requests)),
        last_http(last_curl, *step.workplace.log, step.machine.clock) {}

  CredentialPorts credential_ports() {
    return {context.machine.files, http, last_http, context.machine.process, context.machine.clock,
            context.workplace.mask};
  }

  const StepContext& context;
  HttpOptions requests;
  CurlHttp curl;
  CountedHttp counted;
  LoggedHttp http;
  CurlHttp last_curl;
  LoggedHttp last_http;
};

/// The files. Those that the index does not list yet get a bundle each.
Result<std::vector<Built>> with_bundles(const StepContext& context, const plan::Publish& action,
                                        std::vector<Built> files, const publish::Catalog& held) {
  if (action.target.attestations != matrix::Attesting::always) return files;
  std::vector<publish::Artifact> unsigned_files;
  std::vector<size_t> chosen;
  for (size_t i = 0; i < files.size(); ++i) {
    if (publish::is_listed(held, files[i].file.filename)) continue;
    unsigned_files.push_back(files[i].file);
    chosen.push_back(i);
  }
  TRY(const HttpBounds bounds, http_bounds_from(context.workplace.variables));
  UploadNetwork network(context, bounds);
  TRY(const std::vector<publish::Attestation> bundles,
      sign_provenance(context, action, network.credential_ports(), unsigned_files));
  for (size_t i = 0; i < bundles.size(); ++i) files[chosen[i]].file.attestations = {bundles[i]};
  return files;
}

/// The contents of the index in a directory; empty if it does not exist or is not one of
/// pinwheel's, which its publication reports.
publish::Catalog catalog_of_directory(const StepContext& context, const plan::Publish& action) {
  return read_directory(index_of(context, action), context.machine.files)
      .value_or(publish::Catalog());
}

/// Adds the files to the index in a bucket.
Done into_bucket(const StepContext& context, const plan::Publish& action,
                 std::vector<Built> files) {
  TRY(BucketIndex index, open_bucket_index({.url = action.target.bucket,
                                            .environment = context.workplace.variables,
                                            .mask = context.workplace.mask,
                                            .cancel = context.stop,
                                            .received = received_by(context)}));
  const uint64_t build = plan::build_number_of(action);
  if (action.target.attestations == matrix::Attesting::always || build > 0) {
    TRY(const std::optional<publish::Catalog> found, index.find());
    const publish::Catalog held = found.value_or(publish::Catalog());
    TRY_DONE(publish::check_recut({action.target.name, build}, artifacts_of(files), held));
    TRY(files, with_bundles(context, action, std::move(files), held));
  }
  std::mutex mutex;
  const UploadHooks hooks = hooks_of(context);
  const BucketHooks events{[&mutex, &hooks](const publish::UploadEvent& event) {
    const std::lock_guard lock(mutex);
    hooks.event(event);
  }};
  TRY(const IndexPublication publication,
      index.publish(directory_entries(action, files, {}), {action.target.keep_nightlies},
                    context.machine.clock, events));
  log_publication(context, action, action.target.bucket, publication);
  return {};
}

publish::ReleaseFacts facts_of(const plan::TaggedRelease& release) {
  return {release.project, release.tag, release.commit, release.build};
}

/// Uploads the files; the result is the warnings for people.
Result<std::vector<std::string>> to_index(const StepContext& context, const plan::Publish& action,
                                          const std::vector<Built>& files) {
  TRY(const HttpBounds bounds, http_bounds_from(context.workplace.variables));
  UploadNetwork network(context, bounds);
  TRY(const UploadTarget target,
      upload_target(action.target, context.workplace, network.credential_ports()));
  UploadOptions options;
  TRY(options.at_once, uploads_at_once(context.workplace.variables, target.endpoint));
  options.size_limit = action.target.size_limit;
  options.build_number = plan::build_number_of(action);
  if (action.target.unconfirmed) options.confirm = Confirm::none;
  std::vector<std::string> warnings;
  UploadHooks hooks = hooks_of(context);
  hooks.warn = [&](const Error& warning) { warnings.push_back(logged_warning(context, warning)); };
  if (is_attested(action.target.attestations, target, context.workplace.variables)) {
    hooks.attest = [&](const std::vector<publish::Artifact>& unsigned_files) {
      return attest_uploads(context, action, target, network.credential_ports(), unsigned_files);
    };
  }
  std::vector<Built> checked = files;
  if (publish::has_pypi_rules(target.endpoint.kind)) TRY_DONE(add_content_findings(checked));
  TRY_DONE(upload_release(artifacts_of(checked), target, options, network.http, hooks));
  return warnings;
}

/// The section of the changelog about the version. Without one, the notes are empty, with a
/// warning; a changelog that the matrix names exists.
Result<std::string> notes_of(const StepContext& context, const plan::Publish& action,
                             std::vector<std::string>& warnings) {
  const fs::path path =
      (context.workplace.matrix_directory / action.release.notes).lexically_normal();
  const bool named = !action.target.notes.empty();
  std::string text;
  if (named || context.machine.files.resolved_type(path) == ports::FileType::regular) {
    TRY(text, context.machine.files.read(path, limits::kProjectFile));
  }
  std::optional<std::string> section = publish::changelog_section(text, action.release.version);
  if (section) return *std::move(section);
  warnings.push_back(logged_warning(
      context, Error{ErrorKind::config,
                     fmt::format("{} has no section about version {}: the release has no notes",
                                 quoted(path.string()), action.release.version)}
                   .with_hint("add a heading with the version, or name the changelog with `notes` "
                              "in the target")));
  return std::string();
}

/// The URLs of the files in the release on GitHub that has them, which is read back.
Result<std::map<std::string, std::string>> linked_urls(const StepContext& context,
                                                       const plan::Publish& action,
                                                       const std::vector<Built>& files) {
  if (!action.linked) return std::map<std::string, std::string>();
  TRY(const HttpBounds bounds, http_bounds_from(context.workplace.variables));
  UploadNetwork network(context, bounds);
  TRY(GithubTarget target,
      github_reader(*action.linked, context.workplace, network.credential_ports()));
  publish::ReleaseGoal goal{target.place, action.release.tag, action.release.commit, {}};
  for (const Built& built : files) {
    goal.assets.push_back({built.file.filename, built.file.size, built.file.sha256});
  }
  const UploadOptions options;
  const UploadHooks hooks = hooks_of(context);
  const GithubApi api(std::move(target), options, network.http, hooks);
  TRY(const publish::GithubState state, api.look(goal));
  return publish::asset_urls(goal, state);
}

/// The release on GitHub with the digests of its assets, which older servers do not state.
Result<publish::GithubState> digested_release(const GithubApi& api, publish::ReleaseGoal goal) {
  TRY(publish::GithubState state, api.look(goal));
  const bool known = std::ranges::none_of(
      state.assets, [](const publish::GithubAsset& asset) { return asset.sha256.empty(); });
  if (known) return state;
  for (const publish::GithubAsset& asset : state.assets) {
    goal.assets.push_back({asset.name, asset.size, {}});
  }
  return api.look(goal);
}

/// A bundle with the provenance of each file, which the release has or the job signs.
Result<ReleaseContents> bundles_of(const StepContext& context, const plan::Publish& action,
                                   const std::vector<Built>& files,
                                   const publish::GithubState& state,
                                   const CredentialPorts& ports) {
  ReleaseContents contents;
  std::vector<publish::Artifact> unsigned_files;
  for (const Built& built : files) {
    const auto there =
        publish::present_bundle({built.file.filename, built.file.size, built.file.sha256}, state);
    if (there) {
      contents.assets.push_back(*there);
      contents.bytes.push_back(std::make_shared<ports::MemorySource>(std::string()));
    } else {
      unsigned_files.push_back(built.file);
    }
  }
  TRY(std::vector<publish::Attestation> bundles,
      sign_provenance(context, action, ports, unsigned_files));
  for (size_t i = 0; i < bundles.size(); ++i) {
    std::string& document = bundles[i].document;
    contents.assets.push_back(
        {publish::bundle_name(unsigned_files[i].filename), document.size(), sha256_hex(document)});
    contents.bytes.push_back(std::make_shared<ports::MemorySource>(std::move(document)));
  }
  return contents;
}

/// Publishes the files as a release on GitHub; the result is the warnings for people.
Result<std::vector<std::string>> to_github(const StepContext& context, const plan::Publish& action,
                                           const std::vector<Built>& files) {
  const plan::TaggedRelease& release = action.release;
  TRY_DONE(publish::check_tagged(facts_of(release), action.target.name));
  TRY(const HttpBounds bounds, http_bounds_from(context.workplace.variables));
  UploadNetwork network(context, bounds);
  TRY(GithubTarget target,
      github_target(action.target, context.workplace, network.credential_ports()));
  TRY(ReleaseContents contents,
      release_contents(release, artifacts_of(files),
                       publish::describing_assets(facts_of(release),
                                                  publication_of(action.target.name, files))));
  std::vector<std::string> warnings;
  const Result<pep::Version> version = pep::parse_version(release.version);
  publish::ReleaseGoal goal{
      target.place,
      release.tag,
      release.commit,
      fmt::format("{} {}", release.project, plan::version_text(release.version, release.build)),
      {},
      version && pep::is_prerelease(*version),
      std::move(contents.assets)};
  TRY(goal.notes, notes_of(context, action, warnings));
  const UploadOptions options;
  const UploadHooks hooks = hooks_of(context);
  const GithubApi api(std::move(target), options, network.http, hooks);
  if (action.target.attestations == matrix::Attesting::always) {
    TRY(const publish::GithubState state, digested_release(api, goal));
    // Nothing is signed for a release that cannot be made.
    TRY_DONE(publish::next_action(goal, state));
    TRY(const ReleaseContents bundles,
        bundles_of(context, action, files, state, network.credential_ports()));
    goal.assets.insert(goal.assets.end(), bundles.assets.begin(), bundles.assets.end());
    contents.bytes.insert(contents.bytes.end(), bundles.bytes.begin(), bundles.bytes.end());
  }
  TRY_DONE(publish_github_release(goal, contents.bytes, api));
  append_log(context, fmt::format("released {} of {} with {}\n", release.tag, goal.place.repository,
                                  plural(goal.assets.size(), "file")));
  return warnings;
}

/// Writes the records of the release, with which the other targets select the files.
Result<std::vector<plan::Output>> write_first_records(const StepContext& context,
                                                      const plan::Publish& action,
                                                      const std::vector<Built>& files) {
  std::vector<plan::Output> outputs;
  for (const auto& [name, record] :
       publish::records_of({publication_of(action.target.name, files)}, facts_of(action.release))) {
    const fs::path path = context.workplace.output / name;
    const std::string text = publish::record_json(record);
    TRY_DONE(context.machine.files.write(path, text));
    outputs.push_back({path.string(), sha256_hex(text), text.size()});
  }
  return outputs;
}

/// Checks that the records have the files that were built and tested, and no others.
Done check_records(const plan::Publish& action, const std::vector<publish::ReleaseRecord>& records,
                   const std::vector<Built>& files) {
  std::map<std::string, publish::RecordedFile> recorded;
  for (const publish::ReleaseRecord& record : records) {
    for (const publish::RecordedFile& file : record.files) recorded[file.filename] = file;
  }
  bool same = recorded.size() == files.size();
  for (const Built& built : files) {
    const auto found = recorded.find(built.file.filename);
    same = same && found != recorded.end() && found->second.sha256 == built.file.sha256;
  }
  if (same) return {};
  return fail(ErrorKind::check,
              fmt::format("the record of {} does not have the files that were built",
                          quoted(action.from.name)),
              "remove the record from the output directory and run again");
}

/// The same files as the first target has them.
Result<std::vector<Built>> promoted_files(const StepContext& context, const plan::Publish& action,
                                          const std::vector<Built>& files,
                                          ReceivedRelease& received) {
  TRY_DONE(plan::check_installed(context.attempt.needs, context.workplace.accepted));
  TRY(const std::vector<publish::ReleaseRecord> records, first_records(context, action.from));
  TRY_DONE(check_records(action, records, files));
  TRY(received, receive_release(context, action.from, records));
  std::vector<Built> promoted;
  promoted.reserve(files.size());
  for (const Built& built : files) {
    TRY(publish::Artifact artifact, read_artifact(received.files.at(built.file.filename)));
    TRY_DONE(publish::check_received({built.file.filename, built.file.size, built.file.sha256},
                                     artifact.size, artifact.sha256, quoted(action.from.name)));
    promoted.push_back({built.build, std::move(artifact)});
  }
  return promoted;
}

}  // namespace

Result<run::Success> perform_publish(const StepContext& context, const plan::Publish& action) {
  TRY_DONE(plan::check_evidence(action.require_evidence, context.attempt.needs,
                                context.workplace.accepted));
  for (const std::string& build : action.withheld) {
    append_log(context, fmt::format("{} is not published: it is experimental\n", build));
  }
  run::Success success;
  TRY(const std::vector<Built> all, gather_files(context, action));
  TRY_DONE(check_other_targets(context, action, all));
  TRY(std::vector<Built> named, files_for(all, {action.target, action.names}));
  std::vector<Built> files = without_lone_sdist(context, action.target.name, std::move(named));
  ReceivedRelease received;
  if (action.role == plan::PublishRole::promoted) {
    TRY(files, promoted_files(context, action, files, received));
  }
  enter_phase(context, plan::StepPhase::output_upload);
  switch (action.target.kind) {
    case matrix::TargetKind::directory: {
      success.warnings = narrower_than_listed(context, action, files);
      TRY(const auto urls, linked_urls(context, action, files));
      const publish::Catalog held = catalog_of_directory(context, action);
      TRY_DONE(publish::check_recut({action.target.name, plan::build_number_of(action)},
                                    artifacts_of(files), held));
      TRY(files, with_bundles(context, action, std::move(files), held));
      TRY(plan::Output page,
          into_directory(context, action, directory_entries(action, files, urls)));
      success.outputs.push_back(std::move(page));
      break;
    }
    case matrix::TargetKind::s3: {
      TRY_DONE(into_bucket(context, action, files));
      break;
    }
    case matrix::TargetKind::pypi:
    case matrix::TargetKind::testpypi:
    case matrix::TargetKind::index: {
      TRY(success.warnings, to_index(context, action, files));
      break;
    }
    case matrix::TargetKind::github_release: {
      TRY(success.warnings, to_github(context, action, files));
      break;
    }
  }
  if (action.role == plan::PublishRole::first) {
    TRY(success.outputs, write_first_records(context, action, files));
  }
  TRY_DONE(remove_received(context, received));
  return success;
}

}  // namespace pinwheel::host
