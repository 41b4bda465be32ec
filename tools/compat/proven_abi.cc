#include "compat/proven_abi.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "compat/pin.h"
#include "inspect/python_abi.h"
#include "inspect/rules.h"
#include "inspect/stable_abi.h"

namespace pinwheel::compat {
namespace {

/// The symbols of CPython that the libraries of a wheel use.
struct PythonNeeds {
  size_t libraries = 0;  ///< that use some, or are modules
  bool beyond_stable = false;
  int stable_since = 2;  ///< the release of the Stable ABI that has all of it
  std::string example;   ///< a symbol, with its library
};

PythonNeeds python_needs(const inspect::WheelFacts& facts) {
  std::set<std::string> own;
  for (const inspect::ElfMember& library : facts.libraries) {
    for (const binary::Symbol& symbol : library.elf.defined) own.insert(symbol.name);
  }
  PythonNeeds needs;
  for (const inspect::ElfMember& library : facts.libraries) {
    std::vector<std::string> symbols = inspect::python_symbols(library.elf);
    std::erase_if(symbols, [&own](const std::string& name) { return own.contains(name); });
    if (symbols.empty()) continue;
    ++needs.libraries;
    if (needs.example.empty())
      needs.example = fmt::format("{} of {}", quoted(symbols[0]), quoted(library.name));
    for (const std::string& symbol : symbols) {
      const std::optional<int> since = inspect::stable_since(symbol);
      needs.beyond_stable = needs.beyond_stable || !since;
      needs.stable_since = std::max(needs.stable_since, since.value_or(0));
    }
  }
  return needs;
}

std::string libraries_text(size_t count) {
  return count == 1 ? "its library uses" : fmt::format("its {} libraries use", count);
}

/// The ABI that the binaries would allow beyond a wheel for one Python.
std::optional<WiderAbi> wider_than_version(const inspect::WheelFacts& facts, int oldest) {
  const PythonNeeds needs = python_needs(facts);
  if (needs.libraries == 0) {
    return WiderAbi{"none", facts.libraries.empty() ? "it has no libraries"
                                                    : "its libraries use no symbol of CPython"};
  }
  if (needs.beyond_stable) return std::nullopt;
  const int since = std::max(needs.stable_since, oldest);
  return WiderAbi{fmt::format("limited(3.{})", since),
                  fmt::format("{} only symbols of the Stable ABI of 3.{}",
                              libraries_text(needs.libraries), since)};
}

Result<ProvenAbi> prove_limited(const inspect::WheelFacts& facts, const std::string& claimed) {
  TRY(const std::vector<inspect::Finding> findings, inspect::check(facts, {}, {"python-abi"}));
  if (!findings.empty()) {
    const inspect::Finding& first = findings.front();
    return fail(ErrorKind::check,
                fmt::format("{} says `abi3`, but {} {}: {}", quoted(facts.file_name),
                            quoted(first.file), first.message, first.evidence),
                first.hint);
  }
  const PythonNeeds needs = python_needs(facts);
  return ProvenAbi{
      claimed, fmt::format("{} only symbols of that Stable ABI", libraries_text(needs.libraries))};
}

Result<ProvenAbi> prove_none(const inspect::WheelFacts& facts) {
  const PythonNeeds needs = python_needs(facts);
  if (needs.beyond_stable) {
    return fail(
        ErrorKind::check,
        fmt::format("{} is for every Python, but uses {}", quoted(facts.file_name), needs.example),
        "name its module for one Python: most backends do so for extension modules");
  }
  if (facts.libraries.empty()) return ProvenAbi{"none", "no libraries in it"};
  return ProvenAbi{"none", needs.libraries == 0 ? "its libraries use no symbol of CPython"
                                                : "its libraries use only the Stable ABI"};
}

}  // namespace

Result<ProvenAbi> prove_python_abi(const inspect::WheelFacts& facts, const std::string& claimed,
                                   int oldest) {
  if (claimed == "none") return prove_none(facts);
  if (claimed != "version") return prove_limited(facts, claimed);
  const PythonNeeds needs = python_needs(facts);
  ProvenAbi proven{"version", "its tags are for one Python", wider_than_version(facts, oldest)};
  if (!proven.wider) proven.because = fmt::format("it takes {}", needs.example);
  return proven;
}

ProvenAbi prove_torch_abi(const TorchVerdicts& torch) {
  switch (torch.use) {
    case TorchUse::none:
      return {"none", "its libraries use no symbol of torch"};
    case TorchUse::stable:
      if (!torch.minimum) break;
      return {fmt::format("stable({})", pep::to_string(minor_of(*torch.minimum))),
              "it calls only torch's stable shims, which that release has"};
    case TorchUse::classic:
      break;
  }
  return {"minor", "it calls libtorch's C++"};
}

}  // namespace pinwheel::compat
