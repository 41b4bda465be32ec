#include "prepare/sdist_source.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "base/digest.h"
#include "base/text.h"
#include "host/git/source_tree.h"
#include "host/index/fetch_sdist.h"
#include "host/log/logged_http.h"
#include "host/net/http.h"
#include "host/provision/cache_use.h"
#include "pep/name.h"
#include "pep/requirement.h"
#include "prepare/host.h"
#include "prepare/http_options.h"
#include "prepare/pip_settings.h"

namespace pinwheel::prepare {
namespace {

namespace fs = std::filesystem;

/// Other settings of pip may find another file of the same name.
fs::path place_of(const std::string& requirement, const host::Workplace& workplace) {
  constexpr std::array kSettings = {"PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS",
                                    "PIP_NO_INDEX", "PIP_CONFIG_FILE"};
  constexpr size_t kShort = 20;
  std::string all = requirement;
  for (const char* const name : kSettings) all += "\n" + value_at(workplace.variables, name);
  return workplace.cache / "sdists" / sha256_hex(all).substr(0, kShort);
}

Result<host::UnpackedSdist> fetch(const Host& host, const pep::Requirement& pinned,
                                  const fs::path& directory, const host::Workplace& workplace) {
  const env::PipIndexes indexes = pip_settings(host, workplace.log);
  host::HttpOptions options = reading_options(host.variables);
  if (options.ca_bundle.empty()) options.ca_bundle = indexes.certificates;
  const std::shared_ptr<ports::Http> http = host.http(options, workplace.log, workplace.stop);
  Result<host::UnpackedSdist> sdist = host::fetch_sdist(
      *http, indexes, {pinned.name, pep::to_string(pinned.specifiers[0].version), directory},
      workplace.mask);
  if (sdist || sdist.error().kind != ErrorKind::transient) return sdist;
  // The requests were repeated already, and no step can be tried again yet.
  Error error = std::move(sdist).error();
  error.kind = ErrorKind::environment;
  return fail(std::move(error).with_hint(
      "check the network, and the index in `pip config list`; then run the same command again"));
}

}  // namespace

Result<plan::Source> sdist_source(const Host& host, const std::string& requirement,
                                  const host::Workplace& workplace) {
  const Result<pep::Requirement> pinned = pep::parse_requirement(requirement);
  if (!pinned || pinned->specifiers.size() != 1 || pinned->specifiers[0].wildcard ||
      pinned->specifiers[0].comparison != pep::Comparison::equal) {
    return fail(ErrorKind::config, fmt::format("{} does not pin a version", quoted(requirement)),
                "name one version: `NAME==VERSION`");
  }
  const fs::path directory = place_of(pep::to_string(*pinned), workplace);
  const OpenMachine local = host.machine(workplace);
  TRY_DONE(local->files.make_directories(directory.parent_path()));
  host::use_directory(*local, directory);
  std::optional<host::UnpackedSdist> sdist = host::kept_sdist(directory);
  if (!sdist) {
    TRY(sdist, fetch(host, *pinned, directory, workplace));
  }
  TRY(plan::Source source, host::read_directory(sdist->source));
  source.requirement = requirement;
  source.url = sdist->url;
  source.archive_sha256 = sdist->sha256;
  return source;
}

}  // namespace pinwheel::prepare
