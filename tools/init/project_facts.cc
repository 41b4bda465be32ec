#include "init/project_facts.h"

#include <algorithm>

#include "pep/name.h"
#include "pep/requirement.h"

namespace pinwheel::init {
namespace {

using Texts = std::vector<std::string>;

/// The first of the lists that is not empty.
Texts first_filled(std::initializer_list<Texts> lists) {
  for (const Texts& list : lists) {
    if (!list.empty()) return list;
  }
  return {};
}

}  // namespace

Texts build_requires(const ProjectFacts& facts) {
  Texts requires_ =
      facts.pyproject ? facts.pyproject->build_system.requires_ : project::BuildSystem{}.requires_;
  for (const Texts& more : {facts.setup_cfg ? facts.setup_cfg->setup_requires : Texts{},
                            facts.setup_py ? facts.setup_py->setup_requires : Texts{}}) {
    requires_.insert(requires_.end(), more.begin(), more.end());
  }
  return requires_;
}

Texts dependencies(const ProjectFacts& facts) {
  return first_filled({facts.pyproject ? facts.pyproject->dependencies : Texts{},
                       facts.setup_cfg ? facts.setup_cfg->install_requires : Texts{},
                       facts.setup_py ? facts.setup_py->install_requires : Texts{},
                       facts.package_info.requires_dist});
}

std::string requires_python(const ProjectFacts& facts) {
  if (facts.pyproject && facts.pyproject->requires_python) {
    return *facts.pyproject->requires_python;
  }
  for (const std::string& text :
       {facts.setup_cfg ? facts.setup_cfg->python_requires : std::string(),
        facts.setup_py ? facts.setup_py->python_requires : std::string(),
        facts.package_info.requires_python}) {
    if (!text.empty()) return text;
  }
  return {};
}

Texts classifiers(const ProjectFacts& facts) {
  return first_filled(
      {facts.tools.classifiers, facts.setup_cfg ? facts.setup_cfg->classifiers : Texts{},
       facts.setup_py ? facts.setup_py->classifiers : Texts{}, facts.package_info.classifiers});
}

Texts extra_requires(const ProjectFacts& facts, const std::string& extra) {
  const auto in = [&extra](const std::map<std::string, Texts>& extras) {
    const auto found = extras.find(extra);
    return found == extras.end() ? Texts{} : found->second;
  };
  return first_filled({in(facts.tools.extras),
                       facts.setup_cfg ? in(facts.setup_cfg->extras) : Texts{},
                       facts.setup_py ? in(facts.setup_py->extras) : Texts{}});
}

project::Backend backend(const ProjectFacts& facts) {
  return project::backend_of(facts.pyproject ? facts.pyproject->build_system
                                             : project::BuildSystem{});
}

bool has_flat_discovery(const ProjectFacts& facts) {
  const auto has = [&facts](const char* name) {
    return std::ranges::find(facts.top_level, name) != facts.top_level.end();
  };
  // Without `[project]`, the presence of extension modules is the only evidence.
  const bool project = facts.pyproject && !facts.pyproject->name.empty();
  const bool modules = facts.setup_py && facts.setup_py->extensions && !project;
  const bool listed = facts.tools.setuptools_packages ||
                      (facts.setup_cfg && facts.setup_cfg->packages) ||
                      (facts.setup_py && facts.setup_py->packages);
  return backend(facts) == project::Backend::setuptools && !listed && !modules && !has("src");
}

Texts requirements_on(const Texts& requirements, const std::string& name) {
  Texts found;
  for (const std::string& text : requirements) {
    const Result<pep::Requirement> requirement = pep::parse_requirement(text);
    if (requirement && pep::normalize_name(requirement->name) == pep::normalize_name(name)) {
      found.push_back(text);
    }
  }
  return found;
}

const project::ScannedSource* source_with(const ProjectFacts& facts, project::SourceMark mark) {
  const auto found = std::ranges::find_if(
      facts.sources, [mark](const auto& source) { return source.marks.contains(mark); });
  return found == facts.sources.end() ? nullptr : &*found;
}

}  // namespace pinwheel::init
