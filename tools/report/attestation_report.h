#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "publish/attestation.h"

namespace pinwheel::report {

/// A statement whose signature was verified, and its signer.
struct VerifiedAttestation {
  std::string predicate;  ///< as `publish::Attestation::predicate`
  publish::Signer signer;
};

/// For people: one paragraph for each.
std::string attestations_text(const std::vector<VerifiedAttestation>& attestations);

/// [{predicate, identity, issuer, repository, workflow, commit, ref, run}]; null for a text that
/// the certificate does not state.
nlohmann::json attestation_list(const std::vector<VerifiedAttestation>& attestations);

/// The document about a file that is not inspected, an sdist: {schema, file, attestations}.
std::string attested_file_json(const std::string& filename,
                               const std::vector<VerifiedAttestation>& attestations);

}  // namespace pinwheel::report
