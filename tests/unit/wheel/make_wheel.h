#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "unit/catch.h"
#include "wheel/record.h"
#include "wheel/zip_writer.h"

namespace pinwheel::wheel {

using Contents = std::vector<std::pair<std::string, std::string>>;

/// A zip archive with these members, in order.
inline std::string make_zip(const Contents& members, int64_t epoch = 1700000000) {
  std::string bytes;
  ZipWriter writer(
      [&](std::string_view part) -> Done {
        bytes += part;
        return {};
      },
      epoch);
  for (const auto& [name, contents] : members) REQUIRE(writer.add(name, contents));
  REQUIRE(writer.finish());
  return bytes;
}

/// The members and a correct RECORD for them.
inline Contents with_record(Contents members, const std::string& record_path) {
  std::vector<RecordRow> rows;
  for (const auto& [name, contents] : members) {
    Sha256 hash;
    hash.update(contents);
    rows.push_back({name, "sha256", base64url(hash.finish()), contents.size()});
  }
  rows.push_back({record_path});
  members.emplace_back(record_path, to_string(rows));
  return members;
}

inline const std::string kBuiltName = "demo_kit-1.0-py3-none-linux_x86_64.whl";

/// A typical wheel of a backend for `kBuiltName`, without RECORD.
inline Contents built_members() {
  return {{"demo_kit-1.0.dist-info/METADATA",
           "Metadata-Version: 2.4\nName: demo-kit\nVersion: 1.0\nRequires-Dist: numpy\n"
           "Requires-Dist: torch\nRequires-Dist: torch; extra == \"x\"\n"
           "License-File: LICENSE\n\nLong text.\n"},
          {"demo_kit-1.0.dist-info/WHEEL",
           "Wheel-Version: 1.0\nGenerator: some 1\nRoot-Is-Purelib: false\n"
           "Tag: py3-none-linux_x86_64\n"},
          {"demo_kit-1.0.dist-info/licenses/LICENSE", "free\n"},
          {"demo_kit-1.0.data/scripts/run", "#!python\n"},
          {"demo_kit/b,c.py", "x = 1\n"},
          {"demo_kit/__init__.py", ""}};
}

inline std::string built_wheel() {
  return make_zip(with_record(built_members(), "demo_kit-1.0.dist-info/RECORD"));
}

}  // namespace pinwheel::wheel
