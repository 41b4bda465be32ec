#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pinwheel::publish {

/// PyPI and TestPyPI have their own rules (local versions, tags, sizes); for any other index only
/// the protocol is known.
enum class IndexKind { pypi, testpypi, other };

/// All kinds, in display order.
inline constexpr std::array kIndexKinds = {IndexKind::pypi, IndexKind::testpypi, IndexKind::other};

constexpr std::string_view to_string(IndexKind kind) {
  switch (kind) {
    case IndexKind::pypi:
      return "pypi";
    case IndexKind::testpypi:
      return "testpypi";
    case IndexKind::other:
      return "other";
  }
  return {};
}
static_assert(to_string(IndexKind{kIndexKinds.size()}).empty(), "kIndexKinds lacks a kind");

/// Whether an index has PyPI's rules: no local versions, its platform tags, sizes and release ages.
bool has_pypi_rules(IndexKind kind);

/// The upload URL and the simple URL of an index.
struct Endpoint {
  IndexKind kind = IndexKind::other;
  std::string upload_url;
  std::string simple_url;  ///< ends in `/`; a project's page is `<simple_url><normalized name>/`
  bool operator==(const Endpoint&) const = default;
};

Endpoint pypi();
Endpoint testpypi();

/// The index of a kind that is a name; none for `other`.
std::optional<Endpoint> known_endpoint(IndexKind kind);
/// The names of such indexes: the values of `--target`.
std::vector<std::string> known_indexes();

/// `target` is `pypi`, `testpypi` or the upload URL of another index; PyPI's own URLs are
/// recognized. An empty `simple_url` is derived: `/legacy` and `/upload` become `/simple/`,
/// elsewhere `simple/` is appended (pypiserver, Nexus, Artifactory, GitLab, Azure and Google
/// Artifact Registry follow that). Kind `usage`: not an http(s) URL, or one that contains a user
/// name or password.
Result<Endpoint> endpoint(std::string_view target, std::string_view simple_url = {});

/// The URL of a project's page; normalizes `name` (PEP 503).
std::string project_url(const Endpoint& endpoint, std::string_view name);

}  // namespace pinwheel::publish
