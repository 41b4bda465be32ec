#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "host/store/store.h"
#include "host/store/tree_place.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"

namespace pinwheel {

/// The blob of some bytes.
inline store::Blob blob_of(std::string_view bytes) {
  return {sha256_hex(bytes), bytes.size()};
}

/// A result of `build:cpu` with a file for each of the contents: "file-0", "file-1".
inline store::Entry entry_of(const std::string& key, const std::vector<std::string>& contents) {
  store::Entry result;
  result.step = "build:cpu";
  result.key = sha256_hex(key);
  for (const std::string& bytes : contents) {
    result.outputs.push_back({"file-" + std::to_string(result.outputs.size()), blob_of(bytes)});
  }
  result.writer.run = "r1";
  return result;
}

/// The files of such a result, written below a directory, by blob.
inline host::BlobFiles files_of(const Scratch& scratch, const std::vector<std::string>& contents) {
  host::BlobFiles files;
  for (const std::string& bytes : contents) {
    files[blob_of(bytes)] = scratch.write("made/" + sha256_hex(bytes), bytes);
  }
  return files;
}

inline std::unique_ptr<host::TreePlace> tree_at(
    const std::filesystem::path& root, store::PlaceAccess access = store::PlaceAccess::read_write,
    host::Sharing sharing = host::Sharing::shared) {
  return std::make_unique<host::TreePlace>(
      host::TreeOptions{"dir:" + root.filename().string(), root, access, sharing, {"r1"}});
}

}  // namespace pinwheel
