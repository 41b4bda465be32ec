#include "env/resolution.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/text.h"
#include "env/gpu_packages.h"
#include "pep/name.h"

namespace pinwheel::env {
namespace {

using Json = nlohmann::json;
constexpr int kFormat = 1;

std::string dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string file_of(const std::string& url) {
  const std::string_view path = std::string_view(url).substr(0, url.find_first_of("?#"));
  return replace_all(std::string(last_part(path)), "%2B", "+");
}

Result<PipPackage> parse_package(const Json& item) {
  const Json& metadata = item.at("metadata");
  PipPackage package;
  package.name = pep::normalize_name(metadata.at("name").get<std::string>());
  package.version = metadata.at("version").get<std::string>();
  const Json& download = item.at("download_info");
  package.url = download.at("url").get<std::string>();
  package.file = file_of(package.url);
  const Json archive = download.value("archive_info", Json::object());
  const Json hashes = archive.value("hashes", Json::object());
  package.sha256 = hashes.value("sha256", "");
  if (package.sha256.empty()) {
    const std::string hash = archive.value("hash", "");
    if (hash.starts_with("sha256=")) package.sha256 = hash.substr(7);
  }
  if (package.sha256.empty()) {
    return fail(
        ErrorKind::environment,
        fmt::format("pip found no sha256 for {} {}", pinwheel::quoted(package.name),
                    package.version),
        "use a released file: a source tree or an index without hashes cannot give an exact "
        "environment");
  }
  return package;
}

void sort(std::vector<PipPackage>& packages) {
  std::sort(packages.begin(), packages.end(),
            [](const PipPackage& a, const PipPackage& b) { return a.name < b.name; });
}

std::string format_time(std::chrono::sys_seconds at) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(at.time_since_epoch().count()));
}

Result<std::chrono::sys_seconds> parse_time(const std::string& text) {
  std::tm parts = {};
  const char* end = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  if (end == nullptr || *end != '\0') {
    return fail(ErrorKind::environment, fmt::format("{} is not a time", pinwheel::quoted(text)));
  }
  return std::chrono::sys_seconds(std::chrono::seconds(::timegm(&parts)));
}

}  // namespace

namespace {

Json conda_to_json(const std::vector<CondaPackage>& packages) {
  Json list = Json::array();
  for (const CondaPackage& package : packages) {
    list.push_back({{"name", package.name},
                    {"version", package.version},
                    {"build", package.build},
                    {"subdir", package.subdir},
                    {"url", package.url},
                    {"sha256", package.sha256},
                    {"md5", package.md5},
                    {"size", package.size}});
  }
  return list;
}

std::vector<CondaPackage> conda_from_json(const Json& list) {
  std::vector<CondaPackage> packages;
  for (const Json& item : list) {
    packages.push_back({.name = item.at("name").get<std::string>(),
                        .version = item.at("version").get<std::string>(),
                        .build = item.at("build").get<std::string>(),
                        .subdir = item.at("subdir").get<std::string>(),
                        .url = item.at("url").get<std::string>(),
                        .sha256 = item.at("sha256").get<std::string>(),
                        .md5 = item.value("md5", ""),
                        .size = item.value("size", uint64_t{0})});
  }
  return packages;
}

}  // namespace

std::string Resolution::digest() const {
  Json list = Json::array();
  for (const PipPackage& package : packages) {
    list.push_back({package.name, package.version, package.sha256});
  }
  Json json = {{"python", python}, {"packages", list}};
  for (const CondaPackage& package : conda) {
    json["conda"].push_back({package.name, package.version, package.build, package.sha256});
  }
  for (const PipPackage& package : absent)
    json["absent"].push_back({package.name, package.version});
  return sha256_hex(dump(json, -1));
}

const PipPackage* Resolution::find(std::string_view name) const {
  const auto it = std::find_if(packages.begin(), packages.end(),
                               [name](const PipPackage& package) { return package.name == name; });
  return it == packages.end() ? nullptr : &*it;
}

Result<PipReport> parse_pip_report(std::string_view text) {
  try {
    const Json json = parse_json(text);
    PipReport report;
    report.pip = json.at("pip_version").get<std::string>();
    for (const Json& item : json.at("install")) {
      TRY(PipPackage package, parse_package(item));
      report.requires_dist[package.name] =
          item.at("metadata").value("requires_dist", std::vector<std::string>());
      report.packages.push_back(std::move(package));
    }
    sort(report.packages);
    return report;
  } catch (const Json::exception& error) {
    return fail(ErrorKind::environment, fmt::format("cannot parse pip's report: {}", error.what()),
                "pip 22.2 or newer writes it");
  }
}

std::string to_json(const Resolution& resolution) {
  Json packages = Json::array();
  for (const PipPackage& package : resolution.packages) {
    packages.push_back({{"name", package.name},
                        {"version", package.version},
                        {"file", package.file},
                        {"sha256", package.sha256}});
    if (!package.url.empty()) packages.back()["url"] = package.url;
  }
  Json json = {{"format", kFormat},
               {"request", resolution.request},
               {"python", resolution.python},
               {"pip", resolution.pip},
               {"torch_index", resolution.torch_index},
               {"at", format_time(resolution.at)},
               {"packages", packages}};
  if (!resolution.conda.empty()) json["conda"] = conda_to_json(resolution.conda);
  for (const PipPackage& package : resolution.absent) {
    json["absent"].push_back({{"name", package.name}, {"version", package.version}});
  }
  return dump(json, 1) + "\n";
}

Result<Resolution> parse_resolution(std::string_view text) {
  if (json_levels(text) > limits::kJsonLevels) {
    return fail(ErrorKind::environment,
                fmt::format("the resolution has more than {} levels", limits::kJsonLevels),
                "resolve again with `--refresh`");
  }
  try {
    const Json json = parse_json(text);
    if (json.at("format") != kFormat) {
      return fail(ErrorKind::environment, "the resolution has an unknown format",
                  "resolve again with `--refresh`");
    }
    Resolution resolution;
    json.at("request").get_to(resolution.request);
    json.at("python").get_to(resolution.python);
    json.at("pip").get_to(resolution.pip);
    json.at("torch_index").get_to(resolution.torch_index);
    TRY(resolution.at, parse_time(json.at("at").get<std::string>()));
    for (const Json& item : json.at("packages")) {
      resolution.packages.push_back({.name = item.at("name").get<std::string>(),
                                     .version = item.at("version").get<std::string>(),
                                     .file = item.at("file").get<std::string>(),
                                     .sha256 = item.at("sha256").get<std::string>(),
                                     .url = item.value("url", "")});
    }
    for (const Json& item : json.value("absent", Json::array())) {
      resolution.absent.push_back({.name = item.at("name").get<std::string>(),
                                   .version = item.at("version").get<std::string>(),
                                   .file = {},
                                   .sha256 = {}});
    }
    if (json.contains("conda")) resolution.conda = conda_from_json(json["conda"]);
    return resolution;
  } catch (const Json::exception& error) {
    return fail(ErrorKind::environment, fmt::format("the resolution is damaged: {}", error.what()),
                "resolve again with `--refresh`");
  }
}

std::string requirements_text(const Resolution& resolution, TorchPart part) {
  std::string text;
  for (const PipPackage& package : resolution.packages) {
    if (part != TorchPart::with && (package.name == "torch") != (part == TorchPart::only)) continue;
    text += fmt::format("{}=={} --hash=sha256:{}\n", package.name, package.version, package.sha256);
  }
  return text;
}

std::string constraints_text(const Resolution& resolution, Purpose purpose) {
  std::string text;
  for (const auto* list : {&resolution.packages, &resolution.absent}) {
    for (const PipPackage& package : *list) {
      const bool pinned =
          purpose == Purpose::build || package.name == "torch" || is_gpu_package(package.name);
      if (!pinned) continue;
      text += fmt::format("{}=={}\n", package.name, package.version);
    }
  }
  return text;
}

std::string constraints_text(const Resolution& resolution,
                             const std::vector<pep::Requirement>& upgraded) {
  Resolution others;
  std::string text;
  for (const pep::Requirement& each : upgraded) {
    if (!each.specifiers.empty()) text += pep::to_string(each) + "\n";
  }
  std::copy_if(resolution.packages.begin(), resolution.packages.end(),
               std::back_inserter(others.packages), [&upgraded](const PipPackage& package) {
                 return package.name != "torch" && !is_named(upgraded, package.name);
               });
  return text + constraints_text(others, Purpose::build);
}

bool is_named(const std::vector<pep::Requirement>& requirements, std::string_view name) {
  return std::any_of(
      requirements.begin(), requirements.end(),
      [name](const pep::Requirement& each) { return pep::normalize_name(each.name) == name; });
}

Spec parse_spec(std::string_view spec) {
  Spec result;
  std::vector<std::string> words;
  for (const std::string& word : split(spec, ' ')) {
    if (word.empty()) continue;
    (word.starts_with("--") ? result.options : words).push_back(word);
  }
  result.requirement = join(words, " ");
  return result;
}

bool is_nightly(const Request& request) {
  const auto pre = [](const std::string& text) {
    const std::vector<std::string> options = parse_spec(text).options;
    return std::find(options.begin(), options.end(), "--pre") != options.end();
  };
  return pre(request.torch.spec) ||
         std::any_of(request.requirements.begin(), request.requirements.end(), pre);
}

}  // namespace pinwheel::env
