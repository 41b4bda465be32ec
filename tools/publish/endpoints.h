#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace pinwheel::publish {

/// PyPI and TestPyPI have rules of their own (local versions, tags, sizes); for any other index
/// only the protocol is known.
enum class IndexKind { pypi, testpypi, other };

/// The upload URL and the simple URL of an index.
struct Endpoint {
  IndexKind kind = IndexKind::other;
  std::string upload_url;
  std::string simple_url;  ///< ends in `/`; a project's page is `<simple_url><normalized name>/`
  bool operator==(const Endpoint&) const = default;
};

Endpoint pypi();
Endpoint testpypi();

/// `target` is `pypi`, `testpypi` or the upload URL of another index; PyPI's own URLs are
/// recognized. An empty `simple_url` is derived: `/legacy` and `/upload` become `/simple/`,
/// elsewhere `simple/` is appended (pypiserver, Nexus, Artifactory, GitLab, Azure and Google
/// Artifact Registry follow that). Kind `usage`: not an http(s) URL, or one that contains a user
/// name or password.
Result<Endpoint> endpoint(std::string_view target, std::string_view simple_url = {});

/// The URL of a project's page; normalizes `name` (PEP 503).
std::string project_url(const Endpoint& endpoint, std::string_view name);

}  // namespace pinwheel::publish
