#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/store/store.h"
#include "run/checkpoints.h"

namespace pinwheel::host {

/// Opens the places of a store.
using OpenStore = std::function<Result<std::shared_ptr<Store>>()>;

/// Checkpoints in a store, which is opened again for each of them: a run may take days, and an open
/// store no longer uses a place that has failed several times. The newest checkpoint with a
/// key replaces the others at one address, and `store gc` removes the files that only they had. A
/// finished build leaves an entry without files there. An entry lists a limited number of files, so
/// further entries, written before it, list the rest.
///
/// A run that could not read a checkpoint, because its place did not respond, or that started
/// before another run saved it, does not replace it by one with fewer files.
class StoredCheckpoints final : public run::Checkpoints {
 public:
  explicit StoredCheckpoints(OpenStore open) : open_(std::move(open)) {}

  Result<std::optional<uint64_t>> find(const std::string& step, const std::string& key,
                                       const std::filesystem::path& manifest) override;
  Done fetch(const std::string& sha256, uint64_t size,
             const std::filesystem::path& target) override;
  Result<uint64_t> save(const run::CheckpointRecord& record,
                        const run::CheckpointFiles& files) override;
  void forget(const std::string& step, const std::string& key) override;

  /// Warnings of the places since the last call.
  std::vector<Error> warnings();

 private:
  using Files = std::map<std::string, std::filesystem::path>;

  /// The entry of a part, if it belongs to a checkpoint. Part 0 has the text.
  static std::optional<FoundEntry> part(Store& store, const std::string& step,
                                        const std::string& key, size_t number);
  /// Writes an entry with a higher number than the existing entry, and returns the number.
  Result<uint64_t> write(Store& store, store::Entry entry, const Files& files);
  /// `check` if there is a checkpoint with more files than this many, which this run has neither
  /// read nor saved.
  Done check_newest(Store& store, const run::CheckpointRecord& record, size_t files);
  void note(std::vector<Error> faults);

  const OpenStore open_;
  std::mutex mutex_;
  std::shared_ptr<Store> read_ = {};  ///< where the last checkpoint was found
  /// By key, the number of the newest one that this run has read or saved.
  std::map<std::string, int64_t> known_ = {};
  std::vector<Error> warnings_ = {};
  std::optional<Error> last_fault_ = std::nullopt;
};

/// A store of checkpoints only, in a directory.
std::shared_ptr<Store> checkpoints_directory(const std::filesystem::path& directory,
                                             store::Domain domain);

}  // namespace pinwheel::host
