#include "session/remote_compiler_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "host/store/aws_credentials.h"
#include "matrix/settings.h"
#include "store/domain.h"

namespace pinwheel::session {
namespace {

using CacheVariables = std::map<std::string, std::string>;
using store::PlaceAccess;
using store::PlaceDescription;
using store::PlaceKind;

constexpr const char* kObjects = "compiler-cache";

std::vector<const plan::BuildWheel*> builds_through(const plan::Plan& plan,
                                                    matrix::CompilerCache cache) {
  std::vector<const plan::BuildWheel*> builds;
  for (const plan::Step& step : plan.steps) {
    const plan::BuildWheel* const build = plan::build_run_by(step.action);
    const bool uses = build != nullptr && build->settings.environment.compiler_cache == cache;
    if (uses) builds.push_back(build);
  }
  return builds;
}

/// The places that all jobs may share, the most distant ones first, with the access of this run.
std::vector<PlaceDescription> shared_places(const RemoteCacheRequest& request) {
  std::vector<PlaceDescription> all = request.store.places;
  all.insert(all.end(), request.of_matrix.begin(), request.of_matrix.end());
  std::vector<PlaceDescription> shared;
  PlaceKind before = PlaceKind::local;
  for (PlaceDescription& place : all) {
    const bool of_job = place.kind == PlaceKind::directory && before == PlaceKind::artifacts;
    before = place.kind;
    if (of_job) continue;
    if (request.store.writes == prepare::StoreWrites::no) place.access = PlaceAccess::read_only;
    shared.push_back(std::move(place));
  }
  std::ranges::reverse(shared);
  return shared;
}

std::string objects_in(const PlaceDescription& place, const RemoteCacheRequest& request) {
  return (request.directory / place.path / kObjects / store::to_string(request.store.domain))
      .lexically_normal()
      .string();
}

CacheVariables for_ccache(const std::vector<PlaceDescription>& places,
                          const RemoteCacheRequest& request) {
  // Characters that separate places and their attributes in ccache's setting.
  constexpr std::string_view kSeparators = " \t|%";
  const std::string domain(store::to_string(request.store.domain));
  for (const PlaceDescription& place : places) {
    const char* const access = place.access == PlaceAccess::read_write ? "" : "|read-only";
    if (place.kind == PlaceKind::directory) {
      const std::string path = objects_in(place, request);
      if (path.find_first_of(kSeparators) != std::string::npos) continue;
      return {{"CCACHE_REMOTE_STORAGE", fmt::format("file:{}{}", path, access)}};
    }
    if (place.kind == PlaceKind::http && place.url.starts_with("http://")) {
      // bazel-remote does not distinguish prefixes, so the domain is in the keys, too.
      return {{"CCACHE_REMOTE_STORAGE",
               fmt::format("{}/{}/{}|layout=bazel{}", place.url, kObjects, domain, access)},
              {"CCACHE_NAMESPACE", domain}};
    }
  }
  return {};
}

/// Whether the server of sccache in a build can reach a bucket.
bool reaches_buckets(const plan::BuildWheel& build) {
  const auto has = [&build](const char* name) {
    return std::ranges::find(build.secrets, name) != build.secrets.end();
  };
  return build.settings.build.network == matrix::BuildNetwork::whole && has("AWS_ACCESS_KEY_ID") &&
         has("AWS_SECRET_ACCESS_KEY");
}

CacheVariables for_bucket(const PlaceDescription& place, const RemoteCacheRequest& request) {
  const auto profile = host::aws_profile(request.variables);
  const std::string prefix = place.prefix.empty() ? std::string() : place.prefix + "/";
  CacheVariables set = {
      {"SCCACHE_BUCKET", place.bucket},
      {"SCCACHE_S3_KEY_PREFIX",
       fmt::format("{}{}/{}", prefix, kObjects, store::to_string(request.store.domain))},
      {"SCCACHE_REGION", host::aws_region(request.variables, profile)}};
  const std::string endpoint = host::aws_endpoint(request.variables, profile, "S3");
  if (!endpoint.empty()) set["SCCACHE_ENDPOINT"] = endpoint;
  if (place.access == PlaceAccess::read_only) set["SCCACHE_S3_RW_MODE"] = "READ_ONLY";
  return set;
}

/// Whether the user chooses where sccache has its objects.
bool names_storage(const CacheVariables& variables) {
  constexpr std::array<std::string_view, 9> kPrefixes = {
      "SCCACHE_BUCKET", "SCCACHE_REDIS", "SCCACHE_MEMCACHED", "SCCACHE_GCS_",   "SCCACHE_AZURE_",
      "SCCACHE_GHA_",   "SCCACHE_OSS_",  "SCCACHE_COS_",      "SCCACHE_WEBDAV_"};
  return std::ranges::any_of(variables, [&kPrefixes](const auto& variable) {
    const std::string_view name = variable.first;
    return name == "SCCACHE_DIR" || std::ranges::any_of(kPrefixes, [name](std::string_view prefix) {
             return name.starts_with(prefix);
           });
  });
}

CacheVariables for_sccache(const std::vector<const plan::BuildWheel*>& builds,
                           const std::vector<PlaceDescription>& places,
                           const RemoteCacheRequest& request) {
  const bool buckets =
      std::ranges::all_of(builds, [](const auto* build) { return reaches_buckets(*build); });
  for (const PlaceDescription& place : places) {
    if (place.kind == PlaceKind::directory && place.access == PlaceAccess::read_write) {
      return {{"SCCACHE_DIR", objects_in(place, request) + "-sccache"}};
    }
    if (place.kind == PlaceKind::s3 && buckets) return for_bucket(place, request);
  }
  return {};
}

}  // namespace

std::map<std::string, std::string> remote_cache_variables(const plan::Plan& plan,
                                                          const RemoteCacheRequest& request) {
  const std::vector<PlaceDescription> places = shared_places(request);
  CacheVariables set;
  if (!builds_through(plan, matrix::CompilerCache::ccache).empty() &&
      !request.variables.contains("CCACHE_REMOTE_STORAGE")) {
    set = for_ccache(places, request);
  }
  const auto builds = builds_through(plan, matrix::CompilerCache::sccache);
  if (!builds.empty() && !names_storage(request.variables)) {
    set.merge(for_sccache(builds, places, request));
  }
  return set;
}

}  // namespace pinwheel::session
