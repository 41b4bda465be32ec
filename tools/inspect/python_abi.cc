#include "inspect/python_abi.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
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
  struct Marker {
    std::string_view begin;
    std::string_view end;
  };
  constexpr std::array<Marker, 3> kMarkers = {
      {{".cpython-", ".so"}, {".cp", ".pyd"}, {".pypy", ".so"}}};
  const std::string_view base = last_part(file);
  if (base.ends_with(".abi3.so")) return {ModuleKind::stable};
  if (base.ends_with(".abi3t.so")) return {ModuleKind::stable_free_threaded};
  for (const Marker& marker : kMarkers) {
    const size_t at = base.find(marker.begin);
    if (at == std::string_view::npos || !base.ends_with(marker.end)) continue;
    const std::string_view all = base.substr(at + marker.begin.size());
    const std::string_view rest =
        all.substr(0, all.size() - std::min(all.size(), marker.end.size()));
    const std::string_view tag = rest.substr(0, rest.find_first_of("-."));
    if (tag.empty() || !is_digit(tag.front())) continue;
    const size_t dash = rest.find('-');
    const bool threads = tag.find('t') != std::string_view::npos;
    const std::string implementation = marker.begin == ".pypy" ? "pypy" : "";
    return {threads ? ModuleKind::free_threaded : ModuleKind::one_python,
            implementation + std::string(tag),
            dash == std::string_view::npos ? "" : std::string(rest.substr(dash + 1))};
  }
  return {};
}

bool defines_module(const binary::Elf& elf) {
  return std::any_of(elf.defined.begin(), elf.defined.end(), [](const binary::Symbol& symbol) {
    return symbol.name.starts_with("PyInit_");
  });
}

bool is_searched_by(const ModuleName& module, const pep::CPythonTag& python) {
  constexpr int kFirstStrict = 15;  // 3.13t and 3.14t look for `.abi3.so`, too
  switch (module.kind) {
    case ModuleKind::plain:
      return true;
    case ModuleKind::stable:
      return !python.free_threaded || python.minor < kFirstStrict;
    case ModuleKind::stable_free_threaded:
      return python.minor >= kFirstStrict;
    case ModuleKind::one_python:
    case ModuleKind::free_threaded:
      break;
  }
  const std::string_view digits =
      std::string_view(module.python).substr(0, module.python.find_first_not_of("0123456789"));
  return digits == "3" + std::to_string(python.minor) &&
         (module.kind == ModuleKind::free_threaded) == python.free_threaded;
}

bool is_named_for(const ModuleName& module, std::string_view platform) {
  if (module.platform.empty() || platform == "any") return true;
  if (module.platform.starts_with("win")) return module.platform == platform;
  if (module.platform == "darwin") return platform.starts_with("macosx_");
  const std::vector<std::string> parts = split(module.platform, '-');
  if (parts.size() != 3 || parts[1] != "linux") return true;
  if (platform.find("linux") == std::string_view::npos) return false;
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kProcessors = {
      {{"i386", "i686"},
       {"i586", "i686"},
       {"arm", "armv7l"},
       {"powerpc64le", "ppc64le"},
       {"powerpc64", "ppc64"},
       {"powerpc", "ppc"}}};
  std::string_view processor = parts[0];
  for (const auto& [own, tag] : kProcessors) {
    if (processor == own) processor = tag;
  }
  const bool arm = processor == "armv7l" && platform.find("_armv") != std::string_view::npos;
  if (!arm && !platform.ends_with(std::string("_").append(processor))) return false;
  const bool musl = parts[2].starts_with("musl");
  if (platform.starts_with("linux_")) return true;
  if (platform.starts_with("manylinux")) return !musl;
  constexpr int kFirstWithMusl = 11;
  int minor = 0;
  const std::string_view digits = std::string_view(module.python).substr(1);
  std::from_chars(digits.data(), digits.data() + digits.size(), minor);
  return musl || minor < kFirstWithMusl;
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
