#include "compat/run_choice.h"

#include <algorithm>
#include <map>

#include "compat/python_tags.h"

namespace pinwheel::compat {
namespace {

bool in_range(const exports::Build& build, const std::optional<pep::SpecifierSet>& range) {
  if (!range) return true;
  const Result<pep::Version> version = pep::parse_version(build.version);
  return version && pep::satisfies(*version, *range);
}

/// "3.12", "3.11", "3.13t": newest first, free-threaded ones last, because few wheels support them.
std::vector<std::string> pythons_to_try(const std::vector<std::string>& tags) {
  std::vector<std::string> out;
  for (auto tag = tags.rbegin(); tag != tags.rend(); ++tag) out.push_back(python_version(*tag));
  std::stable_partition(out.begin(), out.end(),
                        [](const std::string& python) { return !python.ends_with('t'); });
  return out;
}

/// Collects targets by the index of their build.
class Choice {
 public:
  Choice(const TorchVerdicts& torch, const RunWish& wish) : torch_(torch), wish_(wish) {}

  bool take_installed(const std::string& word) {
    bool found = false;
    for (const InstalledTorch& installed : wish_.installed) {
      if (!word.empty() && !is_meant(installed.build, word)) continue;
      for (size_t i = 0; i < torch_.builds.size(); ++i) {
        if (torch_.builds[i].build != installed.build) continue;
        if (word.empty() && !in_range(installed.build, wish_.range)) continue;
        take(i, Demand::asked, installed.site_packages);
        found = true;
      }
    }
    return found;
  }

  void take_named(const std::string& word) {
    std::optional<size_t> best;
    for (size_t i = 0; i < torch_.builds.size(); ++i) {
      const exports::Build& build = torch_.builds[i].build;
      if (!is_meant(build, word)) continue;
      if (build.version == word) {
        best = i;
        break;
      }
      if (!best || is_plain(build) || !is_plain(torch_.builds[*best].build)) best = i;
    }
    if (best) take(*best, Demand::asked, {});
  }

  void take_newest() {
    std::optional<size_t> best;
    for (size_t i = 0; i < torch_.builds.size(); ++i) {
      const BuildVerdict& build = torch_.builds[i];
      if (!build.loads || lacks_library(build) || !in_range(build.build, wish_.range)) continue;
      if (!best || is_plain(build.build) || !is_plain(torch_.builds[*best].build)) best = i;
    }
    if (best) take(*best, wish_.range ? Demand::asked : Demand::offered, {});
  }

  std::vector<RunTarget> result() && {
    std::vector<RunTarget> out;
    for (auto& [build, target] : targets_) out.push_back(std::move(target));
    return out;
  }

 private:
  void take(size_t build, Demand demand, const std::string& site_packages) {
    targets_.try_emplace(build, RunTarget{build, pythons_to_try(torch_.builds[build].pythons),
                                          site_packages, demand});
  }

  const TorchVerdicts& torch_;
  const RunWish& wish_;
  std::map<size_t, RunTarget> targets_;
};

}  // namespace

bool is_meant(const exports::Build& build, const std::string& word) {
  if (build.version == word) return true;
  const Result<pep::SpecifierSet> release = pep::parse_specifiers("==" + word + ".*");
  return release && pep::satisfies(release_of(build), *release);
}

std::vector<RunTarget> choose_runs(const TorchVerdicts& torch, const RunWish& wish) {
  Choice choice(torch, wish);
  for (const std::string& word : wish.words) {
    if (!choice.take_installed(word)) choice.take_named(word);
  }
  if (wish.words.empty() && !choice.take_installed({}) && wish.installed.empty()) {
    choice.take_newest();
  }
  return std::move(choice).result();
}

}  // namespace pinwheel::compat
