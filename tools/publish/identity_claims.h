#pragma once
#include <map>
#include <string>
#include <string_view>

#include "base/secret.h"

namespace pinwheel::publish {

/// The claims of an identity token about its job, by name. Only texts, numbers, booleans and lists
/// of them as "a, b".
using IdentityClaims = std::map<std::string, std::string>;

/// The claims of a JSON Web Token. Its signature is not verified: the index does that, and the
/// claims only help to explain its answer. Empty for invalid tokens.
IdentityClaims identity_claims(const Secret& token);

/// The claims by which indexes recognize a job, in a fixed order, each with its name: "repository
/// `acme/kernels`, environment `pypi`"; empty if there are none.
std::string shown_claims(const IdentityClaims& claims);

/// Whether GitHub's claims are of a reusable workflow, which runs on behalf of another.
bool in_reusable_workflow(const IdentityClaims& claims);

/// ".github/workflows/release.yml" for "acme/kernels/.github/workflows/release.yml@refs/tags/v1".
std::string workflow_path(std::string_view workflow_ref);

}  // namespace pinwheel::publish
