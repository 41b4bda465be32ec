#include "plan/provenance.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/digest.h"
#include "base/json.h"
#include "base/text.h"
#include "base/url.h"
#include "env/public_url.h"

namespace pinwheel::plan {
namespace {

using ProvenanceJson = nlohmann::ordered_json;

constexpr std::string_view kNeedPrefix = "needs ";
constexpr std::string_view kSourceDigest = "source.digest";
constexpr std::string_view kToolchain = "toolchain";
constexpr std::string_view kInterpreter = "python";
constexpr std::string_view kAbsent = "absent:";  // required by a package, but not installed

/// The value of a part: the document of its text, else the text. Everybody can read the statement,
/// so URLs lose their credentials.
ProvenanceJson value_of(const std::string& text) {
  const std::string shown = env::without_credentials(text);
  const nlohmann::json value = read_json(shown);
  return value.is_discarded() ? ProvenanceJson(shown) : ProvenanceJson(value);
}

bool is_parameter(std::string_view part) {
  return !part.starts_with(kNeedPrefix) && part != kSourceDigest && part != kToolchain;
}

/// What the user of the build decides: the step and its settings.
ProvenanceJson parameters_of(const StepOutcome& build) {
  ProvenanceJson parameters = ProvenanceJson::object();
  for (const auto& [name, value] : build.parts) {
    if (is_parameter(name)) parameters[name] = value_of(value);
  }
  return {{"step", build.id}, {"parameters", std::move(parameters)}};
}

/// What the machine and pinwheel decide.
ProvenanceJson conditions_of(const StepOutcome& build) {
  ProvenanceJson conditions = {{"key", build.key}, {"reused", !build.reused_from.empty()}};
  const auto toolchain = build.parts.find(std::string(kToolchain));
  if (toolchain != build.parts.end()) conditions["toolchain"] = value_of(toolchain->second);
  return conditions;
}

/// The digest that a part states; empty for another value.
std::string digest_in(const std::string& part) {
  const nlohmann::json value = read_json(part);
  const std::string text = value.is_string() ? value.get<std::string>() : part;
  return is_sha256_hex(text) ? text : std::string();
}

/// The commit of the package, at the repository of the job.
ProvenanceJson commit_of(const std::string& id, const BuilderJob& job) {
  ProvenanceJson commit = {{"name", "commit"}};
  if (!job.repository.empty()) {
    commit["uri"] = fmt::format("git+{}@{}", job.repository, id);
  }
  commit["digest"] = {{"gitCommit", id}};
  return commit;
}

/// A package by its URL (purl-spec), as entries of stores name packages: "torch", "conda:zlib" with
/// the build after the version, "python".
ProvenanceJson package_of(const std::string& name, const store::InstalledPackage& package) {
  constexpr std::string_view kConda = "conda:";
  const bool conda = name.starts_with(kConda);
  const std::string type = conda ? "conda" : name == kInterpreter ? "generic" : "pypi";
  const std::string plain = conda ? name.substr(kConda.size()) : name;
  const std::string version = package.version.substr(0, package.version.find(' '));
  ProvenanceJson dependency = {
      {"uri", fmt::format("pkg:{}/{}@{}", type, encode_segment(plain), encode_segment(version))}};
  if (!package.sha256.empty()) dependency["digest"] = {{"sha256", package.sha256}};
  return dependency;
}

ProvenanceJson dependencies_of(const StepOutcome& build, const BuildInputs& inputs,
                               const BuilderJob& job) {
  ProvenanceJson dependencies = ProvenanceJson::array();
  if (!inputs.commit.empty()) dependencies.push_back(commit_of(inputs.commit, job));
  for (const auto& [name, value] : build.parts) {
    const bool need = name.starts_with(kNeedPrefix);
    const std::string digest = need || name == kSourceDigest ? digest_in(value) : std::string();
    if (digest.empty()) continue;
    dependencies.push_back({{"name", need ? name.substr(kNeedPrefix.size()) : "source"},
                            {"digest", {{"sha256", digest}}}});
  }
  for (const auto& [name, package] : inputs.packages) {
    if (!name.starts_with(kAbsent)) dependencies.push_back(package_of(name, package));
  }
  return dependencies;
}

ProvenanceJson details_of(const StepOutcome& build, const BuilderJob& job) {
  ProvenanceJson metadata = ProvenanceJson::object();
  if (!job.run.empty()) metadata["invocationId"] = job.run;
  if (!build.trace.empty() && build.trace.back().ran) {
    metadata["startedOn"] = to_string(build.trace.back().ran->start);
    metadata["finishedOn"] = to_string(build.trace.back().ran->completed);
  }
  return {{"builder", {{"id", job.id}, {"version", {{"pinwheel", job.pinwheel}}}}},
          {"metadata", std::move(metadata)}};
}

BuilderJob github_job(const std::map<std::string, std::string>& variables) {
  const std::string server = value_at(variables, "GITHUB_SERVER_URL");
  const std::string repository = value_at(variables, "GITHUB_REPOSITORY");
  const std::string workflow = value_at(variables, "GITHUB_WORKFLOW_REF");
  BuilderJob job;
  if (server.empty() || repository.empty()) return job;
  job.repository = fmt::format("{}/{}", server, repository);
  if (!workflow.empty()) job.id = fmt::format("{}/{}", server, workflow);
  const std::string run = github_run(variables);
  const std::string attempt = value_at(variables, "GITHUB_RUN_ATTEMPT");
  if (!run.empty()) {
    job.run = fmt::format("{}/attempts/{}", run, attempt.empty() ? "1" : attempt);
  }
  return job;
}

BuilderJob gitlab_job(const std::map<std::string, std::string>& variables) {
  BuilderJob job;
  job.repository = value_at(variables, "CI_PROJECT_URL");
  job.run = value_at(variables, "CI_JOB_URL");
  const std::string runner = value_at(variables, "CI_RUNNER_ID");
  if (!job.repository.empty() && !runner.empty()) {
    job.id = fmt::format("{}/-/runners/{}", job.repository, runner);
  }
  return job;
}

}  // namespace

std::string github_run(const std::map<std::string, std::string>& variables) {
  const std::string server = value_at(variables, "GITHUB_SERVER_URL");
  const std::string repository = value_at(variables, "GITHUB_REPOSITORY");
  const std::string run = value_at(variables, "GITHUB_RUN_ID");
  if (server.empty() || repository.empty() || run.empty()) return {};
  return fmt::format("{}/{}/actions/runs/{}", server, repository, run);
}

BuilderJob builder_job(const std::map<std::string, std::string>& variables,
                       const std::string& pinwheel) {
  BuilderJob job;
  if (value_at(variables, "GITHUB_ACTIONS") == "true") job = github_job(variables);
  if (value_at(variables, "GITLAB_CI") == "true") job = gitlab_job(variables);
  job.pinwheel = pinwheel;
  return job;
}

std::string provenance_predicate(const StepOutcome& build, const BuildInputs& inputs,
                                 const BuilderJob& job) {
  const ProvenanceJson predicate = {
      {"buildDefinition",
       {{"buildType", kBuildType},
        {"externalParameters", parameters_of(build)},
        {"internalParameters", conditions_of(build)},
        {"resolvedDependencies", dependencies_of(build, inputs, job)}}},
      {"runDetails", details_of(build, job)}};
  return predicate.dump(-1, ' ', false, ProvenanceJson::error_handler_t::replace);
}

}  // namespace pinwheel::plan
