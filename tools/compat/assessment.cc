#include "compat/assessment.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string_view>

#include "base/text.h"
#include "compat/python_tags.h"
#include "inspect/driver.h"
#include "inspect/platform_tag.h"
#include "inspect/requirements.h"

namespace pinwheel::compat {
namespace {

bool is_usable(const BuildVerdict& build) {
  return build.loads && !lacks_library(build);
}

/// The range to write: the minor that the wheel was built with, else the newest that loads.
std::optional<TorchRange> chosen(const TorchVerdicts& torch, const std::vector<TorchRange>& ranges,
                                 const std::vector<ReleaseLoads>& releases) {
  if (ranges.empty()) return std::nullopt;
  if (torch.use != TorchUse::classic || !torch.built_with) return ranges.back();
  std::vector<ReleaseLoads> own;
  for (const ReleaseLoads& release : releases) {
    const bool same = minor_of(release.version) == minor_of(*torch.built_with);
    own.push_back({release.version, release.loads && same});
  }
  const std::vector<TorchRange> range = loading_ranges(own, PinBy::minor);
  return range.empty() ? ranges.back() : range.front();
}

/// Whether an assessment reads the member.
bool is_assessed(const inspect::WheelFacts& facts, const std::string& member) {
  return member != facts.file_name &&
         (!member.starts_with(facts.dist_info + "/") || member == facts.dist_info + "/METADATA");
}

}  // namespace

Done check_assessable(const inspect::WheelFacts& facts) {
  for (const inspect::Finding& finding : facts.unreadable) {
    if (is_assessed(facts, finding.file)) return fail(inspect::to_error(finding));
  }
  if (facts.libraries.empty() && !facts.foreign.empty()) {
    const inspect::ForeignBinary& first = facts.foreign.front();
    return fail(
        ErrorKind::check,
        quoted(facts.file_name) + " cannot be judged: " + quoted(first.name) + " is " + first.form,
        "`compat` reads libraries for Linux on x86_64 and aarch64");
  }
  return {};
}

std::vector<ReleaseLoads> release_loads(const TorchVerdicts& torch) {
  std::vector<ReleaseLoads> out;
  bool settled = false;
  for (const BuildVerdict& build : torch.builds) {
    pep::Version release = release_of(build.build);
    if (out.empty() || out.back().version != release) {
      out.push_back({std::move(release), false});
      settled = false;
    }
    // A plain version sorts before its labeled builds.
    if (settled) continue;
    out.back().loads = out.back().loads || is_usable(build);
    settled = is_plain(build.build) && !lacks_library(build);
  }
  return out;
}

Assessment assess(const inspect::WheelFacts& facts, const exports::Table& table,
                  const Companions& companions) {
  Assessment out;
  out.wheel = facts.file_name;
  if (facts.name) {
    for (const pep::Tag& tag : pep::expand(facts.name->tags)) {
      out.tags.push_back(pep::to_string(tag));
    }
    out.python = python_text(facts.name->tags);
  }
  out.requires_torch = inspect::torch_requirements(facts);
  out.torch = evaluate(facts, table, companions);
  out.distributions = judge_distributions(facts);
  out.cuda = cuda_needs(facts);
  const std::vector<ReleaseLoads> releases = release_loads(out.torch);
  const PinBy by = out.torch.use == TorchUse::stable ? PinBy::release : PinBy::minor;
  out.ranges = loading_ranges(releases, by);
  if (out.torch.use == TorchUse::none) return out;
  const std::optional<TorchRange> range = chosen(out.torch, out.ranges, releases);
  if (range) out.pin = pin(*range);
  return out;
}

namespace {

/// 13 of "libcudart.so.13", "libcudart.so.13.0.96" and of the copies "libcudart-faf08d9a.so.13" and
/// "libcudart.faf08d9a.so.13"; 0 for everything else.
int runtime_of(std::string_view soname) {
  constexpr std::string_view kNumbered = ".so.";
  const size_t at = soname.find(kNumbered);
  if (!soname.starts_with("libcudart") || at == std::string_view::npos) return 0;
  int major = 0;
  const std::string_view number = soname.substr(at + kNumbered.size());
  std::from_chars(number.data(), number.data() + number.size(), major);
  return major;
}

}  // namespace

CudaNeeds cuda_needs(const inspect::WheelFacts& facts) {
  std::set<int> runtimes;
  for (const inspect::ElfMember& library : facts.libraries) {
    for (const std::string& soname : library.elf.needed) {
      const int major = runtime_of(soname);
      if (major > 0) runtimes.insert(major);
    }
  }
  CudaNeeds out;
  out.runtimes.assign(runtimes.begin(), runtimes.end());
  for (const inspect::DeviceCodeMember& member : facts.device_code) {
    if (!inspect::is_to_run(facts, member)) continue;
    for (const binary::DeviceCode& code : member.code) {
      out.device_code = out.device_code || code.kind != binary::CodeKind::code_object;
    }
  }
  if (runtimes.empty()) return out;
  // Every driver of a major release runs the runtimes of all its minor releases.
  const auto driver = inspect::driver_branch({inspect::GpuStack::cuda, *runtimes.rbegin(), 0});
  if (driver) out.minimum_driver = std::to_string(*driver);
  return out;
}

}  // namespace pinwheel::compat
