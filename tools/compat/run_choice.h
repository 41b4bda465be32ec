#pragma once
#include <optional>
#include <string>
#include <vector>

#include "compat/evaluate.h"
#include "pep/specifier.h"

namespace pinwheel::compat {

/// Whether a build is meant by "2.13", "2.13.0" or "2.13.0+cpu".
bool is_meant(const exports::Build& build, const std::string& word);

/// A torch that is installed already.
struct InstalledTorch {
  exports::Build build;
  std::string site_packages;
};

/// What the user says of the builds to try a wheel beside.
struct RunWish {
  std::vector<std::string> words = {};                    ///< of `--torch`
  std::vector<InstalledTorch> installed = {};             ///< of `--installed`
  std::optional<pep::SpecifierSet> range = std::nullopt;  ///< of `--require`
};

/// Whether somebody asked for this very build, so that its failure fails the command.
enum class Demand { asked, offered };

/// A build to try a wheel beside.
struct RunTarget {
  size_t build = 0;                       ///< an index into the verdicts' builds
  std::vector<std::string> pythons = {};  ///< "3.12", "3.11": the first that is here does
  std::string site_packages = {};         ///< of a torch that is there; empty: it is installed
  Demand demand = Demand::offered;
};

/// Pure. Each word stands for the installed torches that it means, else for the build of that very
/// name, else for PyPI's newest; nothing is fetched that was not named. Without words all
/// installed ones are tried, and without these the newest release that the symbols say loads,
/// within the range where there is one. Ascending; each build once.
std::vector<RunTarget> choose_runs(const TorchVerdicts& torch, const RunWish& wish);

}  // namespace pinwheel::compat
