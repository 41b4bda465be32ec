#include "init/python_abi.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/text.h"
#include "init/pythons.h"

namespace pinwheel::init {
namespace {

using project::Backend;
using project::SourceMark;
using Texts = std::vector<std::string>;

PythonAbiChoice limited(std::string limit, std::string because,
                        PythonAbiChoice::OwnBuilds own = {}) {
  return {fmt::format("limited({})", limit), limit, std::move(because), {}, own};
}

/// setup.py disables the limited API for some Pythons if it checks which Python runs it.
PythonAbiChoice::OwnBuilds own_builds_of_setup(const project::SetupPy& code,
                                               const std::string& limit) {
  return {code.asked_python == limit, code.asks_for_threads};
}

std::optional<PythonAbiChoice> of_setuptools(const ProjectFacts& facts, const std::string& oldest) {
  const project::SetupPy code = facts.setup_py.value_or(project::SetupPy{});
  const project::SetupCfg cfg = facts.setup_cfg.value_or(project::SetupCfg{});
  struct Place {
    std::string tag;
    const char* file;
  };
  for (const Place& place :
       {Place{facts.tools.bdist_py_limited_api, "pyproject.toml"},
        Place{cfg.py_limited_api, "setup.cfg"}, Place{code.py_limited_api, "setup.py"}}) {
    const std::string limit = python_of_tag(place.tag);
    if (!limit.empty()) {
      return limited(limit,
                     fmt::format("`py_limited_api` of `bdist_wheel` in {} is {}", place.file,
                                 quoted(place.tag)),
                     own_builds_of_setup(code, limit));
    }
  }
  const std::string returned = python_of_tag(code.python_tag_of_abi3);
  if (!returned.empty()) {
    return limited(
        returned,
        fmt::format("`get_tag` of setup.py returns {} and `abi3`", quoted(code.python_tag_of_abi3)),
        own_builds_of_setup(code, returned));
  }
  if (!code.python_tag_of_none.empty()) {
    return PythonAbiChoice{
        "none",
        {},
        fmt::format("`get_tag` of setup.py returns {} and `none`", quoted(code.python_tag_of_none)),
        {}};
  }
  if (code.py_limited_api == "cp3") {
    return limited(oldest,
                   "setup.py makes `py_limited_api` of the Python that builds, which is the "
                   "oldest of the matrix",
                   own_builds_of_setup(code, oldest));
  }
  if (!code.limited_api) return std::nullopt;
  // Without the option of bdist_wheel, the wheel's tag names one Python anyway.
  PythonAbiChoice choice{"version", {}, "the wheel is made for one Python: see the end", {}};
  const std::string limit = code.limited_api_version.empty() ? oldest : code.limited_api_version;
  choice.left_out.push_back(
      {"`py_limited_api=True` (setup.py)",
       fmt::format("no `py_limited_api` of `bdist_wheel` was found, which puts abi3 into the "
                   "wheel's name; if the wheel's name says abi3, write {}",
                   quoted(fmt::format("python: limited({})", limit)))});
  return choice;
}

std::string evidence_of_cmake(const ProjectFacts& facts) {
  return facts.cmake ? "CMakeLists.txt compiles" : "scikit-build-core compiles";
}

/// Why the wheel does not use a limited API that the sources or CMake mention.
std::vector<LeftOut> unclear_limits(const ProjectFacts& facts) {
  const bool of_cmake = facts.cmake && facts.cmake->stable_abi;
  const auto source = std::ranges::find_if(
      facts.sources, [](const auto& each) { return !each.limited_api.empty(); });
  if (!of_cmake && source == facts.sources.end()) return {};
  const std::string limit = source != facts.sources.end() ? source->limited_api
                            : facts.cmake->stable_abi_version.empty()
                                ? "3.12"
                                : facts.cmake->stable_abi_version;
  return {{of_cmake ? "the stable ABI of CPython (CMakeLists.txt)"
                    : fmt::format("`Py_LIMITED_API` ({})", source->path),
           fmt::format(
               "the backend does not put it into the wheel's name; if the name says abi3, write {}",
               quoted(fmt::format("python: limited({})", limit)))}};
}

/// `abi.python` of a wheel that scikit-build-core makes with these settings for a Python.
std::string abi_of_wheel(const project::ScikitBuildSettings& settings, const std::string& python) {
  const bool threaded = python.ends_with('t');
  for (const std::string& tag : split(settings.py_api, '.')) {
    if (tag.starts_with("py")) return "none";
    // The tag is ignored for a Python without that ABI.
    const std::string limit = python_of_tag(tag);
    if (!limit.empty() && !threaded && !is_older(python, limit)) {
      return fmt::format("limited({})", limit);
    }
  }
  return settings.is_pure() ? "none" : "version";
}

project::ScikitBuildSite site_of(const ProjectFacts& facts, const std::string& python) {
  project::ScikitBuildSite site{python, {}, !facts.package_info.name.empty(), {}, {}};
  const Texts requirements = requirements_on(build_requires(facts), "scikit-build-core");
  if (!requirements.empty()) site.requirement = requirements.front();
  const auto entries = [&facts](const char* option) {
    const auto found = facts.cibuildwheel.options.find(option);
    return found == facts.cibuildwheel.options.end() ? project::CibwValue{} : found->second;
  };
  for (const auto& [name, value] : entries("environment").entries) site.variables[name] = value;
  site.config_settings = entries("config-settings").entries;
  return site;
}

/// The possible values of `abi.python` for the Pythons, each once, and the conditions that only a
/// build decides.
struct PossibleAbis {
  std::map<std::string, std::set<std::string>> by_python = {};
  std::set<std::string> all = {};
  std::set<std::string> undecided = {};
};

PossibleAbis possible_abis(const ProjectFacts& facts, const Texts& pythons) {
  PossibleAbis result;
  for (const std::string& python : pythons) {
    const project::ScikitBuildOutcomes outcomes =
        project::scikit_build_outcomes(facts.tools.scikit_build, site_of(facts, python));
    for (const project::ScikitBuildSettings& settings : outcomes.possible) {
      const std::string abi = abi_of_wheel(settings, python);
      result.by_python[python].insert(abi);
      result.all.insert(abi);
    }
    result.undecided.insert(outcomes.undecided.begin(), outcomes.undecided.end());
  }
  return result;
}

/// The limited API of the oldest Python whose wheel certainly has one; that wheel serves the newer
/// ones.
std::string certain_limit(const PossibleAbis& abis, const Texts& pythons) {
  for (const std::string& python : pythons) {
    const std::set<std::string>& possible = abis.by_python.at(python);
    const std::string& abi = *possible.begin();
    if (possible.size() == 1 && abi.starts_with("limited(")) return abi.substr(8, abi.size() - 9);
  }
  return {};
}

/// The ABI for wheels with several possible ABIs: all of them satisfy `version`.
PythonAbiChoice undecided_abi(const PossibleAbis& abis) {
  PythonAbiChoice choice{"version", {}, "every possible build satisfies it: see the end", {}};
  const Texts conditions(abis.undecided.begin(), abis.undecided.end());
  const Texts values(abis.all.begin(), abis.all.end());
  choice.left_out.push_back(
      {"`[[tool.scikit-build.overrides]]` (pyproject.toml)",
       fmt::format("{}, so that `abi.python` is one of {}: if every build makes the same, write it",
                   conditions.empty() ? "they differ by Python"
                                      : quoted_list(conditions) + " is known in the build alone",
                   quoted_list(values))});
  return choice;
}

std::optional<PythonAbiChoice> of_scikit_build(const ProjectFacts& facts, const Texts& pythons) {
  if (backend(facts) != Backend::scikit_build_core) return std::nullopt;
  const PossibleAbis abis = possible_abis(facts, pythons);
  const bool overridden = !facts.tools.scikit_build.overrides.empty();
  const std::string& tag = facts.tools.scikit_build.base.py_api;
  const std::string by_tag =
      overridden || tag.empty()
          ? "`[tool.scikit-build]` with its overrides"
          : fmt::format("`wheel.py-api` of scikit-build-core is {}", quoted(tag));
  const auto certainly = [](PythonAbiChoice choice) {
    choice.certain = true;
    return choice;
  };
  if (abis.all == std::set<std::string>{"version"}) {
    return certainly({"version",
                      {},
                      evidence_of_cmake(facts) + ": one build for each Python",
                      unclear_limits(facts)});
  }
  if (abis.all == std::set<std::string>{"none"}) {
    return certainly({"none",
                      {},
                      overridden || tag.empty()
                          ? "`[tool.scikit-build]` makes a wheel for every Python"
                          : by_tag,
                      {}});
  }
  const std::string limit = abis.all.contains("none") ? "" : certain_limit(abis, pythons);
  if (limit.empty()) return undecided_abi(abis);
  // scikit-build-core ignores the tag for a Python that lacks that ABI.
  return certainly(limited(limit, by_tag, {true, true}));
}

std::optional<PythonAbiChoice> of_meson(const ProjectFacts& facts) {
  if (!facts.tools.meson_limited_api || !facts.meson || facts.meson->limited_api.empty()) {
    return std::nullopt;
  }
  return limited(facts.meson->limited_api,
                 "`limited-api` of meson-python and `limited_api` in meson.build");
}

std::optional<PythonAbiChoice> of_maturin(const ProjectFacts& facts, const std::string& oldest) {
  if (backend(facts) != Backend::maturin) return std::nullopt;
  const std::string& bindings = facts.tools.maturin_bindings;
  if (bindings == "bin" || bindings == "cffi" || bindings == "uniffi") {
    return PythonAbiChoice{
        "none", {}, fmt::format("maturin's `bindings` are {}", quoted(bindings)), {}};
  }
  const bool pyo3 = std::ranges::any_of(facts.cargo, &project::CargoManifest::pyo3);
  if (!facts.cargo.empty() && !pyo3 && bindings.empty()) {
    return PythonAbiChoice{"none", {}, "maturin without pyo3: a program, or cffi", {}};
  }
  std::optional<PythonAbiChoice> choice;
  for (const project::CargoManifest& manifest : facts.cargo) {
    for (const std::string& feature : manifest.pyo3_features) {
      const std::string limit = feature.starts_with("abi3-py3") ? "3." + feature.substr(8) : "";
      // maturin ignores the feature for free-threaded Pythons.
      const PythonAbiChoice::OwnBuilds own{false, true};
      if (!limit.empty()) {
        return limited(limit, fmt::format("pyo3's feature {}", quoted(feature)), own);
      }
      if (feature == "abi3") {
        choice = limited(oldest, "pyo3's feature `abi3`, for the oldest Python of the matrix", own);
      }
    }
  }
  return choice;
}

/// The evidence that the project has extension modules; empty without any.
std::string evidence_of_extensions(const ProjectFacts& facts) {
  if (facts.setup_py && facts.setup_py->extensions) return "setup.py makes extension modules";
  if (facts.tools.setuptools_extensions) return "pyproject.toml lists `ext-modules`";
  if (facts.tools.setuptools_rust) return "setuptools-rust builds what pyproject.toml lists";
  if (facts.meson && facts.meson->extension) return "meson.build makes extension modules";
  if (backend(facts) == Backend::maturin) return "maturin builds a module of Rust";
  if (facts.cmake && facts.cmake->python_module) return "CMakeLists.txt compiles";
  if (!facts.tools.build_hook.empty()) {
    return fmt::format("{} may compile", quoted(facts.tools.build_hook));
  }
  if (backend(facts) != Backend::other) return {};
  for (const SourceMark mark : {SourceMark::cython, SourceMark::c, SourceMark::cxx}) {
    const project::ScannedSource* const source = source_with(facts, mark);
    if (source != nullptr) return fmt::format("{} is probably compiled", quoted(source->path));
  }
  return {};
}

}  // namespace

PythonAbiChoice choose_python_abi(const ProjectFacts& facts, const Texts& pythons) {
  const std::string& oldest = pythons.front();
  for (auto& choice : {of_scikit_build(facts, pythons), of_meson(facts), of_maturin(facts, oldest),
                       of_setuptools(facts, oldest)}) {
    if (choice) return *choice;
  }
  const std::string evidence = evidence_of_extensions(facts);
  if (evidence.empty()) return {"none", {}, "no extension modules: one wheel for every Python", {}};
  return {"version", {}, evidence + ": one build for each Python", unclear_limits(facts)};
}

PythonAbiChoice with_own_builds(PythonAbiChoice choice, const Texts& pythons) {
  Texts without;
  std::ranges::copy_if(pythons, std::back_inserter(without), [&](const std::string& python) {
    return !has_limited_api(python, choice.limit);
  });
  if (without.empty()) return choice;
  if (without.size() == pythons.size()) {
    return {
        "version", {}, choice.because + ", which none of these Pythons has", choice.left_out, {}};
  }
  choice.value += " else version";
  choice.because += fmt::format("; {} have a build each", quoted_list(without));
  return choice;
}

}  // namespace pinwheel::init
