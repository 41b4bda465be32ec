#include "session/ask_indexes.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "base/parallel.h"
#include "base/text.h"
#include "host/index/publish_target.h"
#include "host/index/upload_lookup.h"
#include "matrix/target_kind.h"
#include "pep/name.h"
#include "plan/publication.h"
#include "report/table.h"

namespace pinwheel::session {
namespace {

constexpr unsigned kQueries = 8;

/// By the normalized name of the project and the version.
using Releases = std::map<std::pair<std::string, std::string>, publish::PlannedRelease>;

void add_files(Releases& releases, const publish::PlannedRelease& release, size_t files) {
  const auto key = std::pair(pep::normalize_name(release.project), release.version);
  releases.try_emplace(key, release).first->second.files += files;
}

/// Adds the sdists to the releases of their versions.
void add_sdists(Releases& releases, const plan::Plan& plan, const plan::Publish& publication) {
  for (const plan::Step* const step : plan::published_sdists(plan, publication)) {
    const auto& sdist = std::get<plan::BuildSdist>(step->action);
    const auto found = releases.find({pep::normalize_name(sdist.distribution), sdist.version});
    if (found != releases.end()) found->second.files += 1;
  }
}

Releases releases_of(const plan::Plan& plan, const plan::Publish& publication,
                     const publish::Endpoint& endpoint) {
  Releases releases;
  for (const std::string& build : publication.builds) {
    const auto naming = publication.names.find(build);
    if (naming == publication.names.end()) continue;
    publish::PlannedRelease release{publication.target.name, endpoint, naming->second.distribution,
                                    naming->second.version};
    release.build = naming->second.build;
    add_files(releases, release, wheel::labels_of(naming->second).size());
  }
  add_sdists(releases, plan, publication);
  return releases;
}

}  // namespace

std::vector<publish::PlannedRelease> planned_releases(
    const plan::Plan& plan, const std::vector<const plan::Publish*>& publications) {
  std::vector<publish::PlannedRelease> all;
  for (const plan::Publish* const publication : publications) {
    if (publication->target.unconfirmed) continue;
    if (!matrix::has_upload_api(publication->target.kind)) continue;
    const Result<publish::Endpoint> endpoint = host::endpoint_of(publication->target);
    // The publication itself reports a malformed URL.
    if (!endpoint) continue;
    for (auto& [key, release] : releases_of(plan, *publication, *endpoint)) {
      all.push_back(std::move(release));
    }
  }
  return all;
}

std::vector<publish::IndexState> ask_indexes(const prepare::Host& host,
                                             const std::vector<publish::PlannedRelease>& releases,
                                             const host::HttpOptions& requests,
                                             const ports::LogHandle& log) {
  std::vector<publish::IndexState> states(releases.size());
  const auto ask = [&](size_t at) {
    const publish::PlannedRelease& release = releases[at];
    const std::shared_ptr<ports::Http> http = host.http(requests, log, {});
    const host::OpenIndex index{release.target, release.endpoint};
    states[at] = publish::state_of(release, host::read_project(index, release.project, *http),
                                   host.clock.now());
  };
  run_jobs(std::vector<uint64_t>(releases.size(), 1), {.threads = kQueries}, ask);
  return states;
}

std::vector<publish::IndexState> ask_about_recuts(
    const PageSource& source, const plan::Plan& plan,
    const std::vector<const plan::Publish*>& publications) {
  std::vector<publish::IndexState> states;
  for (const plan::Publish* const publication : publications) {
    const bool stored = publication->target.kind == matrix::TargetKind::directory ||
                        publication->target.kind == matrix::TargetKind::s3;
    if (!stored || plan::build_number_of(*publication) == 0) continue;
    for (const auto& [key, release] : releases_of(plan, *publication, {})) {
      const auto page = target_page(source, *publication, key.first);
      states.push_back(publish::state_of(release, page, source.host.clock.now()));
    }
  }
  return states;
}

Done report_states(const std::vector<publish::IndexState>& states, Console& console) {
  if (states.empty()) return {};
  console.note(report::align_columns(publish::state_rows(states), console.note_columns()));
  for (const Error& warning : publish::warnings(states)) console.warn(warning);
  std::vector<Error> blocked = publish::blockers(states);
  if (blocked.empty()) return {};
  if (blocked.size() == 1) return fail(std::move(blocked.front()));
  Error error{ErrorKind::publish,
              fmt::format("{} cannot be completed", plural(blocked.size(), "release"))};
  error.causes = std::move(blocked);
  return fail(std::move(error));
}

}  // namespace pinwheel::session
