#include "inspect/budget.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

#include "inspect/arch_list.h"
#include "inspect/debug_info.h"
#include "inspect/size_shares.h"

namespace pinwheel::inspect {
namespace {

using binary::CodeKind;

template <class IsMeant>
uint64_t packed_sections(const WheelFacts& facts, const IsMeant& is_meant) {
  uint64_t total = 0;
  for (const ElfMember& library : facts.libraries) {
    for (const binary::Section& section : library.elf.sections) {
      if (!is_meant(section.name)) continue;
      total += packed_bytes(facts, library.name, section.offset, section.size).value_or(0);
    }
  }
  return total;
}

uint64_t packed_byte_code(const WheelFacts& facts) {
  uint64_t total = 0;
  for (const MemberFacts& member : facts.members) {
    if (member.name.ends_with(".pyc")) total += member.compressed_size;
  }
  return total;
}

uint64_t packed_duplicates(const WheelFacts& facts) {
  std::map<std::string, uint64_t> seen;
  uint64_t total = 0;
  for (const MemberFacts& member : facts.members) {
    if (!seen.emplace(contents_key(facts, member), 1).second) total += member.compressed_size;
  }
  return total;
}

/// 90 for "sm_90a", "compute_90" and "gfx90a": orders the generations of one vendor.
int generation(const std::string& architecture) {
  const size_t digit = architecture.find_first_of("0123456789");
  if (digit == std::string::npos) return 0;
  int number = 0;
  std::from_chars(architecture.data() + digit, architecture.data() + architecture.size(), number);
  return number;
}

/// PTX, then code for link-time optimization, then machine code; older generations first.
std::vector<Cut> device_cuts(const WheelFacts& facts) {
  std::map<std::tuple<int, int, std::string>, Cut> cuts;
  for (const DeviceCodeMember& member : facts.device_code) {
    for (const binary::DeviceCode& code : member.code) {
      const bool machine = code.kind == CodeKind::cubin || code.kind == CodeKind::code_object;
      const std::string what = to_string(Target{code.kind, code.architecture});
      Cut& cut = cuts[{machine ? 1 : 0, generation(code.architecture), what}];
      cut.what = what;
      cut.costs_users = true;
      cut.saves += packed_bytes(facts, member.name, code.offset, code.stored_size).value_or(0);
    }
  }
  std::vector<Cut> out;
  out.reserve(cuts.size());
  for (auto& [key, cut] : cuts) out.push_back(std::move(cut));
  return out;
}

}  // namespace

BudgetPlan plan_budget(const WheelFacts& facts, uint64_t budget) {
  BudgetPlan plan{facts.file_size, budget};
  const auto is_symbols = [](const std::string& name) {
    return name == ".symtab" || name == ".strtab";
  };
  plan.cuts = {{"debug information", packed_sections(facts, is_debug_section)},
               {"symbol tables of the linker (`strip`)", packed_sections(facts, is_symbols)},
               {"bytecode", packed_byte_code(facts)},
               {"duplicate files", packed_duplicates(facts)}};
  for (Cut& cut : device_cuts(facts)) plan.cuts.push_back(std::move(cut));
  std::erase_if(plan.cuts, [](const Cut& cut) { return cut.saves == 0; });
  uint64_t left = facts.file_size;
  while (left > budget && plan.needed < plan.cuts.size()) {
    left -= std::min(left, plan.cuts[plan.needed++].saves);
  }
  plan.reached = left <= budget;
  return plan;
}

}  // namespace pinwheel::inspect
