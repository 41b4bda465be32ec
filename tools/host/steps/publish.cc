#include "host/steps/publish.h"

#include <fmt/format.h>

#include <set>

#include "base/text.h"
#include "host/index/index_directory.h"
#include "host/index/publish_target.h"
#include "host/index/upload.h"
#include "host/index/upload_artifact.h"
#include "host/index/upload_hooks.h"
#include "host/log/logged_http.h"
#include "host/net/http.h"
#include "host/system/digest_file.h"
#include "pep/name.h"
#include "pep/version.h"
#include "plan/evidence_gate.h"
#include "plan/step_id.h"
#include "publish/narrower_wheel.h"

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

bool is_named(const publish::Artifact& file, const wheel::Naming& naming) {
  const auto has = pep::parse_version(file.version);
  const auto wanted = pep::parse_version(naming.version);
  return pep::normalize_name(file.name) == pep::normalize_name(naming.distribution) && has &&
         wanted && pep::to_string(*has) == pep::to_string(*wanted);
}

/// The files built for this target: from each build the wheel with the target's name.
Result<std::vector<Built>> gather_files(const StepContext& context, const plan::Publish& action) {
  std::vector<Built> files;
  for (const plan::StepOutcome& need : context.attempt.needs) {
    const auto naming = action.names.find(need.id);
    if (naming == action.names.end() && need.id != plan::sdist_id()) continue;
    const size_t before = files.size();
    for (const plan::Output& output : need.outputs) {
      TRY(publish::Artifact artifact, read_artifact(output.path));
      if (artifact.sha256 != output.sha256) {
        return fail(
            ErrorKind::check,
            fmt::format("{} is not the file that {} built", quoted(output.path), quoted(need.id)),
            "remove it and run again: the step is then repeated");
      }
      if (need.id == plan::sdist_id() || is_named(artifact, naming->second)) {
        files.push_back({need.id, std::move(artifact)});
      }
    }
    if (files.size() == before) {
      return fail(ErrorKind::internal, fmt::format("{} built nothing for target {}",
                                                   quoted(need.id), quoted(action.target.name)));
    }
  }
  return files;
}

/// Drops the sdist if no wheel has its name: with `name` or `others` all wheels may have different
/// names, and installers would build the plain name from source.
std::vector<Built> without_lone_sdist(const StepContext& context, const plan::Publish& action,
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
    append_log(context,
               fmt::format("{} is left out: no wheel of {} goes to {}\n", built.file.filename,
                           quoted(project), quoted(action.target.name)));
    return true;
  });
  return files;
}

fs::path index_of(const StepContext& context, const plan::Publish& action) {
  return (context.workplace.matrix_directory / action.target.path).lexically_normal();
}

/// Adds the files to the index and returns its page.
Result<plan::Output> into_directory(const StepContext& context, const plan::Publish& action,
                                    const std::vector<Built>& files) {
  std::vector<DirectoryEntry> entries;
  for (const Built& built : files) {
    const auto label = action.labels.find(built.build);
    const bool in_root = label == action.labels.end() || built.build == action.default_build;
    entries.push_back({built.file, label == action.labels.end() ? std::string() : label->second,
                       in_root ? publish::InRoot::yes : publish::InRoot::no});
  }
  const DirectoryOptions options{action.target.keep_nightlies};
  TRY(const DirectoryPublication publication,
      publish_to_directory(index_of(context, action), entries, options, context.machine.files,
                           context.machine.clock));
  for (const FileOutcome& outcome : publication.files) {
    append_log(context, fmt::format("{} {} sha256={}\n", outcome.filename,
                                    publish::to_string(outcome.outcome), outcome.sha256));
    context.workplace.log->write(
        {ports::LogLevel::debug,
         "published",
         {{"path", (index_of(context, action) / outcome.filename).string()},
          {"outcome", std::string(publish::to_string(outcome.outcome))},
          {"sha256", outcome.sha256}}});
  }
  for (const std::string& name : publication.retired) {
    append_log(context, fmt::format("{} is no longer listed: only the newest {} nightlies are\n",
                                    name, action.target.keep_nightlies.value_or(0)));
    context.workplace.log->write({ports::LogLevel::debug, "retired", {{"file", name}}});
  }
  // A removed or changed index is recreated; nothing is written if it has the files.
  const fs::path page = index_of(context, action) / "index.json";
  TRY(const FileDigest digest, digest_file(page));
  return plan::Output{page.string(), digest.sha256, digest.size};
}

/// The names of the files that the directory has of a project, in its sub-index and in the root.
std::vector<std::string> listed_names(const StepContext& context, const plan::Publish& action,
                                      const Built& built) {
  const fs::path index = index_of(context, action);
  const std::string project = pep::normalize_name(built.file.name);
  const auto label = action.labels.find(built.build);
  std::vector<fs::path> places = {index / project};
  if (label != action.labels.end()) places.push_back(index / label->second / project);
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
    if (context.workplace.on_upload) context.workplace.on_upload(event);
  };
  hooks.now = [&context] { return context.machine.clock.now(); };
  hooks.notice = [&context](std::string_view line) {
    append_log(context, std::string(line) + "\n");
  };
  return hooks;
}

/// Uploads the files; the result is the warnings for people.
Result<std::vector<std::string>> to_index(const StepContext& context, const plan::Publish& action,
                                          const std::vector<Built>& files) {
  std::vector<publish::Artifact> artifacts;
  artifacts.reserve(files.size());
  for (const Built& built : files) artifacts.push_back(built.file);
  TRY(const HttpBounds bounds, http_bounds_from(context.workplace.variables));
  HttpOptions requests{.ca_bundle = ca_bundle_from(context.workplace.variables), .bounds = bounds};
  CurlHttp curl(requests, context.stop);
  LoggedHttp http(curl, *context.workplace.log, context.machine.clock);
  CurlHttp last_curl(last_options(std::move(requests)));
  LoggedHttp last_http(last_curl, *context.workplace.log, context.machine.clock);
  const CredentialPorts ports{
      context.machine.files, http, last_http, context.machine.process, context.machine.clock,
      context.workplace.mask};
  TRY(const UploadTarget target, upload_target(action.target, context.workplace, ports));
  UploadOptions options;
  options.size_limit = action.target.size_limit;
  if (action.target.unconfirmed) options.confirm = Confirm::none;
  std::vector<std::string> warnings;
  UploadHooks hooks = hooks_of(context);
  hooks.warn = [&](const Error& warning) { warnings.push_back(logged_warning(context, warning)); };
  TRY_DONE(upload_release(artifacts, target, options, http, hooks));
  return warnings;
}

}  // namespace

Result<run::Success> perform_publish(const StepContext& context, const plan::Publish& action) {
  TRY_DONE(plan::check_evidence(action.require_evidence, context.attempt.needs,
                                context.workplace.accepted));
  for (const std::string& build : action.withheld) {
    append_log(context, fmt::format("{} is not published: it is experimental\n", build));
  }
  run::Success success;
  TRY(std::vector<Built> gathered, gather_files(context, action));
  const std::vector<Built> files = without_lone_sdist(context, action, std::move(gathered));
  switch (action.target.kind) {
    case matrix::TargetKind::directory: {
      success.warnings = narrower_than_listed(context, action, files);
      TRY(plan::Output page, into_directory(context, action, files));
      success.outputs.push_back(std::move(page));
      break;
    }
    case matrix::TargetKind::pypi:
    case matrix::TargetKind::testpypi:
    case matrix::TargetKind::index: {
      TRY(success.warnings, to_index(context, action, files));
      break;
    }
  }
  return success;
}

}  // namespace pinwheel::host
