#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "plan/ninja_manifest.h"
#include "plan/ninja_state.h"

// Checkpoints of builds
//
// A checkpoint contains the files of a build that did not finish, so that the next run of the same
// step continues there. The wheel must have the same bytes as that of an uninterrupted build.
// So a checkpoint contains only files that are provably complete, and the build command runs again
// in full: the project's backend finds the files, and makes the others.
//
// Ninja records each command that finished, and runs each command that it has not recorded, even if
// the command's output exists. So the outputs that a log of ninja lists are complete, except those
// that changed after their command ended: it runs again, or another command changes them. Files
// that the backend wrote before it started ninja are complete as well: configured headers,
// generated sources. Everything else may be the partial output of a killed program, and is left
// out.
//
// - In a directory of ninja, a file of neither kind is an output of a command that has not
//   finished, or ninja does not know it. In the second case, a finished command may have made it,
//   and ninja would not make it again. Such a build has no checkpoint.
// - A compiler cache below the build's root consists of complete files, because compilers of other
//   builds read it at any time.
// - Outside of these directories, such files were made by the backend, which makes them again. The
//   same applies to every program and library there: a linker may have been killed, and backends
//   compare only times. But the backend waits while ninja runs. If a file was made during that time
//   and ninja does not know it, a finished command may have made it (a library that a command
//   copies to the package), and such a build has no checkpoint either.
//
// Backends compare times of files, and the environment of the next run is newer than the files of
// the checkpoint. So the files get new times, all of them newer than the environment, in the same
// order; ninja's records of times are changed in the same way. That hides changed inputs, so a
// checkpoint has the digests of all files outside the source that finished commands have read: the
// headers that compilers recorded, the inputs that `build.ninja` and the files that it includes
// declare, and the libraries that `-l` finds. It is refused if one of them differs.
namespace pinwheel::plan {

enum class SavedKind { file, directory, link };

/// A file of a build, relative to its root (`src/build/a.o`).
struct SavedFile {
  std::string path = {};
  SavedKind kind = SavedKind::file;
  uint32_t mode = 0;        ///< permissions
  int64_t mtime = 0;        ///< nanoseconds since 1970
  uint64_t size = 0;        ///< of a file
  std::string sha256 = {};  ///< of a file, hex
  std::string target = {};  ///< of a link

  bool operator==(const SavedFile&) const = default;
};

struct Checkpoint {
  uint64_t commands = 0;  ///< how many files are outputs of finished commands
  std::string key = {};   ///< digest of the build's inputs
  std::string root = {};  ///< the root, as the build sees it: absolute paths are in the files
  std::vector<SavedFile> files = {};  ///< in order of paths, so a directory is before its files
  /// Path, as the build sees it -> sha256, of the files outside the source that finished commands
  /// have read.
  std::map<std::string, std::string> inputs = {};
  /// By all runs of the build that led to it.
  std::chrono::milliseconds spent{0};

  bool operator==(const Checkpoint&) const = default;
};

/// JSON, schema `pinwheel-checkpoint/2`.
std::string to_json(const Checkpoint& checkpoint);

/// The inverse of `to_json`. `check` for any other text, also that of another version, which lacks
/// inputs; and if a path leaves the source, or the checkpoint lacks the directory of a file.
Result<Checkpoint> parse_checkpoint(std::string_view text);

/// A file that was found below the root of a build, besides those of the source itself.
struct MadeFile {
  std::string path = {};  ///< relative to the root
  SavedKind kind = SavedKind::file;
  int64_t mtime = 0;
  bool compiled = false;  ///< an object, a library, a program or an archive of them
  int64_t changed = 0;    ///< when its status changed: a copy may have the old `mtime`
};

/// A directory in which ninja has run.
struct NinjaDirectory {
  std::string path = {};  ///< relative to the root
  std::string log = {};
  std::string deps = {};  ///< may be empty
  NinjaManifest manifest = {};
  int64_t log_mtime = 0;       ///< as it was before the log was read
  int64_t manifest_mtime = 0;  ///< of `build.ninja`
};

/// The complete files of a build.
struct CompleteFiles {
  std::vector<size_t> files = {};  ///< indices of made files
  size_t commands = 0;             ///< how many of them are outputs of finished commands
  /// Read by finished commands, as their compilers recorded; relative to the root, or absolute.
  std::set<std::string> inputs = {};
  /// What finished commands read according to `build.ninja`; only absolute paths outside the root.
  /// Below the root are the source, packages, and files that this build makes again.
  NinjaReads declared = {};
};

/// The directories of a build.
struct BuildDirectories {
  std::string root = {};  ///< as the build sees it
  std::vector<NinjaDirectory> ninja = {};
  std::vector<std::string> caches = {};  ///< of compiler caches, relative to the root
  /// A time after the times of all restored files: earlier records in a log are those of an earlier
  /// ninja. 0: nothing was restored.
  int64_t restored = 0;
};

/// A path that ninja names in a directory, relative to the root; absolute if it is outside.
std::string below_root(const NinjaDirectory& directory, const std::string& name,
                       const std::string& root);

/// Whether a path is in one of these directories.
bool is_in_any(const std::string& path, const std::vector<std::string>& directories);

/// Chooses the complete files. `check` with the reason if the build cannot have a checkpoint, or no
/// command has finished since it began or continued.
Result<CompleteFiles> complete_files(const std::vector<MadeFile>& made,
                                     const BuildDirectories& directories);

/// The times of files in a checkpoint, in the same order, one microsecond apart, from `first` on.
class OrderedTimes {
 public:
  OrderedTimes(const Checkpoint& checkpoint, const std::vector<NinjaDirectory>& directories,
               int64_t first);

  /// The new time for the last known time that is not later than `time`.
  int64_t operator()(int64_t time) const;
  int64_t last() const;

 private:
  std::vector<int64_t> times_;  ///< sorted, without duplicates
  int64_t first_;
};

}  // namespace pinwheel::plan
