#include "inspect/driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace pinwheel::inspect {
namespace {

using binary::CodeCompression;
using binary::CodeKind;

GpuRelease cuda(int major, int minor) {
  return {GpuStack::cuda, major, minor};
}

void need_runtime(const WheelFacts& facts, DriverNeeds& needs) {
  // Since CUDA 11, every driver of a major release runs the runtimes of all its minor releases.
  int newest = 0;
  std::string evidence;
  for (const GpuUse& use : gpu_uses(facts)) {
    if (use.release.stack != GpuStack::cuda || use.release.major <= newest) continue;
    newest = use.release.major;
    evidence = use.evidence;
  }
  if (newest != 0) needs.load.push_back({cuda(newest, 0), "it " + evidence});
}

bool has_zstd(const WheelFacts& facts) {
  for (const DeviceCodeMember& member : facts.device_code) {
    if (!is_to_run(facts, member)) continue;
    for (const binary::DeviceCode& code : member.code) {
      if (code.kind != CodeKind::code_object && code.kind != CodeKind::ptx &&
          code.compression == CodeCompression::zstd) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

std::optional<int> driver_branch(const GpuRelease& release) {
  constexpr std::array<std::pair<std::pair<int, int>, int>, 21> kBranches = {{
      {{11, 0}, 450}, {{11, 1}, 455}, {{11, 2}, 460}, {{11, 3}, 465}, {{11, 4}, 470},
      {{11, 5}, 495}, {{11, 6}, 510}, {{11, 7}, 515}, {{11, 8}, 520}, {{12, 0}, 525},
      {{12, 1}, 530}, {{12, 2}, 535}, {{12, 3}, 545}, {{12, 4}, 550}, {{12, 5}, 555},
      {{12, 6}, 560}, {{12, 7}, 565}, {{12, 8}, 570}, {{12, 9}, 575}, {{13, 0}, 580},
      {{13, 1}, 590},
  }};
  const std::pair<int, int> wanted{release.major, release.minor.value_or(0)};
  for (const auto& [known, branch] : kBranches) {
    if (known == wanted && release.stack == GpuStack::cuda) return branch;
  }
  return std::nullopt;
}

GpuRelease release_of_ptx(binary::PtxVersion ptx) {
  // PTX 6.0 came with CUDA 9.0, and each CUDA major release has three PTX minor versions, up to
  // 7.0, which came with 11.0; 8.6 came with 12.7.
  if (ptx.major <= 6) return cuda(ptx.minor < 3 ? 9 : 10, ptx.minor % 3);
  if (ptx.major == 8 && ptx.minor > 5) return cuda(12, ptx.minor + 1);
  return cuda(ptx.major + 4, ptx.minor);
}

DriverNeeds driver_needs(const WheelFacts& facts) {
  DriverNeeds needs;
  need_runtime(facts, needs);
  if (has_zstd(facts)) needs.load.push_back({cuda(12, 4), "its device code is zstd-compressed"});
  binary::PtxVersion newest;
  bool packed = false;
  for (const DeviceCodeMember& member : facts.device_code) {
    if (!is_to_run(facts, member)) continue;
    for (const binary::DeviceCode& code : member.code) {
      if (code.kind != CodeKind::ptx) continue;
      newest = std::max(newest, code.ptx);
      packed = packed || code.compression == CodeCompression::zstd;
    }
  }
  if (newest.major == 0) return needs;
  needs.ptx = DriverNeed{release_of_ptx(newest),
                         fmt::format("its PTX has version {}.{}", newest.major, newest.minor)};
  if (packed && needs.ptx->cuda < cuda(12, 4)) {
    needs.ptx = DriverNeed{cuda(12, 4), "its PTX is zstd-compressed"};
  }
  return needs;
}

std::optional<DriverNeed> oldest_driver(const DriverNeeds& needs) {
  const auto newest = std::max_element(
      needs.load.begin(), needs.load.end(),
      [](const DriverNeed& left, const DriverNeed& right) { return left.cuda < right.cuda; });
  return newest == needs.load.end() ? std::nullopt : std::optional(*newest);
}

std::string driver_text(const GpuRelease& release) {
  const std::optional<int> branch = driver_branch(release);
  return branch ? fmt::format("{} ({})", *branch, to_string(release))
                : "that of " + to_string(release);
}

}  // namespace pinwheel::inspect
