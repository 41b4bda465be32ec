#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exports/table.h"

namespace pinwheel::exports {

inline Library made_library(std::string soname, const std::vector<std::string>& names,
                            std::string python = {}) {
  Library library{std::move(soname), std::move(python)};
  for (const std::string& name : names) library.symbols.push_back(symbol_hash(name));
  return library;
}

/// "2.9.0/x86_64/libc10.so/" for each library that exports the symbol; after the last `/` stands
/// the Python tag.
inline std::vector<std::string> exporters(const Table& table, std::string_view name) {
  std::vector<std::string> out;
  for (const uint32_t index : table.exporters(name)) {
    const Record& record = table.libraries()[index];
    const Build& build = table.builds()[record.build];
    out.push_back(build.version + "/" + build.arch + "/" + record.soname + "/" + record.python);
  }
  return out;
}

}  // namespace pinwheel::exports
