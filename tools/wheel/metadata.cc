#include "wheel/metadata.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"
#include "pep/name.h"
#include "pep/version.h"

namespace pinwheel::wheel {
namespace {

constexpr std::array<std::string_view, 9> kFormats = {"1.0", "1.1", "1.2", "2.0", "2.1",
                                                      "2.2", "2.3", "2.4", "2.5"};

Done require_one(const HeaderBlock& block, std::string_view name) {
  const std::vector<std::string> values = block.all(name);
  if (values.size() == 1 && !values.front().empty()) return {};
  return fail(ErrorKind::check, "METADATA has " + plural(values.size(), "header") + " " +
                                    quoted(name) + (values.size() == 1 ? " without a value" : "") +
                                    " where one is required");
}

}  // namespace

bool is_of_extra(std::string_view requirement) {
  const size_t marker = requirement.find(';');
  return marker != std::string_view::npos &&
         requirement.find("extra", marker) != std::string_view::npos;
}

std::string Metadata::version_of_format() const {
  return block.get("Metadata-Version").value_or("");
}
std::string Metadata::name() const {
  return block.get("Name").value_or("");
}
std::string Metadata::version() const {
  return block.get("Version").value_or("");
}

std::string Metadata::description() const {
  return block.body ? *block.body : block.get("Description").value_or("");
}

Result<Metadata> parse_metadata(std::string_view text) {
  TRY(HeaderBlock block, parse_headers(text, "METADATA"));
  for (const std::string_view name : {"Metadata-Version", "Name", "Version"}) {
    TRY_DONE(require_one(block, name));
  }
  Metadata metadata{std::move(block)};
  if (std::find(kFormats.begin(), kFormats.end(), metadata.version_of_format()) == kFormats.end()) {
    return fail(ErrorKind::check,
                "METADATA has the unknown version " + quoted(metadata.version_of_format()),
                "versions 1.0 to 2.5 are supported");
  }
  if (!pep::is_valid_name(metadata.name())) {
    return fail(ErrorKind::check,
                "METADATA has the invalid project name " + quoted(metadata.name()));
  }
  if (!pep::parse_version(metadata.version())) {
    return fail(ErrorKind::check, "METADATA has the invalid version " + quoted(metadata.version()));
  }
  return metadata;
}

std::string to_string(const Metadata& metadata) {
  return to_string(metadata.block);
}

std::string requirement_project(std::string_view requirement) {
  const std::string_view text = trim(requirement);
  const size_t end =
      text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-");
  return pep::normalize_name(text.substr(0, std::min(end, text.size())));
}

void set_requirement(Metadata& metadata, const std::string& requirement) {
  const std::string project = requirement_project(requirement);
  std::vector<Header> headers;
  std::optional<size_t> place;
  bool found = false;
  for (Header& header : metadata.block.headers) {
    const bool is_requirement = to_lower(header.name) == "requires-dist";
    if (is_requirement && !is_of_extra(header.value) &&
        requirement_project(header.value) == project) {
      if (!found) place = headers.size();
      found = true;
      continue;
    }
    headers.push_back(std::move(header));
    if (!found && is_requirement) place = headers.size();
  }
  headers.insert(headers.begin() + static_cast<std::ptrdiff_t>(place.value_or(headers.size())),
                 {"Requires-Dist", requirement});
  metadata.block.headers = std::move(headers);
}

}  // namespace pinwheel::wheel
