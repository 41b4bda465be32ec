#include "conda/conda_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "env/public_url.h"

namespace pinwheel::conda {
namespace {

using Json = nlohmann::json;

/// The URL without `user:password@` and without the `/t/TOKEN` that conda adds for private
/// channels.
std::string public_part(std::string_view given) {
  std::string url = env::without_credentials(given);
  const size_t scheme = url.find("://");
  if (scheme == std::string::npos) return url;
  const size_t host = scheme + 3;
  const size_t token = url.find("/t/", host);
  if (token == std::string::npos || token != url.find('/', host)) return url;
  const size_t end = url.find('/', token + 3);
  return end == std::string::npos ? url : url.erase(token, end - token);
}

std::string text_of(const Json& item, const char* name) {
  const auto found = item.find(name);
  return found != item.end() && found->is_string() ? found->get<std::string>() : std::string();
}

uint64_t count_of(const Json& item, const char* name) {
  const auto found = item.find(name);
  return found != item.end() && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
}

/// "linux-64" from ".../linux-64/python-3.11.7-0.conda".
std::string subdir_of(const std::string& url) {
  const std::vector<std::string> parts = split(url, '/');
  return parts.size() < 2 ? "" : parts[parts.size() - 2];
}

env::CondaPackage package_of(const Json& item) {
  env::CondaPackage package;
  package.name = text_of(item, "name");
  package.version = text_of(item, "version");
  // conda uses `build`, mamba `build_string`.
  for (const char* const name : {"build_string", "build"}) {
    if (package.build.empty()) package.build = text_of(item, name);
  }
  package.url = public_part(text_of(item, "url"));
  package.subdir = text_of(item, "subdir");
  if (package.subdir.empty()) package.subdir = subdir_of(package.url);
  package.sha256 = text_of(item, "sha256");
  package.md5 = text_of(item, "md5");
  package.size = count_of(item, "size");
  return package;
}

bool is_whole(const env::CondaPackage& package) {
  return !package.url.empty() && package.sha256.size() == 64;
}

/// `LINK` names all packages, with hashes only in mamba's output; `FETCH` has full records of those
/// that are not in the package cache, which is empty.
Result<std::vector<env::CondaPackage>> from_actions(const Json& actions) {
  std::map<std::string, env::CondaPackage> found;
  for (const char* const part : {"FETCH", "LINK"}) {
    for (const Json& item : actions.value(part, Json::array())) {
      if (!item.is_object()) continue;
      env::CondaPackage package = package_of(item);
      env::CondaPackage& known = found[package.name];
      if (!is_whole(known)) known = std::move(package);
    }
  }
  std::vector<env::CondaPackage> packages;
  packages.reserve(found.size());
  for (auto& [name, package] : found) packages.push_back(std::move(package));
  return packages;
}

Error unreadable(CondaKind kind, const std::string& why) {
  return Error{ErrorKind::environment,
               fmt::format("cannot parse the solution of {}: {}", to_string(kind), why)}
      .with_hint("choose another client with PINWHEEL_CONDA; `PINWHEEL_CONDA=rattler` needs none");
}

}  // namespace

Result<std::vector<env::CondaPackage>> parse_solution(CondaKind kind, std::string_view out) {
  std::vector<env::CondaPackage> packages;
  try {
    const Json json = parse_json(out);
    if (kind == CondaKind::rattler) {
      for (const Json& item : json.at("packages")) packages.push_back(package_of(item));
    } else {
      TRY(packages, from_actions(json.at("actions")));
    }
  } catch (const Json::exception& error) {
    return fail(unreadable(kind, error.what()));
  }
  if (packages.empty()) return fail(unreadable(kind, "it names no packages"));
  for (const env::CondaPackage& package : packages) {
    if (is_whole(package)) continue;
    return fail(unreadable(kind, fmt::format("{} {} has no URL or no sha256",
                                             pinwheel::quoted(package.name), package.version)));
  }
  std::sort(packages.begin(), packages.end(),
            [](const env::CondaPackage& a, const env::CondaPackage& b) { return a.name < b.name; });
  return packages;
}

RattlerFailure parse_rattler_failure(std::string_view out) {
  const Json json = read_json(out);
  if (!json.is_object()) return {};
  return {text_of(json, "failed"), std::string(trim(text_of(json, "reason")))};
}

env::PackageTraffic parse_rattler_traffic(std::string_view out) {
  const Json json = read_json(out);
  if (!json.is_object()) return {};
  return {.fetched = count_of(json, "fetched"),
          .downloads = count_of(json, "downloads"),
          .cached = count_of(json, "cached")};
}

std::string explanation(CondaKind kind, std::string_view out, std::string_view err) {
  if (kind == CondaKind::rattler) return parse_rattler_failure(out).reason;
  const Json json = read_json(out);
  if (json.is_object()) {
    for (const char* const name : {"message", "error"}) {
      const std::string text = text_of(json, name);
      if (!text.empty()) return std::string(trim(text));
    }
  }
  // A client prints its downloads before the error.
  std::string_view output = trim(err).empty() ? out : err;
  if (const size_t at = output.find("Could not solve for"); at != std::string_view::npos) {
    return std::string(trim(output.substr(at)));
  }
  constexpr std::string_view kError = "rror: ";
  const size_t at = output.find(kError);
  if (at != std::string_view::npos) output.remove_prefix(at + kError.size());
  return std::string(trim(output));
}

std::string parse_glibc(std::string_view output) {
  const std::vector<std::string> words = split(trim(output), ' ');
  return words.size() == 2 && words[0] == "glibc" ? words[1] : std::string();
}

}  // namespace pinwheel::conda
