#include "prepare/package_version.h"

#include <fmt/format.h>

#include "base/mask.h"
#include "base/text.h"
#include "init/identity.h"
#include "pep/wheel_name.h"
#include "prepare/host.h"
#include "prepare/init_facts.h"
#include "publish/endpoints.h"
#include "publish/simple_page.h"
#include "version/calver.h"
#include "version/derive.h"

namespace pinwheel::prepare {
namespace {

namespace fs = std::filesystem;

/// The version that "torch-scatter==2.1.2" pins.
Result<version::Derived> version_of_requirement(const std::string& requirement) {
  const size_t at = requirement.find("==");
  if (at == std::string::npos) {
    return fail(ErrorKind::config,
                fmt::format("{} does not pin a version", quoted_url(requirement)),
                "set `package.requirement` to `name==version`");
  }
  return version::version_from_file(requirement.substr(at + 2), requirement);
}

Result<version::Derived> version_of_project(const VersionSources& sources) {
  TRY(const init::ProjectFacts facts, read_build_files(sources.host, sources.directory));
  const std::optional<init::StaticVersion> version = init::static_version(facts);
  if (!version) {
    const fs::path directory = (sources.directory / ".").lexically_normal().parent_path();
    return fail(
        ErrorKind::config,
        fmt::format("no file of {} contains the version as a literal", quoted(directory.string())),
        "use `version: {from: git-tag}` or `{from: file}`; pinwheel passes the version to "
        "the backend");
  }
  return version::version_from_file(version->version, (sources.directory / version->file).string());
}

/// The version in a distribution's file name; nullopt if it is neither a wheel nor an sdist.
std::optional<std::string> version_in_file_name(const std::string& file) {
  if (const auto wheel = pep::parse_wheel_name(file)) return pep::to_string(wheel->version);
  if (const auto sdist = pep::parse_sdist_name(file)) return pep::to_string(sdist->version);
  return std::nullopt;
}

/// Every version of a project on PyPI, from the file names on its page.
Result<std::vector<std::string>> published_versions(ports::Http& http, const std::string& name) {
  ports::HttpRequest request;
  request.url = publish::project_url(publish::pypi(), name);
  request.headers = {{"Accept", std::string(publish::kAcceptSimple)}};
  const auto reply = http.send(request);
  if (!reply) return fail(reply.error().error);
  if (reply->status == 404) return std::vector<std::string>{};
  if (reply->status != 200) {
    return fail(ErrorKind::transient,
                fmt::format("the index answered {} for {}", reply->status, quoted(name)));
  }
  std::string type;
  for (const auto& [header, value] : reply->headers) {
    if (header == "content-type") type = value;
  }
  TRY(const std::vector<publish::IndexFile> page, publish::parse_simple_page(type, reply->body));
  std::vector<std::string> versions;
  for (const publish::IndexFile& file : page) {
    if (auto version = version_in_file_name(file.filename)) versions.push_back(std::move(*version));
  }
  return versions;
}

Result<version::Derived> calendar_version(const matrix::Package& package,
                                          const VersionSources& sources) {
  version::CalverFacts facts;
  facts.date = sources.date;
  const fs::path frozen = sources.directory / "version.txt";
  TRY(const ports::FileStatus status, sources.host.files.status(frozen));
  if (status.type == ports::FileType::regular) {
    TRY(facts.frozen, sources.host.files.read(frozen));
  } else if (sources.http != nullptr) {
    TRY(facts.published, published_versions(*sources.http, package.name));
  }
  return version::calver(facts);
}

Result<version::Derived> version_of_tags(const matrix::Package& package, version::Channel channel,
                                         const VersionSources& sources) {
  if (sources.git == nullptr) {
    return fail(ErrorKind::environment,
                fmt::format("{} is not in a git repository, and the version comes from its tags",
                            quoted(sources.directory.string())),
                "run `git init`, or use `version: {from: file}` or `{from: project}`");
  }
  return version::derive(*sources.git, rules_of(package.version), channel, sources.date);
}

}  // namespace

version::Rules rules_of(const matrix::VersionSettings& settings) {
  version::Rules rules;
  if (!settings.match.empty()) rules.match = settings.match;
  if (settings.recut) rules.recuts = version::Recuts::read;
  switch (settings.bump) {
    case matrix::VersionBump::major:
      rules.bump = version::Bump::major;
      break;
    case matrix::VersionBump::minor:
      rules.bump = version::Bump::minor;
      break;
    case matrix::VersionBump::patch:
      rules.bump = version::Bump::patch;
      break;
  }
  return rules;
}

Result<version::Derived> package_version(const matrix::Package& package, version::Channel channel,
                                         const VersionSources& sources) {
  if (!package.requirement.empty()) return version_of_requirement(package.requirement);
  switch (package.version.from) {
    case matrix::VersionFrom::git_tag:
      return version_of_tags(package, channel, sources);
    case matrix::VersionFrom::calver:
      return calendar_version(package, sources);
    case matrix::VersionFrom::project:
      return version_of_project(sources);
    case matrix::VersionFrom::file:
      break;
  }
  const fs::path file = sources.directory / package.version.file;
  TRY(const std::string text, sources.host.files.read(file));
  return version::version_from_file(text, file.string());
}

}  // namespace pinwheel::prepare
