#include "compat/pin.h"

namespace pinwheel::compat {
namespace {

uint64_t part(const pep::Version& version, size_t index) {
  return index < version.release.size() ? version.release[index] : 0;
}

pep::Version next_minor(const pep::Version& version) {
  return {version.epoch, {part(version, 0), part(version, 1) + 1}};
}

std::vector<ReleaseLoads> by_minor(const std::vector<ReleaseLoads>& releases) {
  std::vector<ReleaseLoads> out;
  for (const ReleaseLoads& release : releases) {
    const pep::Version minor = minor_of(release.version);
    if (out.empty() || out.back().version != minor) out.push_back({minor, true});
    out.back().loads = out.back().loads && release.loads;
  }
  return out;
}

/// Without trailing zeros: "2.10" for 2.10.0.
std::string shortest(pep::Version version) {
  while (version.release.size() > 2 && version.release.back() == 0) version.release.pop_back();
  return pep::to_string(version);
}

}  // namespace

pep::Version minor_of(const pep::Version& version) {
  return {version.epoch, {part(version, 0), part(version, 1)}};
}

std::vector<TorchRange> loading_ranges(const std::vector<ReleaseLoads>& releases, PinBy by) {
  const std::vector<ReleaseLoads> steps = by == PinBy::minor ? by_minor(releases) : releases;
  std::vector<TorchRange> out;
  bool open = false;
  for (const ReleaseLoads& step : steps) {
    if (step.loads && !open) out.push_back({step.version});
    if (!step.loads && open) out.back().before = step.version;
    open = step.loads;
  }
  if (open && by == PinBy::minor) out.back().before = next_minor(steps.back().version);
  return out;
}

std::string pin(const TorchRange& range) {
  const std::string from = "torch>=" + shortest(range.from);
  return range.before ? from + ",<" + shortest(*range.before) : from;
}

}  // namespace pinwheel::compat
