#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"

namespace pinwheel::run {

/// The files of a checkpoint, by sha256 (hex).
using CheckpointFiles = std::map<std::string, std::filesystem::path>;

/// A checkpoint of a build as it is stored: a text that lists its files, and their contents.
struct CheckpointRecord {
  std::string step = {};
  std::string key = {};                 ///< of the build's inputs (hex)
  std::filesystem::path manifest = {};  ///< the file with the text
};

/// The checkpoints of builds that did not finish. For any thread.
class Checkpoints {
 public:
  Checkpoints() = default;
  virtual ~Checkpoints() = default;
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;

  /// The newest complete checkpoint with a key: writes its text to the file `manifest` and returns
  /// its number; nullopt if there is none. Errors of the text: those of `fetch`.
  virtual Result<std::optional<uint64_t>> find(const std::string& step, const std::string& key,
                                               const std::filesystem::path& manifest) = 0;
  /// Writes the file with this digest to `target`, completely or not at all, after a check of its
  /// bytes; after `find`. `check` if no place has the file with these bytes, `transient` if a place
  /// that may have it did not respond, `environment` if `target` cannot be written.
  virtual Done fetch(const std::string& sha256, uint64_t size,
                     const std::filesystem::path& target) = 0;
  /// Stores a checkpoint, complete when it returns: the files that are missing first, then the
  /// text. Returns its number, which is higher than that of every earlier one.
  virtual Result<uint64_t> save(const CheckpointRecord& record, const CheckpointFiles& files) = 0;
  /// To be called when nobody needs the checkpoints with this key any more.
  virtual void forget(const std::string& step, const std::string& key) = 0;
};

}  // namespace pinwheel::run
