#pragma once
#include <map>
#include <string>
#include <string_view>

#include "base/secret.h"

namespace pinwheel::publish {

/// What an identity token says of its job, by name. Only texts, numbers and truth
/// values, and lists of them as "a, b".
using IdentityClaims = std::map<std::string, std::string>;

/// The claims of a JSON Web Token. Its signature is not verified: that is up to the index, and they
/// only serve to explain its answer. Empty for what is none.
IdentityClaims identity_claims(const Secret& token);

/// Those by which indexes recognize a job, in a fixed order, each visible on its line: "repository
/// `acme/kernels`, environment `pypi`"; empty if there are none.
std::string shown_claims(const IdentityClaims& claims);

/// Whether GitHub's claims are of a reusable workflow, which runs in the name of another.
bool in_reusable_workflow(const IdentityClaims& claims);

/// ".github/workflows/release.yml" of "acme/kernels/.github/workflows/release.yml@refs/tags/v1".
std::string workflow_path(std::string_view workflow_ref);

}  // namespace pinwheel::publish
