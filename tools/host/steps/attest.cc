#include "host/steps/attest.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/retries.h"
#include "base/text.h"
#include "host/index/publish_target.h"
#include "host/index/upload_hooks.h"
#include "host/provision/attestations.h"
#include "host/provision/env_resolve.h"
#include "plan/environments.h"
#include "plan/provenance.h"

namespace pinwheel::host {
namespace {

/// The build that made a file of the release.
Result<plan::StepOutcome> build_of(const StepContext& context, const publish::Artifact& file) {
  for (const plan::StepOutcome& need : context.attempt.needs) {
    for (const plan::Output& output : need.outputs) {
      if (output.sha256 == file.sha256) return need;
    }
  }
  return fail(ErrorKind::internal, fmt::format("no step has built {}", quoted(file.filename)));
}

/// The packages of the build's environment; empty if this machine does not know those of the plan,
/// as for a result from a store.
store::InstalledPackages packages_of(const StepContext& context,
                                     const plan::ResolvedRequest& environment) {
  const auto resolution = load_resolution(context.machine, environment.request);
  const bool planned = resolution && resolution->digest() == environment.resolution;
  return planned ? plan::environment_packages(*resolution) : store::InstalledPackages();
}

Result<publish::Statement> provenance_of(const StepContext& context, const plan::Publish& action,
                                         const publish::Artifact& file) {
  TRY(const plan::StepOutcome build, build_of(context, file));
  plan::BuildInputs inputs{action.commit};
  const auto environment = action.environments.find(build.id);
  if (environment != action.environments.end()) {
    inputs.packages = packages_of(context, environment->second);
  }
  const plan::BuilderJob job = plan::builder_job(context.workplace.variables, action.pinwheel);
  std::string predicate = plan::provenance_predicate(build, inputs, job);
  // Everybody can read the statement.
  if (context.workplace.hidden) predicate = context.workplace.hidden->mask(predicate);
  return publish::Statement{{file.filename, file.sha256},
                            std::string(publish::kProvenancePredicate),
                            std::move(predicate)};
}

Result<std::vector<publish::Attestation>> sign(const StepContext& context,
                                               const plan::Publish& action, SigningRequest request,
                                               const CredentialPorts& ports) {
  request.variables = context.workplace.variables;
  if (!action.target.sigstore.empty()) {
    request.trust =
        (context.workplace.matrix_directory / action.target.sigstore).lexically_normal();
  }
  append_log(context, fmt::format("signing {} with the identity of the job\n",
                                  plural(request.list.statements.size(), "statement")));
  return sign_statements(context.machine, request, ports);
}

/// The same, again after waits as long as a service does not respond, as uploads do.
Result<std::vector<publish::Attestation>> sign_patiently(const StepContext& context,
                                                         const plan::Publish& action,
                                                         const SigningRequest& request,
                                                         const CredentialPorts& ports) {
  const UploadOptions options;
  const UploadHooks hooks = waiting_hooks(context.stop);
  auto made = with_retries(
      options.attempts, [&] { return sign(context, action, request, ports); },
      [](const auto& result) { return !result && result.error().kind == ErrorKind::transient; },
      [&](int attempt, const auto& result) {
        append_log(context, fmt::format("{}; trying again\n", result.error().message));
        return hooks.sleep(backoff(attempt, options.backoff_min, options.backoff_max,
                                   hooks.jitter ? hooks.jitter() : 0));
      });
  if (made || made.error().kind != ErrorKind::transient) return made;
  Error error = std::move(made).error();
  error.kind = ErrorKind::publish;
  return fail(std::move(error));
}

}  // namespace

Result<FileAttestations> attest_uploads(const StepContext& context, const plan::Publish& action,
                                        const UploadTarget& target, const CredentialPorts& ports,
                                        const std::vector<publish::Artifact>& files) {
  SigningRequest request;
  TRY(request.provider, signing_provider(context.workplace.variables, target));
  for (const publish::Artifact& file : files) {
    request.list.statements.push_back({{file.filename, file.sha256}});
    TRY(request.list.statements.emplace_back(), provenance_of(context, action, file));
  }
  TRY(std::vector<publish::Attestation> made, sign(context, action, std::move(request), ports));
  FileAttestations attestations(files.size());
  for (size_t i = 0; i < made.size(); ++i) attestations[i / 2].push_back(std::move(made[i]));
  return attestations;
}

Result<std::vector<publish::Attestation>> sign_provenance(
    const StepContext& context, const plan::Publish& action, const CredentialPorts& ports,
    const std::vector<publish::Artifact>& files) {
  if (files.empty()) return std::vector<publish::Attestation>();
  SigningRequest request;
  TRY(request.provider, signing_provider(context.workplace.variables, publish::IndexKind::other));
  request.list.form = publish::AttestationForm::bundle;
  for (const publish::Artifact& file : files) {
    TRY(request.list.statements.emplace_back(), provenance_of(context, action, file));
  }
  return sign_patiently(context, action, request, ports);
}

}  // namespace pinwheel::host
