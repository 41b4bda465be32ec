#include "publish/choose_wheel.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "pep/name.h"
#include "pep/target_python.h"
#include "pep/wheel_name.h"

namespace pinwheel::publish {
namespace {

/// Larger is better: glibc, the Python, the rank for its installers, the build tag.
using WheelPreference = std::tuple<bool, int, bool, int, int, pep::BuildTag>;

/// The preference for a wheel by the newest Python that installs it; nullopt if none does.
std::optional<WheelPreference> preference_of(const pep::WheelName& wheel, const std::string& arch) {
  // No policy of either C library has a higher minor version.
  const std::pair<const char*, bool> systems[] = {{"manylinux_2_99_", true},
                                                  {"musllinux_1_99_", false}};
  for (const auto& [system, glibc] : systems) {
    std::vector<pep::CPythonTag> pythons = pep::installing_pythons(wheel.tags);
    std::reverse(pythons.begin(), pythons.end());
    for (const pep::CPythonTag& python : pythons) {
      const auto rank = pep::best_rank(wheel.tags, {python, system + arch});
      if (!rank) continue;
      return WheelPreference{glibc,        python.minor,  !python.free_threaded,
                             -rank->first, -rank->second, wheel.build.value_or(pep::BuildTag{})};
    }
  }
  return std::nullopt;
}

}  // namespace

Result<IndexFile> choose_wheel(const std::vector<IndexFile>& files, const std::string& name,
                               const pep::Specifier& pin, const std::string& arch) {
  const IndexFile* best = nullptr;
  std::optional<WheelPreference> most;
  std::vector<std::string> others;
  for (const IndexFile& file : files) {
    const auto wheel = pep::parse_wheel_name(file.filename);
    const bool same = wheel && wheel->variant.empty() && pep::satisfies(wheel->version, {pin}) &&
                      pep::normalize_name(wheel->distribution) == pep::normalize_name(name);
    if (!same) continue;
    others.push_back(file.filename);
    const std::optional<WheelPreference> preference = preference_of(*wheel, arch);
    if (!preference || (most && *preference <= *most)) continue;
    most = preference;
    best = &file;
  }
  if (best != nullptr) return *best;
  constexpr size_t kShown = 5;
  if (others.size() > kShown) others.resize(kShown);
  return fail(ErrorKind::config,
              fmt::format("{} {} has no wheel for Linux on {}", quoted(name),
                          pep::to_string(pin.version), arch),
              others.empty() ? "the index has no wheel of that version"
                             : "the index has " + quoted_list(others));
}

}  // namespace pinwheel::publish
