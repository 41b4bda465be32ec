#include "inspect/code_total.h"

#include <map>
#include <tuple>

namespace pinwheel::inspect {

std::vector<CodeTotal> code_totals(const WheelFacts& facts) {
  std::vector<CodeTotal> out;
  for (const DeviceCodeMember& member : facts.device_code) {
    using Key =
        std::tuple<binary::CodeKind, std::string, binary::CodeCompression, binary::PtxVersion>;
    std::map<Key, CodeTotal> totals;
    for (const binary::DeviceCode& code : member.code) {
      CodeTotal& total = totals[{code.kind, code.architecture, code.compression, code.ptx}];
      total.file = member.name;
      total.kind = code.kind;
      total.architecture = code.architecture;
      total.compression = code.compression;
      total.ptx = code.ptx;
      total.pieces += 1;
      total.bytes += code.stored_size;
    }
    for (auto& [key, total] : totals) out.push_back(std::move(total));
  }
  return out;
}

}  // namespace pinwheel::inspect
