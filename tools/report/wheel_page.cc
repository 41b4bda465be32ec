#include "report/wheel_page.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "compat/demangle.h"
#include "inspect/arch_list.h"
#include "inspect/budget.h"
#include "inspect/debug_info.h"
#include "inspect/size_shares.h"
#include "report/inspect_json.h"

namespace pinwheel::report {
namespace {

using PageJson = nlohmann::ordered_json;

PageJson packed_json(const std::optional<uint64_t>& packed) {
  return packed ? PageJson(*packed) : PageJson();
}

/// More kernels would make a page that no browser opens: torch has hundreds of thousands.
constexpr size_t kMostKernels = 2000;

/// The kernels to show, the largest of a wheel, by file and architecture.
using ShownKernels =
    std::map<std::pair<std::string, std::string>, std::vector<const binary::CubinKernel*>>;

ShownKernels shown_kernels(const inspect::WheelFacts& facts) {
  struct Place {
    const std::string* file;
    const inspect::KernelFacts* kernel;
  };
  std::vector<Place> all;
  for (const inspect::DeviceCodeMember& member : facts.device_code) {
    for (const inspect::KernelFacts& kernel : member.kernels)
      all.push_back({&member.name, &kernel});
  }
  std::stable_sort(all.begin(), all.end(), [](const Place& left, const Place& right) {
    return left.kernel->kernel.code_size > right.kernel->kernel.code_size;
  });
  if (all.size() > kMostKernels) all.resize(kMostKernels);
  ShownKernels shown;
  for (const Place& each : all) {
    shown[{*each.file, each.kernel->architecture}].push_back(&each.kernel->kernel);
  }
  return shown;
}

template <typename Number>
PageJson number_or_null(const std::optional<Number>& number) {
  return number ? PageJson(*number) : PageJson();
}

/// Takes the kernels, so that only one section of a file has them.
PageJson kernels_page(ShownKernels& shown, const std::string& file,
                      const std::string& architecture) {
  PageJson out = PageJson::array();
  const auto found = shown.find({file, architecture});
  if (found == shown.end()) return out;
  for (const binary::CubinKernel* const kernel : found->second) {
    out.push_back({{"name", compat::demangle(kernel->name)},
                   {"bytes", kernel->code_size},
                   {"registers", kernel->registers},
                   {"stack", number_or_null(kernel->stack)},
                   {"spills", number_or_null(kernel->spills)},
                   {"shared", kernel->shared}});
  }
  shown.erase(found);
  return out;
}

/// The device code of one architecture in a section.
struct CodeShare {
  uint64_t bytes = 0;
  uint64_t unpacked = 0;
  std::optional<uint64_t> packed = {};
  size_t pieces = 0;
};

/// By architecture.
using SectionCode = std::map<std::string, CodeShare>;

/// The sections of a library by offset, for lookups.
std::map<uint64_t, size_t> sections_by_offset(const std::vector<binary::Section>& sections) {
  std::map<uint64_t, size_t> by_offset;
  for (size_t i = 0; i < sections.size(); ++i) {
    const auto [at, added] = by_offset.emplace(sections[i].offset, i);
    if (!added && sections[at->second].size < sections[i].size) at->second = i;
  }
  return by_offset;
}

/// The device code in each section. Each piece is in one section only, also where a corrupt file
/// has sections that overlap.
std::map<size_t, SectionCode> code_by_section(const inspect::WheelFacts& facts,
                                              const inspect::DeviceCodeMember& member,
                                              const std::vector<binary::Section>& sections) {
  std::map<size_t, SectionCode> out;
  const std::map<uint64_t, size_t> by_offset = sections_by_offset(sections);
  for (const binary::DeviceCode& code : member.code) {
    auto found = by_offset.upper_bound(code.offset);
    if (code.stored_size == 0 || found == by_offset.begin()) continue;
    --found;
    if (code.offset - found->first >= sections[found->second].size) continue;
    SectionCode& inside = out[found->second];
    CodeShare& share = inside[to_string(inspect::Target{code.kind, code.architecture})];
    share.bytes += code.stored_size;
    share.unpacked += code.size;
    ++share.pieces;
    const auto packed = inspect::packed_bytes(facts, member.name, code.offset, code.stored_size);
    if (packed) share.packed = share.packed.value_or(0) + *packed;
  }
  return out;
}

PageJson section_page(const inspect::WheelFacts& facts, const inspect::ElfMember& library,
                      const binary::Section& section, const SectionCode& code,
                      ShownKernels& kernels) {
  PageJson codes = PageJson::array();
  for (const auto& [name, share] : code) {
    codes.push_back({{"name", name},
                     {"bytes", share.bytes},
                     {"packed", packed_json(share.packed)},
                     {"pieces", share.pieces},
                     {"unpacked", share.unpacked},
                     {"kernels", kernels_page(kernels, library.name, name)}});
  }
  return {{"name", section.name},
          {"bytes", section.size},
          {"packed",
           packed_json(inspect::packed_bytes(facts, library.name, section.offset, section.size))},
          {"debug", inspect::is_debug_section(section.name)},
          {"code", std::move(codes)}};
}

PageJson libraries_page(const inspect::WheelFacts& facts) {
  std::map<std::string, const inspect::DeviceCodeMember*> codes;
  for (const inspect::DeviceCodeMember& member : facts.device_code) {
    codes.emplace(member.name, &member);
  }
  ShownKernels kernels = shown_kernels(facts);
  PageJson out = PageJson::array();
  for (const inspect::ElfMember& library : facts.libraries) {
    const auto code = codes.find(library.name);
    const std::vector<binary::Section>& all = library.elf.sections;
    std::map<size_t, SectionCode> inside;
    if (code != codes.end()) inside = code_by_section(facts, *code->second, all);
    PageJson sections = PageJson::array();
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i].size > 0) {
        sections.push_back(section_page(facts, library, all[i], inside[i], kernels));
      }
    }
    out.push_back({{"file", library.name}, {"sections", std::move(sections)}});
  }
  return out;
}

PageJson budget_page(const inspect::WheelFacts& facts, const inspect::Expectations& expected) {
  if (facts.packing.empty()) return nullptr;
  PageJson cuts = PageJson::array();
  for (const inspect::Cut& cut : inspect::plan_budget(facts, expected.budget.value_or(1)).cuts) {
    cuts.push_back({{"what", cut.what}, {"saves", cut.saves}, {"costs_users", cut.costs_users}});
  }
  return {{"limit", packed_json(expected.budget)}, {"cuts", std::move(cuts)}};
}

}  // namespace

nlohmann::ordered_json wheel_page(const inspect::WheelFacts& facts,
                                  const inspect::Expectations& expected,
                                  const std::vector<inspect::Finding>& findings) {
  const PageJson known = own_json(inspect_json(facts, expected, findings));
  PageJson out = PageJson::object();
  for (const char* const member :
       {"wheel", "size", "unpacked_size", "policy", "platform_tag", "requires_python",
        "requires_dist", "driver", "gpus", "device_code", "findings", "partial"}) {
    out[member] = known.at(member);
  }
  // Without files whose parts are measured, an archive is divided by its members only.
  out["measure"] = facts.packing.empty() ? "bytes" : "packed";
  PageJson& files = out["files"] = PageJson::array();
  for (const inspect::MemberFacts& member : facts.members) {
    files.push_back(
        {{"name", member.name}, {"bytes", member.size}, {"packed", member.compressed_size}});
  }
  out["libraries"] = libraries_page(facts);
  out["budget"] = budget_page(facts, expected);
  return out;
}

}  // namespace pinwheel::report
