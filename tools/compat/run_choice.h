#pragma once
#include <optional>
#include <string>
#include <vector>

#include "compat/evaluate.h"
#include "pep/specifier.h"

namespace pinwheel::compat {

/// Whether "2.13", "2.13.0" or "2.13.0+cpu" refers to the build.
bool is_meant(const exports::Build& build, const std::string& word);

/// A torch that is installed already.
struct InstalledTorch {
  exports::Build build;
  std::string site_packages;
};

/// The user's choice of torch builds to try a wheel with.
struct RunWish {
  std::vector<std::string> words = {};                    ///< from `--torch`
  std::vector<InstalledTorch> installed = {};             ///< from `--installed`
  std::optional<pep::SpecifierSet> range = std::nullopt;  ///< from `--require`
};

/// Whether the user asked for this build, so that its failure fails the command.
enum class Demand { asked, offered };

/// A torch build to try a wheel with.
struct RunTarget {
  size_t build = 0;                       ///< an index into the verdicts' builds
  std::vector<std::string> pythons = {};  ///< "3.12", "3.11": the first one available is used
  std::string site_packages = {};         ///< of an installed torch; empty: torch must be installed
  Demand demand = Demand::offered;
};

/// Pure. Each word selects the installed torches it refers to, else the build of exactly that name,
/// else the newest matching build on PyPI; nothing is downloaded that was not named. Without words
/// all installed torches are tried, and without those the newest release that loads by its symbols,
/// within the range if there is one. Ascending, without duplicates.
std::vector<RunTarget> choose_runs(const TorchVerdicts& torch, const RunWish& wish);

}  // namespace pinwheel::compat
