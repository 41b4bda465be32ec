#include "publish/lock_versions.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "base/read_toml.h"
#include "base/text.h"
#include "base/toml.h"
#include "base/url.h"
#include "pep/name.h"
#include "pep/requirement.h"
#include "pep/wheel_name.h"

namespace pinwheel::publish {

namespace {

/// The version of a wheel or an sdist by its path or URL.
std::optional<PinnedVersion> version_at(std::string_view place) {
  const std::string name = decode_percent(last_part(place.substr(0, place.find_first_of("?#"))));
  if (const auto wheel = pep::parse_wheel_name(name)) {
    return PinnedVersion{pep::normalize_name(wheel->distribution), wheel->version};
  }
  if (const auto sdist = pep::parse_sdist_name(name)) {
    return PinnedVersion{pep::normalize_name(sdist->distribution), sdist->version};
  }
  return std::nullopt;
}

std::string text_in(const toml::table& table, std::string_view key) {
  return table[key].value<std::string>().value_or("");
}

/// PEP 751 allows a package without a version, if the names of its wheels have it. nullopt for a
/// source tree.
std::optional<PinnedVersion> package_version(const toml::table& package) {
  const std::string name = text_in(package, "name");
  const auto version = pep::parse_version(text_in(package, "version"));
  if (!name.empty() && version) return PinnedVersion{pep::normalize_name(name), *version};
  const toml::array* const wheels = package.get_as<toml::array>("wheels");
  const toml::table* const wheel =
      wheels == nullptr || wheels->empty() ? nullptr : wheels->front().as_table();
  if (wheel == nullptr) return std::nullopt;
  constexpr std::array<std::string_view, 3> kPlaces = {"name", "url", "path"};
  for (const std::string_view key : kPlaces) {
    if (auto found = version_at(text_in(*wheel, key))) return found;
  }
  return std::nullopt;
}

Result<LockVersions> parse_toml_lock(std::string_view text, const std::string& file) {
  const tl::expected<toml::table, TomlFault> document = read_toml(text);
  if (!document) {
    const TomlFault& fault = document.error();
    return fail(ErrorKind::config,
                fmt::format("{} is not a lock: {}", quoted(file),
                            fault.line > 0 ? fmt::format("line {}: {}", fault.line, fault.what)
                                           : fmt::format("it {}", fault.what)),
                "name a `uv.lock`, a `pylock.toml` or a requirements file");
  }
  // `uv.lock` and `poetry.lock`, and PEP 751.
  constexpr std::array<std::string_view, 2> kLists = {"package", "packages"};
  for (const std::string_view key : kLists) {
    const toml::array* const packages = document->get_as<toml::array>(key);
    if (packages == nullptr) continue;
    LockVersions found;
    for (const toml::node& node : *packages) {
      const toml::table* const package = node.as_table();
      if (package == nullptr) continue;
      if (auto version = package_version(*package)) found.versions.push_back(*std::move(version));
    }
    return found;
  }
  return fail(ErrorKind::config, fmt::format("{} is not a lock: it has no packages", quoted(file)),
              "name a `uv.lock`, a `pylock.toml` or a requirements file");
}

/// The lines of a requirements file: those that end with a backslash are joined, and comments are
/// removed.
std::vector<std::string> requirement_lines(std::string_view text) {
  std::vector<std::string> lines;
  std::string joined;
  for (const std::string& raw : split(text, '\n')) {
    std::string_view line = trim(raw);
    const bool goes_on = line.ends_with('\\');
    if (goes_on) line.remove_suffix(1);
    joined += line;
    joined += ' ';
    if (goes_on) continue;
    lines.push_back(std::move(joined));
    joined.clear();
  }
  if (!joined.empty()) lines.push_back(std::move(joined));
  for (std::string& line : lines) {
    const size_t comment = line.starts_with('#') ? 0 : line.find(" #");
    line = std::string(trim(std::string_view(line).substr(0, comment)));
  }
  return lines;
}

/// The file of `-r FILE`, `-rFILE`, `--requirement FILE` and `--requirement=FILE`, and the same for
/// constraints.
std::optional<std::string> included_file(std::string_view line) {
  constexpr std::array<std::string_view, 4> kOptions = {"--requirement", "--constraint", "-r",
                                                        "-c"};
  for (const std::string_view option : kOptions) {
    if (!line.starts_with(option)) continue;
    line.remove_prefix(option.size());
    if (line.starts_with('=')) line.remove_prefix(1);
    return std::string(trim(line));
  }
  return std::nullopt;
}

std::optional<PinnedVersion> line_version(std::string_view line) {
  // Options such as `--hash` follow the requirement.
  line = trim(line.substr(0, line.find(" --")));
  const Result<pep::Requirement> requirement = pep::parse_requirement(line);
  if (!requirement) return version_at(line.substr(0, line.find(" ;")));
  if (!requirement->url.empty()) return version_at(requirement->url);
  for (const pep::Specifier& specifier : requirement->specifiers) {
    const bool exact = specifier.comparison == pep::Comparison::equal ||
                       specifier.comparison == pep::Comparison::arbitrary_equal;
    if (exact && !specifier.wildcard) {
      return PinnedVersion{pep::normalize_name(requirement->name), specifier.version};
    }
  }
  return std::nullopt;
}

}  // namespace

Result<LockVersions> parse_lock_versions(std::string_view text, const std::string& file) {
  if (file.ends_with(".toml") || file.ends_with(".lock")) return parse_toml_lock(text, file);
  LockVersions found;
  for (const std::string& line : requirement_lines(text)) {
    if (auto include = included_file(line)) {
      if (!include->empty()) found.includes.push_back(*std::move(include));
    } else if (auto version = line_version(line)) {
      found.versions.push_back(*std::move(version));
    }
  }
  return found;
}

}  // namespace pinwheel::publish
