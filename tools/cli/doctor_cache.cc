#include "cli/doctor_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/visible_text.h"
#include "host/steps/compiler_cache_probes.h"
#include "matrix/settings.h"
#include "plan/compiler_cache_scripts.h"
#include "prepare/load.h"
#include "prepare/workplace.h"

namespace pinwheel::cli {
namespace {

/// The compiler caches of a matrix's builds, without duplicates.
Result<std::set<matrix::CompilerCache>> caches_of(const prepare::Loaded& loaded) {
  std::set<matrix::CompilerCache> caches;
  for (const matrix::Variant& variant : loaded.expansion.variants) {
    TRY(const matrix::Settings settings, matrix::settings_for(loaded.matrix, variant));
    caches.insert(settings.environment.compiler_cache);
  }
  caches.erase(matrix::CompilerCache::none);
  return caches;
}

/// The caches that `--cache` names, or those of the matrix.
Result<std::set<matrix::CompilerCache>> probed_caches(const prepare::Host& host,
                                                      const DoctorOptions& options,
                                                      Streams& streams) {
  for (const auto cache : {matrix::CompilerCache::ccache, matrix::CompilerCache::sccache}) {
    if (options.program == plan::program_of(cache)) return std::set{cache};
  }
  std::vector<std::string> named;
  if (!options.matrix.empty()) named.push_back(options.matrix);
  TRY(const prepare::MatrixChoice choice, prepare::choose_matrix(host, named));
  TRY(const prepare::Loaded loaded,
      prepare::load_matrix(host.files, choice.path, streams, prepare::Warnings::print));
  TRY(std::set<matrix::CompilerCache> caches, caches_of(loaded));
  if (!caches.empty()) return caches;
  return fail(ErrorKind::usage,
              fmt::format("no variant of {} has a compiler cache", quoted(choice.path)),
              "set `environment.compiler-cache`, or name one: `--cache --with ccache`");
}

using CacheProbes = std::vector<host::CacheProbe>;

std::string as_text(const CacheProbes& probes) {
  std::string out;
  for (const host::CacheProbe& each : probes) {
    const bool good = each.verdict == host::ProbeVerdict::sound;
    const char* const mark =
        good ? "ok" : (each.verdict == host::ProbeVerdict::skipped ? "--" : "no");
    out += fmt::format("{}  {:<19}{}: {}\n", mark, each.name, to_string(each.verdict),
                       visible(each.detail));
  }
  return out;
}

nlohmann::ordered_json as_json(matrix::CompilerCache cache, const CacheProbes& probes) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const host::CacheProbe& each : probes) {
    rows.push_back(
        {{"name", each.name}, {"verdict", to_string(each.verdict)}, {"detail", each.detail}});
  }
  return {{"cache", plan::program_of(cache)}, {"probes", std::move(rows)}};
}

/// `check` if a cache returned a stale object, `environment` if it does not work.
Done judge_probes(matrix::CompilerCache cache, const CacheProbes& probes) {
  std::vector<std::string> stale;
  for (const host::CacheProbe& each : probes) {
    if (each.verdict == host::ProbeVerdict::stale) stale.push_back(each.name);
    if (each.verdict != host::ProbeVerdict::unusable) continue;
    return fail(ErrorKind::environment,
                fmt::format("{} cannot be used: {}", quoted(plan::program_of(cache)), each.detail),
                "builds run without it until this is fixed");
  }
  if (stale.empty()) return {};
  return fail(ErrorKind::check,
              fmt::format("{} returns stale objects: it does not notice {}",
                          quoted(plan::program_of(cache)), quoted_list(stale)),
              "set `environment.compiler-cache: none`, or install another version");
}

}  // namespace

Result<int> doctor_of_caches(const prepare::Host& host, const DoctorOptions& options,
                             const host::EnvMachine& machine, Streams& streams) {
  TRY(const std::set<matrix::CompilerCache> caches, probed_caches(host, options, streams));
  TRY(const std::filesystem::path all, prepare::cache_directory(host));
  nlohmann::ordered_json json = {{"format", 1}, {"caches", nlohmann::ordered_json::array()}};
  Done judged;
  for (const matrix::CompilerCache cache : caches) {
    const std::filesystem::path directory =
        all / fmt::format("probes-{}-{}", plan::program_of(cache), ::getpid());
    // An earlier process with this id may have been killed.
    TRY_DONE(host.files.remove_all(directory));
    TRY_DONE(host.files.make_directories(directory));
    const Result<CacheProbes> probes = host::probe_compiler_cache(machine, cache, directory);
    TRY_DONE(host.files.remove_all(directory));
    if (!probes) return fail(probes.error());
    json["caches"].push_back(as_json(cache, *probes));
    if (!options.json) streams.data(as_text(*probes));
    if (judged) judged = judge_probes(cache, *probes);
  }
  if (options.json) streams.json(json.dump(2) + "\n");
  if (!judged) return fail(judged.error());
  return 0;
}

}  // namespace pinwheel::cli
