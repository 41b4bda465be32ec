#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace pinwheel::store {

/// A wheel of a step that has the code of another wheel of the step, under another name or version.
/// Both were compared: what is not named here is identical, byte by byte.
struct DerivedFile {
  std::string file;                         ///< its name
  std::string source;                       ///< the name of the wheel whose code it has
  uint64_t identical = 0;                   ///< number of files in the archives with equal contents
  std::vector<std::string> rewritten = {};  ///< files of dist-info that state name, version or tags
  std::vector<std::string> added = {};      ///< such files that only the wheel itself has
  std::vector<std::string> dropped = {};    ///< such files that only the source has

  bool operator==(const DerivedFile&) const = default;
};

/// "`b.whl` has the code of `a.whl`: 3 files identical, 2 rewritten".
std::string derivation_line(const DerivedFile& derived);

/// As a JSON object: `file`, `source`, `code` ("identical"), `identical`, `rewritten`, `added`,
/// `dropped`.
nlohmann::ordered_json derived_object(const DerivedFile& derived);
/// The inverse; unknown members are ignored. Throws as nlohmann's accessors do, and
/// `std::invalid_argument` if the code is not identical.
DerivedFile derived_from(const nlohmann::json& json);

}  // namespace pinwheel::store
