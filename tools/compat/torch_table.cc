#include "compat/torch_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace pinwheel::compat {
namespace {

/// The other libraries that export a symbol, as indexes into the loaded libraries.
using Others = std::unordered_map<std::string, std::vector<size_t>>;

}  // namespace

bool is_plain(const exports::Build& build) {
  return build.version.find('+') == std::string::npos;
}

pep::Version release_of(const exports::Build& build) {
  const Result<pep::Version> version = pep::parse_version(build.version);
  return version ? pep::public_part(*version) : pep::Version{0, {0}};
}

std::string to_string(const SymbolHistory& history) {
  if (!history.first) return "in no known release of torch";
  if (history.gone) {
    return fmt::format("until {}, gone in {}", pep::to_string(*history.last),
                       pep::to_string(*history.gone));
  }
  if (history.since_oldest) return "in every known release";
  return "since " + pep::to_string(*history.first);
}

std::vector<uint32_t> TorchTable::builds() const {
  std::vector<uint32_t> out;
  for (uint32_t i = 0; i < table_.builds().size(); ++i) {
    if (table_.builds()[i].arch == arch_) out.push_back(i);
  }
  return out;
}

std::vector<std::string> TorchTable::pythons(uint32_t build) const {
  std::vector<std::string> out;
  for (const exports::Record& record : table_.libraries()) {
    if (record.build == build && record.soname == exports::kPythonLibrary)
      out.push_back(record.python);
  }
  return out;
}

std::span<const uint32_t> TorchTable::exporters(const std::string& symbol) {
  const auto known = found_.find(symbol);
  if (known != found_.end()) return known->second;
  return found_.emplace(symbol, table_.exporters(symbol)).first->second;
}

inspect::LoadedLibraries TorchTable::loaded_libraries(uint32_t build, const std::string& python,
                                                      const std::vector<CompanionLibrary>& others) {
  inspect::LoadedLibraries out;
  std::map<uint32_t, size_t> local;
  for (uint32_t i = 0; i < table_.libraries().size(); ++i) {
    const exports::Record& record = table_.libraries()[i];
    if (record.build != build || (!record.python.empty() && record.python != python)) continue;
    local.emplace(i, out.libraries.size());
    out.libraries.push_back({record.soname, record.needed});
  }
  Others given;
  for (const CompanionLibrary& other : others) {
    for (const std::string& symbol : other.exports) given[symbol].push_back(out.libraries.size());
    out.libraries.push_back({other.soname, other.needed});
  }
  out.exporters = [this, local = std::move(local),
                   given = std::move(given)](const std::string& symbol) {
    std::vector<size_t> found;
    for (const uint32_t record : exporters(symbol)) {
      const auto here = local.find(record);
      if (here != local.end()) found.push_back(here->second);
    }
    const auto other = given.find(symbol);
    if (other != given.end()) found.insert(found.end(), other->second.begin(), other->second.end());
    return found;
  };
  return out;
}

const std::vector<pep::Version>& TorchTable::releases() {
  if (!releases_.empty()) return releases_;
  for (const uint32_t build : builds()) {
    pep::Version release = release_of(table_.builds()[build]);
    if (releases_.empty() || releases_.back() != release) releases_.push_back(std::move(release));
  }
  return releases_;
}

SymbolHistory TorchTable::history(const std::string& symbol) {
  SymbolHistory out;
  for (const uint32_t record : exporters(symbol)) {
    const exports::Build& build = table_.builds()[table_.libraries()[record].build];
    if (build.arch != arch_) continue;
    const pep::Version release = release_of(build);
    if (!out.first || release < *out.first) out.first = release;
    if (!out.last || *out.last < release) out.last = release;
  }
  if (!out.first) return out;
  out.since_oldest = *out.first == releases().front();
  const auto next = std::upper_bound(releases().begin(), releases().end(), *out.last);
  if (next != releases().end()) out.gone = *next;
  return out;
}

}  // namespace pinwheel::compat
