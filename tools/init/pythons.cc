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
constexpr int kNewestMinor = 15;
/// 3.10 had its last release in October 2026.
constexpr int kOldestMaintained = 11;
constexpr int kFirstThreaded = 13;
/// PEP 779: since this release, free-threaded Pythons are not experimental.
constexpr int kFirstSupportedThreaded = 14;
constexpr std::string_view kClassifier = "Programming Language :: Python :: ";

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

/// The known Pythons that are requested and admitted, ascending.
template <class Wanted>
Pythons filtered(const ProjectFacts& facts, const Wanted& wanted) {
  Pythons found;
  for (const std::string& python : all_pythons()) {
    if (wanted(python) && admitted(facts, python)) found.push_back(python);
  }
  return found;
}

/// Whether a classifier says that the project supports free-threaded Pythons.
bool supports_threads(const ProjectFacts& facts) {
  return std::ranges::any_of(classifiers(facts), [](const std::string& line) {
    const std::string_view begin = "Programming Language :: Python :: Free Threading :: ";
    return line.starts_with(begin) && !line.starts_with(std::string(begin) + "1 ");
  });
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

/// The choice of the Pythons that a source names; other Pythons that it names are left out.
PythonChoice chosen(const ProjectFacts& facts, Pythons values, const Pythons& named,
                    const std::string& because) {
  PythonChoice choice{std::move(values), because, {}};
  const Pythons known = all_pythons();
  Pythons unknown;
  Pythons refused;
  for (const std::string& python : named) {
    if (!holds(known, python)) {
      if (!holds(unknown, python)) unknown.push_back(python);
    } else if (!admitted(facts, python) && !holds(refused, python)) {
      refused.push_back(python);
    }
  }
  const auto leave_out = [&](const Pythons& pythons, const std::string& why) {
    if (pythons.empty()) return;
    choice.left_out.push_back({fmt::format("Python {} ({})", quoted_list(pythons), because), why});
  };
  leave_out(unknown, fmt::format("`init` writes 3.{} to 3.{}; `axes.python` takes others, too",
                                 kOldestMinor, kNewestMinor));
  leave_out(refused, fmt::format("`requires-python` is {}", quoted(requires_python(facts))));
  return choice;
}

/// "3.8" for the glob "cp38-*"; empty for a glob that names no single Python.
std::string python_of_glob(const std::string& glob) {
  std::string tag = glob.substr(0, glob.find('-'));
  const bool threaded = tag.ends_with('t');
  if (threaded) tag.pop_back();
  const std::string python = python_of_tag(tag);
  return python.empty() || !threaded ? python : python + "t";
}

PythonChoice of_cibuildwheel(const ProjectFacts& facts) {
  const Pythons build = project::words_of_option(facts.cibuildwheel, "build");
  const Pythons skip = project::words_of_option(facts.cibuildwheel, "skip");
  if (build.empty() && skip.empty()) return {};
  const bool threads = supports_threads(facts);
  const auto wanted = [&](const std::string& python) {
    const std::string id = "cp" + replace_all(python, ".", "") + "-manylinux_x86_64";
    const bool threaded = python.ends_with('t');
    const bool supported = threads && minor_of(python) >= kFirstSupportedThreaded;
    const auto matches = [&](const std::string& glob) {
      return glob_match(glob, id) && (!threaded || supported || names_threaded(glob));
    };
    if (std::ranges::any_of(skip, [&](const auto& glob) { return glob_match(glob, id); })) {
      return false;
    }
    if (build.empty()) {
      return minor_of(python) >= kOldestMaintained && (!threaded || supported);
    }
    return std::ranges::any_of(build, matches);
  };
  Pythons named;
  for (const std::string& glob : build) {
    const std::string python = python_of_glob(glob);
    if (!python.empty()) named.push_back(python);
  }
  const std::string option = build.empty() ? "skip" : "build";
  return chosen(facts, filtered(facts, wanted), named,
                fmt::format("cibuildwheel's {} ({})", quoted(option),
                            facts.cibuildwheel.options.at(option).file));
}

PythonChoice of_workflows(const ProjectFacts& facts) {
  const Pythons& listed = facts.workflow.pythons;
  return chosen(facts,
                filtered(facts, [&](const std::string& python) { return holds(listed, python); }),
                listed, "the workflows' matrix");
}

/// The minor releases among the classifiers, and free-threaded ones if a classifier names them.
PythonChoice of_classifiers(const ProjectFacts& facts) {
  Pythons named;
  for (const std::string& line : classifiers(facts)) {
    if (!line.starts_with(kClassifier)) continue;
    const std::string python = line.substr(kClassifier.size());
    const bool release = python.starts_with("3.") && python.size() > 2 &&
                         std::ranges::all_of(python.substr(2), is_digit);
    if (!release) continue;
    named.push_back(python);
    if (supports_threads(facts) && minor_of(python) >= kFirstSupportedThreaded) {
      named.push_back(python + "t");
    }
  }
  return chosen(facts,
                filtered(facts, [&](const std::string& python) { return holds(named, python); }),
                named, "the project's classifiers");
}

PythonChoice of_requires_python(const ProjectFacts& facts) {
  const std::string range = requires_python(facts);
  const bool threads = supports_threads(facts);
  Pythons values = filtered(facts, [&](const std::string& python) {
    if (python.ends_with('t')) return threads && minor_of(python) >= kFirstSupportedThreaded;
    return minor_of(python) >= kOldestMaintained;
  });
  // A project that admits none of these is old.
  if (values.empty()) {
    values = filtered(facts, [](const std::string& python) { return !python.ends_with('t'); });
  }
  if (values.empty()) values = {fmt::format("3.{}", kOldestMinor)};
  if (range.empty())
    return {std::move(values), "the maintained ones: the project does not say", {}};
  const std::string newest_ended = fmt::format("3.{}", kOldestMaintained - 1);
  const bool left_out = admitted(facts, newest_ended) && !holds(values, newest_ended);
  return {
      std::move(values),
      fmt::format(
          "requires-python is {}{}", quoted(range),
          left_out ? fmt::format("; {} and older are past their end of life", newest_ended) : ""),
      {}};
}

/// The Pythons that satisfy a predicate; all if none does. The others are left out, for the reason
/// `why`, unless they are free-threaded (`init/decide`).
template <class Predicate>
PythonChoice narrowed(PythonChoice choice, const Predicate& predicate, const std::string& because,
                      const std::string& why) {
  Pythons stays;
  Pythons goes;
  for (const std::string& python : choice.values) {
    if (predicate(python)) {
      stays.push_back(python);
    } else if (!python.ends_with('t')) {
      goes.push_back(python);
    }
  }
  if (stays.empty() || stays.size() == choice.values.size()) return choice;
  if (!goes.empty()) {
    choice.left_out.push_back(
        {fmt::format("Python {} ({})", quoted_list(goes), choice.because), why});
  }
  return {std::move(stays), choice.because + "; " + because, std::move(choice.left_out)};
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
  if (!facts.wanted_pythons.empty()) return {facts.wanted_pythons, "`--python`", {}};
  constexpr std::array kSources = {of_cibuildwheel, of_workflows, of_classifiers};
  for (const auto& source : kSources) {
    PythonChoice choice = source(facts);
    if (!choice.values.empty()) return choice;
  }
  return of_requires_python(facts);
}

bool has_limited_api(const std::string& python, const std::string& oldest) {
  return !python.ends_with('t') && !is_older(python, oldest);
}

PythonChoice with_limited_api(PythonChoice choice, const std::string& oldest,
                              const PythonAbiChoice::OwnBuilds& own) {
  const auto stays = [&](const std::string& python) {
    if (has_limited_api(python, oldest)) return true;
    return python.ends_with('t') ? own.threaded : own.older;
  };
  const std::string because = fmt::format("only those with the limited API of {}", oldest);
  const bool some = std::ranges::any_of(
      choice.values, [&](const std::string& python) { return has_limited_api(python, oldest); });
  if (!some && std::ranges::none_of(choice.values, stays)) {
    choice.left_out.push_back(
        {fmt::format("Python {} ({})", quoted_list(choice.values), choice.because),
         fmt::format("older than the limited API of {}", oldest)});
    return {{oldest}, because, std::move(choice.left_out)};
  }
  return narrowed(std::move(choice), stays, because,
                  fmt::format("older than the limited API of {}", oldest));
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
    return {std::move(with_builds),
            fmt::format("torch {} has builds for these, and for none of {}", names, choice.because),
            std::move(choice.left_out)};
  }
  return narrowed(std::move(choice), has_builds,
                  fmt::format("only those with builds of torch {}", names),
                  fmt::format("there are no builds of torch {} for it", names));
}

}  // namespace pinwheel::init
