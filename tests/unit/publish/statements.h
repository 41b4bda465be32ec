#pragma once
#include <nlohmann/json.hpp>
#include <vector>

#include "base/digest.h"
#include "publish/attestation.h"

namespace pinwheel {

/// A statement of in-toto about files.
inline nlohmann::json statement_about(const std::vector<publish::AttestedFile>& files) {
  nlohmann::json subjects = nlohmann::json::array();
  for (const publish::AttestedFile& file : files) {
    subjects.push_back({{"name", file.name}, {"digest", {{"sha256", file.sha256}}}});
  }
  return {{"_type", "https://in-toto.io/Statement/v1"},
          {"subject", subjects},
          {"predicateType", "https://docs.pypi.org/attestations/publish/v1"},
          {"predicate", nullptr}};
}

/// An attestation of PEP 740, whose signature nobody made.
inline nlohmann::json attestation_of(const nlohmann::json& statement) {
  return {{"version", 1},
          {"verification_material",
           {{"certificate", "MII="}, {"transparency_entries", {{{"logIndex", "7"}}}}}},
          {"envelope", {{"statement", base64(statement.dump())}, {"signature", "MEQ="}}}};
}

/// The same as a bundle of Sigstore.
inline nlohmann::json bundle_of(const nlohmann::json& statement) {
  return {{"mediaType", "application/vnd.dev.sigstore.bundle.v0.3+json"},
          {"verificationMaterial", {{"certificate", {{"rawBytes", "MII="}}}}},
          {"dsseEnvelope",
           {{"payload", base64(statement.dump())},
            {"payloadType", "application/vnd.in-toto+json"},
            {"signatures", {{{"sig", "MEQ="}}}}}}};
}

}  // namespace pinwheel
