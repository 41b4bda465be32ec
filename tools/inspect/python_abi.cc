#include "inspect/python_abi.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"
#include "inspect/stable_abi.h"

namespace pinwheel::inspect {
namespace {

/// The functions that `Py_DECREF` and the like call without the global lock (PEP 703).
constexpr std::array<std::string_view, 3> kFreeThreaded = {
    "_Py_DecRefShared", "_Py_DecRefSharedDebug", "_Py_MergeZeroLocalRefcount"};

bool has(const std::vector<std::string>& symbols, std::string_view name) {
  return std::find(symbols.begin(), symbols.end(), name) != symbols.end();
}

}  // namespace

bool is_python_symbol(std::string_view name) {
  return name.starts_with("Py") || name.starts_with("_Py");
}

ModuleName module_name(std::string_view file) {
  constexpr std::string_view kMarker = ".cpython-";
  const std::string_view base = last_part(file);
  if (base.ends_with(".abi3.so")) return {ModuleKind::stable};
  const size_t at = base.find(kMarker);
  if (at == std::string_view::npos || !base.ends_with(".so")) return {};
  const std::string_view rest = base.substr(at + kMarker.size());
  const std::string_view tag = rest.substr(0, rest.find_first_of("-."));
  if (tag.empty()) return {};
  return {tag.back() == 't' ? ModuleKind::free_threaded : ModuleKind::one_python, std::string(tag)};
}

std::vector<std::string> python_symbols(const binary::Elf& elf) {
  std::vector<std::string> out;
  for (const binary::Symbol& symbol : elf.undefined) {
    if (is_python_symbol(symbol.name) && symbol.binding != binary::Binding::weak) {
      out.push_back(symbol.name);
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::vector<std::string> free_threaded_symbols(const std::vector<std::string>& symbols) {
  std::vector<std::string> out;
  for (const std::string_view name : kFreeThreaded) {
    if (has(symbols, name)) out.emplace_back(name);
  }
  return out;
}

bool counts_references_under_lock(const std::vector<std::string>& symbols) {
  return has(symbols, "_Py_Dealloc") && free_threaded_symbols(symbols).empty();
}

StableAbiFaults stable_abi_faults(const std::vector<std::string>& symbols, int minor) {
  StableAbiFaults out;
  for (const std::string& symbol : symbols) {
    const std::optional<int> since = stable_since(symbol);
    if (!since) {
      out.never.push_back(symbol);
    } else if (*since > minor) {
      out.later.push_back(fmt::format("{} (3.{})", symbol, *since));
    }
  }
  return out;
}

}  // namespace pinwheel::inspect
