#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/machine/env_machine.h"
#include "host/net/credentials.h"
#include "publish/attestation.h"
#include "publish/attestation_program.h"
#include "publish/identity_provider.h"

namespace pinwheel::host {

/// The identity that signs, where, and what.
struct SigningRequest {
  publish::IdentityProvider provider = publish::IdentityProvider::github;
  std::map<std::string, std::string> variables = {};  ///< of the job
  /// The client trust configuration of a private Sigstore; empty: the public instance.
  std::filesystem::path trust = {};
  publish::StatementList list = {};
};

/// Signs statements with an identity token of the job, by the program of
/// `publish/attestation_program`: one document for each statement, in order. Kind `usage` for a job
/// that gets no identity token for Sigstore, `transient` if a service did not respond,
/// `environment` if the program cannot be installed, else `publish`. No error contains the token.
Result<std::vector<publish::Attestation>> sign_statements(const EnvMachine& machine,
                                                          const SigningRequest& request,
                                                          const CredentialPorts& ports);

/// Verifies the certificates, the log entries and the signatures without a network: one signer for
/// each attestation, in order. `trust` is as in `SigningRequest`; for the public instance it is the
/// root of trust in the package `sigstore`. Kind `check` for an invalid one, `environment` if the
/// program cannot be installed.
Result<std::vector<publish::Signer>> verify_attestations(
    const EnvMachine& machine, const std::vector<publish::Attestation>& attestations,
    const std::filesystem::path& trust);

/// A message for the user if the program is going to be installed; else nullopt.
std::optional<std::string> attestation_notice(const EnvMachine& machine);

}  // namespace pinwheel::host
