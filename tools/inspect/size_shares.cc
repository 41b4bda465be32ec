#include "inspect/size_shares.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace pinwheel::inspect {
namespace {

class Sums {
 public:
  void add(const std::string& what, uint64_t bytes, std::optional<uint64_t> packed) {
    SizeShare& share = shares_[what];
    share.what = what;
    share.bytes += bytes;
    if (packed) share.packed = share.packed.value_or(0) + *packed;
  }
  std::vector<SizeShare> take() {
    std::vector<SizeShare> out;
    out.reserve(shares_.size());
    for (auto& [what, share] : shares_) out.push_back(std::move(share));
    std::stable_sort(out.begin(), out.end(), [](const SizeShare& left, const SizeShare& right) {
      return left.bytes > right.bytes;
    });
    return out;
  }

 private:
  std::map<std::string, SizeShare> shares_;
};

std::vector<SizeShare> section_shares(const WheelFacts& facts) {
  Sums sums;
  for (const ElfMember& library : facts.libraries) {
    for (const binary::Section& section : library.elf.sections) {
      if (section.size == 0) continue;
      sums.add(section.name, section.size,
               packed_bytes(facts, library.name, section.offset, section.size));
    }
  }
  return sums.take();
}

std::vector<SizeShare> architecture_shares(const WheelFacts& facts) {
  Sums sums;
  for (const DeviceCodeMember& member : facts.device_code) {
    for (const binary::DeviceCode& code : member.code) {
      if (code.stored_size == 0) continue;
      sums.add(to_string(Target{code.kind, code.architecture}), code.stored_size,
               packed_bytes(facts, member.name, code.offset, code.stored_size));
    }
  }
  return sums.take();
}

std::vector<UnitSize> unit_sizes(const WheelFacts& facts) {
  std::vector<UnitSize> out;
  for (const DeviceCodeMember& member : facts.device_code) {
    for (const binary::DeviceCode& code : member.code) {
      if (out.empty() || out.back().file != member.name || out.back().unit != code.unit) {
        out.push_back({member.name, code.unit, 0});
      }
      out.back().bytes += code.stored_size;
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const UnitSize& left, const UnitSize& right) {
    return left.bytes > right.bytes;
  });
  return out;
}

}  // namespace

std::optional<uint64_t> packed_bytes(const WheelFacts& facts, const std::string& member,
                                     uint64_t offset, uint64_t length) {
  const auto map = facts.packing.find(member);
  if (map == facts.packing.end()) return std::nullopt;
  return map->second.packed(offset, length);
}

SizeShares size_shares(const WheelFacts& facts) {
  SizeShares out;
  for (const MemberFacts& member : facts.members) {
    out.members.push_back({member.name, member.size, member.compressed_size});
  }
  std::stable_sort(
      out.members.begin(), out.members.end(), [](const SizeShare& left, const SizeShare& right) {
        return std::tie(*left.packed, left.bytes) > std::tie(*right.packed, right.bytes);
      });
  out.sections = section_shares(facts);
  out.architectures = architecture_shares(facts);
  out.units = unit_sizes(facts);
  return out;
}

}  // namespace pinwheel::inspect
