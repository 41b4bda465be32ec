#include "publish/narrower_wheel.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>

#include "base/text.h"
#include "pep/name.h"
#include "pep/wheel_name.h"

namespace pinwheel::publish {
namespace {

/// The oldest C library that a wheel supports: none for `any` and for `linux_x86_64`, which does
/// not state one.
using Oldest = std::pair<int, int>;
constexpr Oldest kEvery = {0, 0};
constexpr Oldest kUnknown = {1 << 20, 0};

/// The systems that a wheel supports, of one kind.
struct Floor {
  pep::Libc libc = pep::Libc::glibc;
  std::string arch;  ///< empty: of `any`
  Oldest oldest = kEvery;
};

std::optional<Floor> floor_of(const std::string& platform) {
  constexpr std::string_view kLinux = "linux_";
  if (platform == "any") return Floor{};
  if (const auto policy = pep::parse_linux_policy(platform)) {
    return Floor{policy->libc, policy->arch, {policy->major, policy->minor}};
  }
  if (!platform.starts_with(kLinux)) return std::nullopt;
  return Floor{pep::Libc::glibc, platform.substr(kLinux.size()), kUnknown};
}

/// The widest of a wheel's tags; nullopt if none is for Linux.
std::optional<Floor> widest(const pep::WheelName& wheel) {
  std::optional<Floor> found;
  for (const std::string& platform : wheel.tags.platform) {
    std::optional<Floor> floor = floor_of(platform);
    if (floor && (!found || floor->oldest < found->oldest)) found = std::move(floor);
  }
  return found;
}

/// Whether wheels with these floors are for the same kind of system; `any` matches each.
bool is_same_kind(const Floor& one, const Floor& other) {
  if (one.arch.empty() || other.arch.empty()) return true;
  return one.libc == other.libc && one.arch == other.arch;
}

struct Published {
  std::string filename;
  pep::WheelName name;
  Floor floor;
};

std::vector<Published> wheels_among(const std::vector<std::string>& files) {
  std::vector<Published> wheels;
  for (const std::string& file : files) {
    Result<pep::WheelName> name = pep::parse_wheel_name(file);
    if (!name) continue;
    if (std::optional<Floor> floor = widest(*name)) {
      wheels.push_back({file, *std::move(name), *std::move(floor)});
    }
  }
  return wheels;
}

/// The label of a wheel, without the commit of a development version: "cu130" for "cu130.g1a2b3c4".
std::string label_of(const pep::Version& version) {
  constexpr size_t kCommit = 8;
  std::vector<std::string> label;
  for (const pep::LocalSegment& segment : version.local) {
    const auto* const text = std::get_if<std::string>(&segment);
    const bool commit = text != nullptr && text->size() == kCommit && text->starts_with('g');
    if (commit) break;
    label.push_back(text != nullptr ? *text : std::to_string(std::get<uint64_t>(segment)));
  }
  return join(label, ".");
}

/// Whether the other wheel is of an earlier release that users of this one may upgrade from, or of
/// an earlier cut of the same version.
bool comes_before(const Published& other, const Published& wheel) {
  if (pep::normalize_name(other.name.distribution) !=
      pep::normalize_name(wheel.name.distribution)) {
    return false;
  }
  if (label_of(other.name.version) != label_of(wheel.name.version)) return false;
  if (other.name.variant != wheel.name.variant) return false;
  const pep::Version version = pep::public_part(other.name.version);
  const pep::Version own = pep::public_part(wheel.name.version);
  if (pep::is_prerelease(version) && !pep::is_prerelease(own)) return false;
  const bool earlier = version < own || (version == own && other.name.build < wheel.name.build);
  return earlier && is_same_kind(other.floor, wheel.floor);
}

/// The widest wheel of the newest earlier release.
const Published* predecessor(const Published& wheel, const std::vector<Published>& published) {
  const Published* found = nullptr;
  for (const Published& other : published) {
    if (!comes_before(other, wheel)) continue;
    const bool better =
        found == nullptr ||
        pep::public_part(found->name.version) < pep::public_part(other.name.version) ||
        (pep::public_part(found->name.version) == pep::public_part(other.name.version) &&
         other.floor.oldest < found->floor.oldest);
    if (better) found = &other;
  }
  return found;
}

}  // namespace

std::vector<NarrowerWheel> narrower_wheels(const std::vector<std::string>& wheels,
                                           const std::vector<std::string>& published) {
  const std::vector<Published> earlier = wheels_among(published);
  const std::vector<Published> own = wheels_among(wheels);
  std::vector<NarrowerWheel> narrower;
  for (const Published& wheel : own) {
    const Published* const other = predecessor(wheel, earlier);
    if (other == nullptr || wheel.floor.oldest <= other->floor.oldest) continue;
    // Another wheel of the release may cover the systems that this one does not.
    const bool covered = std::ranges::any_of(own, [&](const Published& each) {
      return label_of(each.name.version) == label_of(wheel.name.version) &&
             each.name.distribution == wheel.name.distribution &&
             each.name.variant == wheel.name.variant && is_same_kind(each.floor, wheel.floor) &&
             each.floor.oldest <= other->floor.oldest &&
             each.name.tags.python == wheel.name.tags.python;
    });
    if (!covered) narrower.push_back({wheel.filename, other->filename});
  }
  return narrower;
}

std::vector<Error> narrower_warnings(const std::vector<NarrowerWheel>& wheels,
                                     const std::string& target) {
  if (wheels.empty()) return {};
  const std::string more =
      wheels.size() == 1 ? "" : fmt::format(", and so on for {} more", wheels.size() - 1);
  return {
      Error{ErrorKind::check, fmt::format("{} is for fewer systems than {}, which {} has{}",
                                          quoted(wheels.front().filename),
                                          quoted(wheels.front().published), quoted(target), more)}
          .with_hint("build in an image of the older system: `environment.container` with "
                     "`--engine docker`, which generated workflows do automatically; or accept "
                     "that pip finds no wheel, or an older one, there")};
}

}  // namespace pinwheel::publish
