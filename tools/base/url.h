#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace pinwheel {

/// The parts of an absolute URL (RFC 3986).
struct UrlParts {
  std::string scheme;    ///< lower case
  std::string userinfo;  ///< before the `@`; empty without
  std::string host;      ///< lower case, with the port when one is written
  std::string path;      ///< from the first `/` on, query and fragment included
};

/// Whether a command line means an address rather than a path: it begins with http:// or https://.
bool is_address(std::string_view text);
/// Whether a host, with or without a port, is this machine itself: what goes there nobody can
/// change on its way.
bool is_loopback(std::string_view host);

/// nullopt for a relative reference.
std::optional<UrlParts> split_url(std::string_view url);

/// `reference`, as it stands in a page at `base`, as an absolute URL without its fragment
/// (RFC 3986, 5.2).
std::string resolve_url(std::string_view base, std::string_view reference);

/// Whether two URLs name the same scheme, host and port: only then may credentials go along.
bool same_origin(std::string_view a, std::string_view b);

/// Whether a redirect from one URL to the other stays with the same server: the same origin, or the
/// same host name by https instead of http. Never from https to http.
bool same_server(std::string_view from, std::string_view to);

/// A path segment with everything but unreserved characters percent-encoded (`+` as `%2B`).
std::string encode_segment(std::string_view text);
std::string decode_percent(std::string_view text);

}  // namespace pinwheel
