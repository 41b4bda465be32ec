#include "store/place_description.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "base/url.h"

namespace pinwheel::store {
namespace {

constexpr std::string_view kForms =
    "a place is `local`, `dir:PATH`, `artifacts:PATH`, `http(s)://HOST/PREFIX` or "
    "`s3://BUCKET/PREFIX`, with `,ro` at its end to only read it";

/// The text without the part of an address before an `@`, even if the address is invalid: a
/// password may contain any character.
std::string without_credentials(std::string_view text) {
  const size_t at = text.rfind('@');
  const bool path = text.starts_with("dir:") || text.starts_with("artifacts:");
  if (at == std::string_view::npos || path) return std::string(text);
  const size_t scheme = text.find("://");
  const size_t begin = scheme < at ? scheme + 3 : 0;
  return fmt::format("{}***{}", text.substr(0, begin), text.substr(at));
}

tl::unexpected<Error> not_a_place(std::string_view text, std::string_view why) {
  return fail(
      ErrorKind::usage,
      fmt::format("{} is not a place for results: {}", quoted(without_credentials(text)), why),
      std::string(kForms));
}

std::string_view without_slashes(std::string_view text) {
  text = without_trailing_slashes(text);
  while (text.starts_with('/')) text.remove_prefix(1);
  return text;
}

bool has_blank_or_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte <= ' ' || byte == 0x7f;
  });
}

/// Lower-case letters, digits, dots and hyphens, 3 to 63 of them.
bool is_bucket(std::string_view name) {
  constexpr size_t kFewest = 3;
  constexpr size_t kMost = 63;
  const bool known = std::all_of(name.begin(), name.end(), [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || c == '.' || c == '-';
  });
  return known && name.size() >= kFewest && name.size() <= kMost && is_alphanumeric(name.front()) &&
         is_alphanumeric(name.back()) && name.find("..") == std::string_view::npos;
}

bool is_dots(const std::string& segment) {
  return segment == "." || segment == "..";
}

bool leaves_its_place(std::string_view path) {
  const std::vector<std::string> segments = split(path, '/');
  return std::any_of(segments.begin(), segments.end(), is_dots);
}

Result<PlaceDescription> http_place(std::string_view text, std::string_view url) {
  const std::optional<UrlParts> parts = split_url(url);
  if (!parts || parts->host.empty()) return not_a_place(text, "it has no host");
  const std::string shown = fmt::format("{}://{}{}", parts->scheme, parts->host, parts->path);
  if (!parts->userinfo.empty()) {
    return fail(ErrorKind::usage,
                fmt::format("the place {} may not contain credentials", quoted(shown)),
                "put them in ~/.netrc, or in PINWHEEL_STORE_USER and PINWHEEL_STORE_PASSWORD");
  }
  if (parts->path.find_first_of("?#") != std::string::npos) {
    return not_a_place(shown, "it has a query or a fragment");
  }
  if (leaves_its_place(parts->path)) return not_a_place(shown, "its path has a `..`");
  PlaceDescription place;
  place.kind = PlaceKind::http;
  place.url = without_trailing_slashes(url);
  return place;
}

Result<PlaceDescription> s3_place(std::string_view text, std::string_view rest) {
  const size_t slash = std::min(rest.find('/'), rest.size());
  const std::string_view bucket = rest.substr(0, slash);
  if (!is_bucket(bucket)) {
    const bool secret = rest.find('@') != std::string_view::npos;
    return not_a_place(text, secret
                                 ? "it may not contain credentials"
                                 : fmt::format("{} is not the name of a bucket", quoted(bucket)));
  }
  PlaceDescription place;
  place.kind = PlaceKind::s3;
  place.bucket = bucket;
  place.prefix = without_slashes(rest.substr(slash));
  if (leaves_its_place(place.prefix)) return not_a_place(text, "its prefix has a `..`");
  return place;
}

Result<PlaceDescription> path_place(std::string_view text, PlaceKind kind) {
  PlaceDescription place;
  place.kind = kind;
  place.path = text.substr(text.find(':') + 1);
  if (place.path.empty()) return not_a_place(text, "it has no path");
  return place;
}

Result<PlaceDescription> place_of(std::string_view text) {
  constexpr std::string_view kBucket = "s3://";
  if (text == "local") return PlaceDescription{};
  if (text.starts_with("dir:")) return path_place(text, PlaceKind::directory);
  if (text.starts_with("artifacts:")) return path_place(text, PlaceKind::artifacts);
  if (text.empty()) return not_a_place(text, "it is empty");
  if (has_blank_or_control(text)) return not_a_place(text, "it has a blank");
  if (is_address(text)) return http_place(text, text);
  if (text.starts_with(kBucket)) return s3_place(text, text.substr(kBucket.size()));
  return not_a_place(text, "its kind is not known");
}

}  // namespace

Result<PlaceDescription> parse_place(std::string_view text, NamedBy named_by) {
  std::string_view name = trim(text);
  PlaceAccess access = PlaceAccess::read_write;
  if (name.ends_with(",ro")) access = PlaceAccess::read_only;
  const bool written = name.ends_with(",rw");
  if (written || access == PlaceAccess::read_only) name.remove_suffix(3);
  TRY(PlaceDescription place, place_of(name));
  if (place.kind == PlaceKind::artifacts) {
    if (written) return not_a_place(text, "artifacts are only read");
    access = PlaceAccess::read_only;
  }
  place.access = access;
  place.named_by = named_by;
  return place;
}

Result<std::vector<PlaceDescription>> parse_places(std::string_view text) {
  std::vector<PlaceDescription> places;
  for (const std::string& line : split(replace_all(std::string(text), "\n", " "), ' ')) {
    if (trim(line).empty()) continue;
    TRY(PlaceDescription place, parse_place(line));
    places.push_back(std::move(place));
  }
  return places;
}

std::string to_string(const PlaceDescription& place) {
  switch (place.kind) {
    case PlaceKind::local:
      return "local";
    case PlaceKind::directory:
      return "dir:" + place.path;
    case PlaceKind::artifacts:
      return "artifacts:" + place.path;
    case PlaceKind::http:
      return place.url;
    case PlaceKind::s3:
      break;
  }
  const std::string prefix = place.prefix.empty() ? "" : "/" + place.prefix;
  return fmt::format("s3://{}{}", place.bucket, prefix);
}

}  // namespace pinwheel::store
