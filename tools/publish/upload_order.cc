#include "publish/upload_order.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "pep/name.h"
#include "pep/requirement.h"
#include "pep/version.h"
#include "wheel/metadata.h"

namespace pinwheel::publish {
namespace {

using Distributions = std::set<std::string>;
using Graph = std::map<std::string, Distributions>;  ///< a project and those that it requires

std::string project_of(const Artifact& file) {
  return pep::normalize_name(file.name);
}

/// The versions of the wheels of each project.
std::map<std::string, std::vector<pep::Version>> versions_of(const std::vector<Artifact>& files) {
  std::map<std::string, std::vector<pep::Version>> versions;
  for (const Artifact& file : files) {
    const Result<pep::Version> version = pep::parse_version(file.version);
    if (file.kind == FileKind::wheel && version) versions[project_of(file)].push_back(*version);
  }
  return versions;
}

bool pins(const pep::Requirement& requirement, const std::vector<pep::Version>& versions) {
  return std::ranges::any_of(requirement.specifiers, [&versions](const pep::Specifier& clause) {
    return clause.comparison == pep::Comparison::equal && !clause.wildcard &&
           std::ranges::any_of(versions, [&clause](const pep::Version& version) {
             return pep::satisfies(version, {clause});
           });
  });
}

/// The projects among the files that each project requires in an exact version of theirs.
Graph pinned_projects(const std::vector<Artifact>& files) {
  const auto versions = versions_of(files);
  Graph graph;
  for (const Artifact& file : files) {
    const std::string project = project_of(file);
    Distributions& required = graph[project];
    if (file.kind != FileKind::wheel) continue;
    const Result<wheel::Metadata> metadata = wheel::parse_metadata(file.metadata);
    if (!metadata) continue;  // a finding of the checks
    for (const std::string& line : metadata->requires_dist()) {
      const Result<pep::Requirement> requirement = pep::parse_requirement(line);
      if (!requirement) continue;
      const auto other = versions.find(pep::normalize_name(requirement->name));
      if (other == versions.end() || other->first == project) continue;
      if (pins(*requirement, other->second)) required.insert(other->first);
    }
  }
  return graph;
}

/// The projects that each one requires, directly or through each other.
Graph closure_of(const Graph& graph) {
  Graph closure;
  for (const auto& [project, direct] : graph) {
    Distributions& all = closure[project];
    std::vector<std::string> open(direct.begin(), direct.end());
    while (!open.empty()) {
      const std::string next = std::move(open.back());
      open.pop_back();
      if (!all.insert(next).second) continue;
      const Distributions& further = graph.at(next);
      open.insert(open.end(), further.begin(), further.end());
    }
  }
  return closure;
}

/// The place of each project: after those that it requires and that do not require it.
std::map<std::string, size_t> ranks(const std::vector<Artifact>& files) {
  const Graph closure = closure_of(pinned_projects(files));
  std::map<std::string, size_t> out;
  const auto is_ready = [&](const std::string& project) {
    return std::ranges::all_of(closure.at(project), [&](const std::string& required) {
      return out.contains(required) || closure.at(required).contains(project);
    });
  };
  while (out.size() < closure.size()) {
    for (const auto& [project, required] : closure) {
      if (out.contains(project) || !is_ready(project)) continue;
      out.emplace(project, out.size());
      break;
    }
  }
  return out;
}

}  // namespace

std::vector<Artifact> in_upload_order(std::vector<Artifact> files) {
  const std::map<std::string, size_t> rank = ranks(files);
  const auto place = [&rank](const Artifact& file) {
    return std::tuple(file.kind == FileKind::sdist, rank.at(project_of(file)), file.filename);
  };
  std::ranges::sort(files, {}, place);
  return files;
}

}  // namespace pinwheel::publish
