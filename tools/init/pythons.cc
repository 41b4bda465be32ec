#include "init/pythons.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "pep/specifier.h"

namespace pinwheel::init {
namespace {

using Pythons = std::vector<std::string>;

constexpr int kOldestMinor = 9;
constexpr int kNewestMinor = 14;
constexpr int kOldestMaintained = 10;
constexpr int kFirstThreaded = 13;

int minor_of(const std::string& python) {
  return std::atoi(python.c_str() + 2);  // "3.12t"
}

Pythons all_pythons() {
  Pythons all;
  for (int minor = kOldestMinor; minor <= kNewestMinor; ++minor) {
    all.push_back(fmt::format("3.{}", minor));
    if (minor >= kFirstThreaded) all.push_back(fmt::format("3.{}t", minor));
  }
  return all;
}

/// Whether `requires-python` admits the newest patch release of a Python.
bool admitted(const ProjectFacts& facts, const std::string& python) {
  const Result<pep::SpecifierSet> range = pep::parse_specifiers(requires_python(facts));
  const Result<pep::Version> version = pep::parse_version(fmt::format("3.{}.99", minor_of(python)));
  return !range || pep::satisfies(*version, *range);
}

/// The known Pythons that are wanted and admitted, ascending.
template <class Wanted>
Pythons filtered(const ProjectFacts& facts, const Wanted& wanted) {
  Pythons found;
  for (const std::string& python : all_pythons()) {
    if (wanted(python) && admitted(facts, python)) found.push_back(python);
  }
  return found;
}

bool holds(const Pythons& list, const std::string& python) {
  return std::ranges::find(list, python) != list.end();
}

/// Whether a glob names free-threaded Pythons: a `t` after a digit, `cp313t-*`, `cp{313,313t}-*`.
bool names_threaded(const std::string& glob) {
  for (size_t at = 1; at < glob.size(); ++at) {
    if (glob[at] == 't' && is_digit(glob[at - 1])) return true;
  }
  return false;
}

PythonChoice of_cibuildwheel(const ProjectFacts& facts) {
  const Pythons build = project::words_of_option(facts.cibuildwheel, "build");
  const Pythons skip = project::words_of_option(facts.cibuildwheel, "skip");
  if (build.empty() && skip.empty()) return {};
  const auto wanted = [&](const std::string& python) {
    const std::string id = "cp" + replace_all(python, ".", "") + "-manylinux_x86_64";
    const bool threaded = python.ends_with('t');
    const auto matches = [&](const std::string& glob) {
      return glob_match(glob, id) && (!threaded || names_threaded(glob));
    };
    if (std::ranges::any_of(skip, [&](const auto& glob) { return glob_match(glob, id); })) {
      return false;
    }
    if (build.empty()) return !threaded && minor_of(python) >= kOldestMaintained;
    return std::ranges::any_of(build, matches);
  };
  const std::string option = build.empty() ? "skip" : "build";
  return {filtered(facts, wanted), fmt::format("cibuildwheel's {} ({})", quoted(option),
                                               facts.cibuildwheel.options.at(option).file)};
}

PythonChoice of_workflows(const ProjectFacts& facts) {
  const Pythons& listed = facts.workflow.pythons;
  return {filtered(facts, [&](const std::string& python) { return holds(listed, python); }),
          "the workflows' matrix"};
}

PythonChoice of_classifiers(const ProjectFacts& facts) {
  const Pythons lines = classifiers(facts);
  return {filtered(facts,
                   [&](const std::string& python) {
                     return holds(lines, "Programming Language :: Python :: " + python);
                   }),
          "the project's classifiers"};
}

PythonChoice of_requires_python(const ProjectFacts& facts) {
  const std::string range = requires_python(facts);
  Pythons values = filtered(facts, [](const std::string& python) {
    return !python.ends_with('t') && minor_of(python) >= kOldestMaintained;
  });
  if (values.empty()) values = {"3.9"};
  if (range.empty()) return {std::move(values), "the maintained ones: the project does not say"};
  const bool left_out = admitted(facts, "3.9") && values[0] != "3.9";
  return {std::move(values), fmt::format("requires-python is {}{}", quoted(range),
                                         left_out ? "; 3.9 is past its end of life" : "")};
}

/// The Pythons that a predicate keeps; all if it keeps none.
template <class Keep>
PythonChoice narrowed(PythonChoice choice, const Keep& keep, const std::string& because) {
  Pythons kept;
  std::ranges::copy_if(choice.values, std::back_inserter(kept), keep);
  if (kept.empty() || kept.size() == choice.values.size()) return choice;
  return {std::move(kept), choice.because + "; " + because};
}

}  // namespace

bool is_older(const std::string& python, const std::string& other) {
  return minor_of(python) < minor_of(other);
}

std::string python_of_tag(const std::string& tag) {
  if (!tag.starts_with("cp3") || tag.size() < 4) return {};
  const std::string minor = tag.substr(3);
  return std::ranges::all_of(minor, is_digit) ? "3." + minor : std::string();
}

PythonChoice choose_pythons(const ProjectFacts& facts) {
  if (!facts.wanted_pythons.empty()) return {facts.wanted_pythons, "`--python`"};
  constexpr std::array kSources = {of_cibuildwheel, of_workflows, of_classifiers};
  for (const auto& source : kSources) {
    PythonChoice choice = source(facts);
    if (!choice.values.empty()) return choice;
  }
  return of_requires_python(facts);
}

PythonChoice with_limited_api(PythonChoice choice, const std::string& oldest) {
  const auto has_it = [&](const std::string& python) {
    return !python.ends_with('t') && !is_older(python, oldest);
  };
  const std::string because = fmt::format("only those with the limited API of {}", oldest);
  if (std::ranges::none_of(choice.values, has_it)) return {{oldest}, because};
  return narrowed(std::move(choice), has_it, because);
}

PythonChoice with_torch(PythonChoice choice, const std::vector<KnownTorch>& known,
                        const std::vector<std::string>& releases) {
  const auto has_builds = [&](const std::string& python) {
    return std::ranges::all_of(known, [&](const KnownTorch& torch) {
      return !holds(releases, torch.release) || holds(torch.pythons, python);
    });
  };
  const std::string names = join(releases, " and ");
  if (!releases.empty() && std::ranges::none_of(choice.values, has_builds)) {
    Pythons with_builds;
    std::ranges::copy_if(all_pythons(), std::back_inserter(with_builds), [&](const auto& python) {
      return !python.ends_with('t') && has_builds(python);
    });
    if (with_builds.empty()) return choice;
    return {std::move(with_builds), fmt::format("torch {} has builds for these, and for none of {}",
                                                names, choice.because)};
  }
  return narrowed(std::move(choice), has_builds,
                  fmt::format("only those with builds of torch {}", names));
}

}  // namespace pinwheel::init
