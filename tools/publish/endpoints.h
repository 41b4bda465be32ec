#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace pinwheel::publish {

/// PyPI and its test instance have rules of their own (local versions, tags, sizes); of any other
/// index nothing is known but the protocol.
enum class IndexKind { pypi, testpypi, other };

/// Where an index takes uploads and where it can be read.
struct Endpoint {
  IndexKind kind = IndexKind::other;
  std::string upload_url;
  std::string simple_url;  ///< ends in `/`; a project's page is `<simple_url><normalised name>/`
  bool operator==(const Endpoint&) const = default;
};

Endpoint pypi();
Endpoint testpypi();

/// `target` is `pypi`, `testpypi` or the upload URL of another index; PyPI's own URLs are
/// recognised. `simple_url` says where the index is read; when empty it is derived: `/legacy` and
/// `/upload` become `/simple/`, elsewhere `simple/` is appended (pypiserver, Nexus, Artifactory,
/// GitLab, Azure and Google Artifact Registry agree on that). Kind `usage`: not an http(s) URL, or
/// one that carries a user name or password.
Result<Endpoint> endpoint(std::string_view target, std::string_view simple_url = {});

/// The address of a project's page, `name` normalised (PEP 503).
std::string project_url(const Endpoint& endpoint, std::string_view name);

}  // namespace pinwheel::publish
