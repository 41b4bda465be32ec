#include "compat/paragraph.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "compat/gate.h"

namespace pinwheel::compat {
namespace {

std::string versions_text(const std::vector<pep::Version>& versions) {
  constexpr size_t kMost = 6;
  std::vector<std::string> shown;
  for (size_t i = 0; i < versions.size() && i < kMost; ++i) {
    shown.push_back(pep::to_string(versions[i]));
  }
  std::string text = join(shown, ", ");
  if (versions.size() <= kMost) return text;
  return fmt::format("{} and {} more", text, versions.size() - kMost);
}

std::string claim(const Assessment& assessment) {
  std::string torch = assessment.requires_torch.empty()
                          ? "does not require torch"
                          : "requires " + quoted_list(assessment.requires_torch);
  if (assessment.python.empty()) return fmt::format("Its metadata {}.", torch);
  return fmt::format("Its metadata {}, its tags say {}.", torch, assessment.python);
}

std::string use(const TorchVerdicts& torch) {
  switch (torch.use) {
    case TorchUse::none:
      return "Its libraries do not use torch.";
    case TorchUse::stable:
      if (!torch.minimum) return "It uses only torch's Stable ABI.";
      return fmt::format(
          "It uses only torch's Stable ABI, with functions available since torch {}.",
          pep::to_string(*torch.minimum));
    case TorchUse::classic:
      return "It uses torch's C++ ABI, which is stable only within a minor release.";
  }
  return "";
}

/// The first reason why a release does not load.
std::string first_reason(const TorchVerdicts& torch) {
  for (auto build = torch.builds.rbegin(); build != torch.builds.rend(); ++build) {
    if (build->loads || !is_plain(build->build)) continue;
    return fmt::format(" Torch {}: {}.", build->build.version, why_not(*build, torch));
  }
  return "";
}

std::string truth(const Assessment& assessment) {
  std::vector<pep::Version> loads;
  std::vector<pep::Version> fails;
  for (const ReleaseLoads& release : release_loads(assessment.torch)) {
    (release.loads ? loads : fails).push_back(release.version);
  }
  if (loads.empty() && fails.empty()) return " No known build of torch is for its Pythons.";
  if (loads.empty()) return " It loads on no known release." + first_reason(assessment.torch);
  if (fails.empty()) return " It loads on every known release.";
  return fmt::format(" It loads on {}, not on {}.", versions_text(loads), versions_text(fails)) +
         first_reason(assessment.torch);
}

std::string advice(const Assessment& assessment) {
  if (assessment.torch.use == TorchUse::none || assessment.pin.empty()) return "";
  std::string pin = fmt::format(" Pin {}.", quoted(assessment.pin));
  if (assessment.torch.use == TorchUse::stable) return pin;
  if (!assessment.torch.built_with) {
    return pin +
           " The torch it was built with is not recorded, and the C++ ABI can change without a "
           "missing symbol: pin the minor release it was built with if you know it.";
  }
  return fmt::format(" It was built with torch {}.", pep::to_string(*assessment.torch.built_with)) +
         pin;
}

}  // namespace

std::string paragraph(const Assessment& assessment) {
  return claim(assessment) + " " + use(assessment.torch) +
         (assessment.torch.use == TorchUse::none ? "" : truth(assessment)) + advice(assessment);
}

}  // namespace pinwheel::compat
