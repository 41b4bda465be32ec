#include "publish/endpoints.h"

#include <fmt/format.h>

#include "base/mask.h"
#include "base/text.h"
#include "base/url.h"
#include "pep/pypi.h"

namespace pinwheel::publish {

namespace {

std::string with_slash(std::string_view url) {
  std::string out(url);
  if (out.empty() || out.back() != '/') out += '/';
  return out;
}

std::string derived_simple_url(std::string_view upload_url) {
  std::string base = with_slash(upload_url.substr(0, upload_url.find_first_of("?#")));
  for (const std::string_view last : {"/legacy/", "/upload/"}) {
    if (base.ends_with(last)) base.resize(base.size() - last.size() + 1);
  }
  return base + "simple/";
}

Done check_url(std::string_view url) {
  const std::optional<UrlParts> parts = split_url(url);
  if (!parts || (parts->scheme != "https" && parts->scheme != "http") || parts->host.empty()) {
    return fail(ErrorKind::usage, fmt::format("{} is not an index URL", quoted_url(url)),
                "use `pypi`, `testpypi`, or a URL that starts with https://");
  }
  if (!parts->userinfo.empty()) {
    return fail(ErrorKind::usage,
                fmt::format("the URL of {} contains credentials", quoted(parts->host)),
                "remove them from the URL; put them into PINWHEEL_TOKEN_<TARGET>, --token-file or "
                "~/.pypirc");
  }
  return {};
}

}  // namespace

Endpoint pypi() {
  return {IndexKind::pypi, fmt::format("https://upload.{}/legacy/", pep::kPypiHost),
          pep::simple_url(pep::kPypiHost)};
}

Endpoint testpypi() {
  return {IndexKind::testpypi, fmt::format("https://{}/legacy/", pep::kTestPypiHost),
          pep::simple_url(pep::kTestPypiHost)};
}

bool has_pypi_rules(IndexKind kind) {
  switch (kind) {
    case IndexKind::pypi:
    case IndexKind::testpypi:
      return true;
    case IndexKind::other:
      return false;
  }
  return false;
}

std::optional<Endpoint> known_endpoint(IndexKind kind) {
  switch (kind) {
    case IndexKind::pypi:
      return pypi();
    case IndexKind::testpypi:
      return testpypi();
    case IndexKind::other:
      return std::nullopt;
  }
  return std::nullopt;
}

std::vector<std::string> known_indexes() {
  std::vector<std::string> names;
  for (const IndexKind kind : kIndexKinds) {
    if (known_endpoint(kind)) names.emplace_back(to_string(kind));
  }
  return names;
}

Result<Endpoint> endpoint(std::string_view target, std::string_view simple_url) {
  for (const IndexKind kind : kIndexKinds) {
    const std::optional<Endpoint> known = known_endpoint(kind);
    if (known && target == to_string(kind)) return *known;
  }
  TRY_DONE(check_url(target));
  for (const IndexKind kind : kIndexKinds) {
    const std::optional<Endpoint> known = known_endpoint(kind);
    // PyPI redirects a URL without the trailing slash.
    if (known && with_slash(target) == known->upload_url) return *known;
  }
  if (!simple_url.empty()) TRY_DONE(check_url(simple_url));
  return Endpoint{IndexKind::other, std::string(target),
                  simple_url.empty() ? derived_simple_url(target) : with_slash(simple_url)};
}

std::string project_url(const Endpoint& endpoint, std::string_view name) {
  return fmt::format("{}{}/", endpoint.simple_url, name);
}

}  // namespace pinwheel::publish
