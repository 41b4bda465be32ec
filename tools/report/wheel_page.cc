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

bool is_in(const binary::Section& section, const binary::DeviceCode& code) {
  return code.offset >= section.offset && code.offset - section.offset < section.size;
}

SectionCode code_of(const inspect::WheelFacts& facts, const inspect::DeviceCodeMember& member,
                    const binary::Section& section) {
  SectionCode out;
  for (const binary::DeviceCode& code : member.code) {
    if (code.stored_size == 0 || !is_in(section, code)) continue;
    CodeShare& share = out[to_string(inspect::Target{code.kind, code.architecture})];
    share.bytes += code.stored_size;
    share.unpacked += code.size;
    ++share.pieces;
    const auto packed = inspect::packed_bytes(facts, member.name, code.offset, code.stored_size);
    if (packed) share.packed = share.packed.value_or(0) + *packed;
  }
  return out;
}

PageJson section_page(const inspect::WheelFacts& facts, const inspect::ElfMember& library,
                      const binary::Section& section, const inspect::DeviceCodeMember* device_code,
                      ShownKernels& kernels) {
  PageJson codes = PageJson::array();
  if (device_code != nullptr) {
    for (const auto& [name, share] : code_of(facts, *device_code, section)) {
      codes.push_back({{"name", name},
                       {"bytes", share.bytes},
                       {"packed", packed_json(share.packed)},
                       {"pieces", share.pieces},
                       {"unpacked", share.unpacked},
                       {"kernels", kernels_page(kernels, library.name, name)}});
    }
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
    PageJson sections = PageJson::array();
    for (const binary::Section& section : library.elf.sections) {
      if (section.size == 0) continue;
      sections.push_back(section_page(facts, library, section,
                                      code == codes.end() ? nullptr : code->second, kernels));
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
        "requires_dist", "driver", "gpus", "device_code", "findings"}) {
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
