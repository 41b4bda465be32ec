#include "host/index/publish_target.h"

#include <fmt/format.h>

#include <variant>

#include "base/text.h"
#include "publish/attestation_program.h"

namespace pinwheel::host {

Result<publish::Endpoint> endpoint_of(const matrix::PublishTarget& target) {
  switch (target.kind) {
    case matrix::TargetKind::pypi:
      return publish::pypi();
    case matrix::TargetKind::testpypi:
      return publish::testpypi();
    case matrix::TargetKind::index:
      return publish::endpoint(target.url, target.check_url);
    case matrix::TargetKind::directory:
    case matrix::TargetKind::s3:
    case matrix::TargetKind::github_release:
      break;
  }
  return fail(ErrorKind::internal, fmt::format("{} is not an index", quoted(target.name)));
}

Result<UploadTarget> upload_target(const matrix::PublishTarget& target, const Workplace& workplace,
                                   const CredentialPorts& ports) {
  UploadTarget found{target.name};
  TRY(found.endpoint, endpoint_of(target));
  if (target.auth == matrix::UploadAuth::none) return found;
  const CredentialRequest request{target.name,          found.endpoint,       workplace.variables,
                                  workplace.token_file, workplace.plain_http, target.auth,
                                  target.audience};
  TRY(found.credentials,
      find_credentials(request, credential_sources(request, ports), workplace.mask));
  return found;
}

namespace {

constexpr const char* kWithoutAttestations =
    "publish without attestations: `attestations: never`, or `--attestations never`";

/// Whether the index issues the token for the job.
bool is_issued(const UploadTarget& target) {
  return target.credentials && std::holds_alternative<CredentialExchange>(*target.credentials);
}

/// Whether the job can get identity tokens for Sigstore.
bool offers_signing(publish::IdentityProvider provider,
                    const std::map<std::string, std::string>& variables) {
  if (provider != publish::IdentityProvider::gitlab) {
    return publish::offers_identity(provider, variables);
  }
  return variables.contains(publish::identity_variable(publish::kSigstoreAudience));
}

}  // namespace

bool is_attested(matrix::Attesting attesting, const UploadTarget& target,
                 const std::map<std::string, std::string>& variables) {
  switch (attesting) {
    case matrix::Attesting::always:
      return true;
    case matrix::Attesting::never:
      return false;
    case matrix::Attesting::automatic:
      break;
  }
  const auto provider = publish::identity_provider(variables);
  if (!is_issued(target) || !provider || !publish::has_pypi_rules(target.endpoint.kind))
    return false;
  switch (*provider) {
    case publish::IdentityProvider::github:
    case publish::IdentityProvider::google:
      return true;
    case publish::IdentityProvider::gitlab:
      return offers_signing(*provider, variables);
    case publish::IdentityProvider::buildkite:
    case publish::IdentityProvider::circleci:
      break;
  }
  return false;
}

Result<publish::IdentityProvider> signing_provider(
    const std::map<std::string, std::string>& variables, const UploadTarget& target) {
  if (publish::has_pypi_rules(target.endpoint.kind) && !is_issued(target)) {
    return fail(ErrorKind::usage,
                fmt::format("{} accepts attestations only with a token that it issues for the job",
                            quoted(target.name)),
                kWithoutAttestations);
  }
  return signing_provider(variables, target.endpoint.kind);
}

Result<publish::IdentityProvider> signing_provider(
    const std::map<std::string, std::string>& variables, publish::IndexKind kind) {
  const auto provider = publish::identity_provider(variables);
  if (!provider) {
    return fail(ErrorKind::usage,
                "attestations are signed with the identity of a CI job, and this is not a CI job",
                kWithoutAttestations);
  }
  if (offers_signing(*provider, variables)) return *provider;
  const std::string advice = *provider == publish::IdentityProvider::gitlab
                                 ? "give the job `id_tokens: {SIGSTORE_ID_TOKEN: {aud: sigstore}}`"
                                 : publish::identity_advice(*provider, kind);
  return fail(ErrorKind::usage,
              fmt::format("the job has no identity token of {} to sign attestations with",
                          publish::to_string(*provider)),
              advice);
}

}  // namespace pinwheel::host
