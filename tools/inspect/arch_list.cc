#include "inspect/arch_list.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "matrix/gpu_architecture.h"

namespace pinwheel::inspect {
namespace {

using binary::CodeKind;

Done add_targets(const std::string& entry, std::set<Target>& out) {
  TRY(const matrix::GpuArchitecture found, matrix::parse_gpu_architecture(entry));
  if (found.vendor == matrix::GpuArchitecture::Vendor::amd) {
    out.insert({CodeKind::code_object, found.name});
    return {};
  }
  out.insert({CodeKind::cubin, "sm_" + found.name});
  if (found.ptx == matrix::GpuArchitecture::Ptx::too) {
    out.insert({CodeKind::ptx, "compute_" + found.name});
  }
  return {};
}

}  // namespace

std::string to_string(const Target& target) {
  return (target.kind == CodeKind::ptx ? "PTX " : "") + target.architecture;
}

std::vector<std::string> split_arch_list(std::string_view text) {
  std::string spaced(text);
  std::replace_if(
      spaced.begin(), spaced.end(), [](char c) { return c == ';' || c == ','; }, ' ');
  std::vector<std::string> out = split(spaced, ' ');
  std::erase(out, "");
  return out;
}

Result<std::vector<Target>> targets_of(const std::vector<std::string>& arch_list) {
  std::set<Target> out;
  for (const std::string& entry : arch_list) TRY_DONE(add_targets(entry, out));
  return std::vector<Target>{out.begin(), out.end()};
}

}  // namespace pinwheel::inspect
