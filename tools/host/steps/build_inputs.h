#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/machine/fixed_path.h"
#include "plan/checkpoint.h"

namespace pinwheel::host {

/// The machine of a build: its files may differ from those of another machine, or they are those of
/// an image, which is in the build's key.
enum class BuildMachine { host, image };

/// The files outside the source that commands of one build read, by their digests. A digest is
/// computed once, and again only if the file's inode, size or times have changed.
///
/// Paths are as the build sees them: relative to its root if they are below it, else absolute.
class BuildInputs {
 public:
  /// By path; empty: there is no such regular file.
  using Digests = std::map<std::string, std::string>;

  /// `space` must outlive this. `variables`: those of the build's command.
  BuildInputs(const BuildSpace& space, const std::map<std::string, std::string>& variables,
              BuildMachine machine);

  /// The digests of what the finished commands have read: recorded and declared inputs, the
  /// libraries of `-l`, and on a host the compilers, the linker and the C and C++ libraries.
  /// `check` if a file has changed since its digest was first computed: it is unknown which
  /// commands have read which bytes. `interrupted` after a stop request.
  Result<Digests> digests(const plan::CompleteFiles& complete, const std::stop_token& stop);

  /// `check`, with the file, if a file differs from these digests, or if a build on this machine
  /// would use a compiler or a library of which they say nothing. `interrupted` after a stop
  /// request.
  Done compare(const Digests& expected, const std::stop_token& stop);

  /// Forgets the digests: no command has read a file yet.
  void start_again() { digests_.clear(); }

 private:
  /// What identifies the contents at a path, from `stat`: the target of a link, with the ctime,
  /// which changes even if a new file gets the mtime of an old one.
  struct Identity {
    uint64_t device = 0;
    uint64_t inode = 0;
    uint64_t size = 0;
    int64_t mtime = 0;
    int64_t ctime = 0;

    bool operator==(const Identity&) const = default;
  };
  struct Digested {
    std::optional<Identity> identity;  ///< none: there is no such regular file
    std::string sha256 = {};
  };

  static std::optional<Identity> identity_of(const std::filesystem::path& file);
  std::filesystem::path real(const std::string& path) const;
  bool is_mounted(const std::string& path) const;
  Result<std::string> digest_of(const std::string& path);
  /// Adds the files that a linker would find for `-lNAME`.
  void add_library(const std::string& name, const std::vector<std::string>& directories,
                   std::set<std::string>& paths) const;

  const BuildSpace& space_;
  const BuildMachine machine_;
  /// Before the usual ones; absolute.
  const std::vector<std::string> library_directories_;
  /// Compilers, linkers and libraries that every command may use. None in an image.
  const std::vector<std::string> always_;
  std::map<std::string, Digested> digests_ = {};
};

}  // namespace pinwheel::host
