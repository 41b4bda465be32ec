#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/result.h"
#include "host/steps/build_inputs.h"
#include "host/steps/build_site.h"
#include "host/steps/step_context.h"
#include "plan/checkpoint.h"
#include "run/checkpoints.h"

namespace pinwheel::host {

/// Saves and restores the state of one build (plan/checkpoint.h says which files). A running build
/// is not paused: the log of ninja is read first, and the outputs of the commands in it do not
/// change any more.
///
/// The attempt's log says what happens. For one thread at a time.
class BuildCheckpoint {
 public:
  /// `key`: digest of the build's inputs. `variables`: those of its command, which may name
  /// compiler caches below its root. The source of the site must be as it was exported.
  BuildCheckpoint(const StepContext& context, const BuildSite& site, std::string key,
                  const std::map<std::string, std::string>& variables);

  /// Restores the newest checkpoint with the key; does nothing if there is none, or if it is
  /// refused. An error means that the checkpoint may be usable, but did not arrive: a place that
  /// may have its files did not respond (kind `transient`), this machine could not write them
  /// (`environment`), or the run was stopped (`interrupted`). The source may be incomplete then.
  Done resume();
  /// To be called when the source has been exported again: nothing is restored.
  void start_again();

  /// Saves the current state, if it differs from the last checkpoint. `check` with the reason if
  /// that is not possible.
  Done save();
  /// Removes the build's checkpoints, because the build failed after it was restored.
  void forget();

  bool resumed() const { return resumed_commands_ > 0; }
  uint64_t number() const { return number_; }  ///< of the restored or last saved one; 0: none
  /// Outputs of finished commands in the restored checkpoint, and in the last one.
  size_t resumed_commands() const { return resumed_commands_; }
  size_t saved_commands() const { return saved_commands_; }
  /// The time that earlier runs spent on the restored checkpoint; 0: nothing was restored.
  std::chrono::milliseconds earlier() const { return earlier_; }
  /// Why the checkpoint was refused, if the cause is the path: another path is refused as well.
  const std::optional<Error>& refusal() const { return refusal_; }

 private:
  /// What identifies an entry of the build's tree, from `lstat`: a link and not its target, without
  /// the ctime, because a new mode or a hard link changes no contents.
  struct FileState {
    uint64_t device = 0;
    uint64_t inode = 0;
    int64_t mtime = 0;
    uint64_t size = 0;

    bool operator==(const FileState&) const = default;
  };
  /// A made file as it was found.
  struct Found {
    plan::MadeFile made;
    FileState state;
    uint32_t mode = 0;
  };
  enum class Added { yes, changed };

  std::filesystem::path real(const std::string& path) const;
  /// The time that all runs have spent on the build.
  std::chrono::milliseconds spent() const;
  static Result<FileState> state_of(const std::filesystem::path& path);
  void record_source();
  std::vector<Found> made_files() const;
  Result<std::vector<plan::NinjaDirectory>> ninja_directories() const;
  /// Reads a file that the `build.ninja` of a directory includes.
  Result<std::string> included_text(const plan::NinjaDirectory& directory,
                                    const std::string& name) const;
  Result<plan::Checkpoint> snapshot(run::CheckpointFiles& files);
  /// Adds a file, unless it has changed since it was found.
  Result<Added> add_file(const Found& found, plan::Checkpoint& checkpoint,
                         run::CheckpointFiles& files);
  /// Adds a log of ninja as it was read, without what ninja has written since.
  Done add_log(const Found& found, const std::string& text, plan::Checkpoint& checkpoint,
               run::CheckpointFiles& files) const;
  Result<std::string> digest_of(const std::filesystem::path& path, const FileState& state);
  Done check_usable(const plan::Checkpoint& checkpoint);
  Done fetch_files(const plan::Checkpoint& checkpoint);
  /// Returns a time after those of all files.
  Result<int64_t> place_files(const plan::Checkpoint& checkpoint) const;
  Done place(const plan::SavedFile& file) const;
  Done set_status(const plan::SavedFile& file, int64_t time) const;

  const StepContext& context_;
  const std::string key_;
  const std::string root_;                 ///< as the build sees it
  const std::vector<std::string> caches_;  ///< relative to the root
  BuildInputs inputs_;
  const std::filesystem::path scratch_;           ///< for its own files
  std::map<std::string, FileState> source_ = {};  ///< by path, before the build
  std::map<std::filesystem::path, std::pair<FileState, std::string>> digests_ = {};
  uint64_t number_ = 0;
  std::string saved_text_ = {};  ///< of the last saved one, without the time
  int64_t restored_ = 0;  ///< a time after those of all restored files; 0: nothing was restored
  std::chrono::steady_clock::time_point begun_ = {};  ///< when this run began to build
  std::chrono::milliseconds earlier_{0};
  size_t resumed_commands_ = 0;
  size_t saved_commands_ = 0;
  std::optional<Error> refusal_ = std::nullopt;
};

/// Saves a running build from time to time, on a separate thread, as long as this object exists. If
/// a checkpoint cannot be saved, the log says so.
class PeriodicSaves {
 public:
  PeriodicSaves(BuildCheckpoint& checkpoint, const StepContext& context,
                std::chrono::milliseconds every);

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread thread_;  ///< last: it uses the others
};

}  // namespace pinwheel::host
