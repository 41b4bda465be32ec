#include "host/net/credentials.h"

#include <fmt/format.h>

#include <cctype>
#include <optional>
#include <utility>

#include "base/text.h"
#include "publish/endpoints.h"

namespace pinwheel::host {

namespace {

constexpr std::string_view kTokenUser = "__token__";

std::string variable(std::string_view prefix, std::string_view target) {
  std::string out(prefix);
  for (const char c : target) {
    const unsigned char byte = static_cast<unsigned char>(c);
    out += std::isalnum(byte) != 0 ? static_cast<char>(std::toupper(byte)) : '_';
  }
  return out;
}

std::string lookup(const std::map<std::string, std::string>& values, const std::string& key) {
  return std::string(trim(value_at(values, key)));
}

using Section = std::map<std::string, std::string>;

/// The sections of an INI file as Python's configparser reads a .pypirc: `key = value` or
/// `key: value`, comments by `#` and `;` at the start of a line.
std::map<std::string, Section> parse_ini(std::string_view text) {
  std::map<std::string, Section> sections;
  Section* section = nullptr;
  for (const std::string& raw : split(text, '\n')) {
    const std::string_view line = trim(raw);
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '[' && line.back() == ']') {
      section = &sections[std::string(trim(line.substr(1, line.size() - 2)))];
      continue;
    }
    const size_t separator = line.find_first_of("=:");
    if (section == nullptr || separator == std::string_view::npos) continue;
    (*section)[to_lower(trim(line.substr(0, separator)))] =
        std::string(trim(line.substr(separator + 1)));
  }
  return sections;
}

std::string_view without_slash(std::string_view url) {
  while (url.ends_with('/')) url.remove_suffix(1);
  return url;
}

const Section* find_section(const std::map<std::string, Section>& sections, std::string_view target,
                            std::string_view upload_url) {
  if (const auto found = sections.find(std::string(target)); found != sections.end()) {
    return &found->second;
  }
  for (const auto& [name, section] : sections) {
    const std::string repository = lookup(section, "repository");
    if (!repository.empty() && without_slash(repository) == without_slash(upload_url)) {
      return &section;
    }
  }
  return nullptr;
}

/// nullopt when the file or the section does not exist.
Result<std::optional<ports::BasicCredentials>> from_pypirc(std::string_view target,
                                                           std::string_view upload_url,
                                                           const std::filesystem::path& path,
                                                           ports::Files& files) {
  using Found = std::optional<ports::BasicCredentials>;
  if (path.empty()) return Found();
  TRY(const ports::FileStatus status, files.status(path));
  if (status.type == ports::FileType::missing) return Found();
  TRY(const std::string text, files.read(path));
  const std::map<std::string, Section> sections = parse_ini(text);
  const Section* section = find_section(sections, target, upload_url);
  if (section == nullptr) return Found();
  const std::string user = lookup(*section, "username");
  const std::string password = lookup(*section, "password");
  if (password.empty()) {
    return fail(
        ErrorKind::config,
        fmt::format("{} names {} without a password", quoted(path.string()), quoted(target)),
        "write `password = ` and the token into that section");
  }
  return Found(
      ports::BasicCredentials{user.empty() ? std::string(kTokenUser) : user, Secret(password)});
}

/// "PINWHEEL_TOKEN_" and the target's name as a variable's name, "PINWHEEL_TOKEN_TEST_PYPI".
std::string token_variable(std::string_view target) {
  return variable("PINWHEEL_TOKEN_", target);
}

}  // namespace

CredentialSources credential_sources(const std::map<std::string, std::string>& variables,
                                     const std::filesystem::path& token_file) {
  const std::string home = value_at(variables, "HOME");
  return {variables, token_file,
          home.empty() ? std::filesystem::path() : std::filesystem::path(home) / ".pypirc"};
}

Result<ports::BasicCredentials> find_credentials(std::string_view target,
                                                 std::string_view upload_url,
                                                 const CredentialSources& sources,
                                                 ports::Files& files) {
  std::string user = lookup(sources.environment, variable("PINWHEEL_USER_", target));
  if (user.empty()) user = kTokenUser;
  if (const std::string token = lookup(sources.environment, token_variable(target));
      !token.empty()) {
    return ports::BasicCredentials{user, Secret(token)};
  }
  if (!sources.token_file.empty()) {
    TRY(const std::string text, files.read(sources.token_file));
    if (trim(text).empty()) {
      return fail(ErrorKind::config,
                  fmt::format("the token file {} is empty", quoted(sources.token_file.string())));
    }
    return ports::BasicCredentials{user, Secret(std::string(trim(text)))};
  }
  TRY(const std::optional<ports::BasicCredentials> found,
      from_pypirc(target, upload_url, sources.pypirc, files));
  if (found) return *found;
  std::string hint =
      fmt::format("set {}, give --token-file FILE, or add a section `[{}]` to ~/.pypirc",
                  token_variable(target), target);
  if (upload_url != publish::pypi().upload_url && upload_url != publish::testpypi().upload_url) {
    hint += "; for an index that asks for none, `auth: none` in the matrix or --no-auth";
  }
  return fail(ErrorKind::usage, fmt::format("there is no token for {}", quoted(target)),
              std::move(hint));
}

}  // namespace pinwheel::host
