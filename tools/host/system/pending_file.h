#pragma once
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "base/result.h"
#include "host/system/unique_fd.h"

namespace pinwheel::host {

/// A temporary file `.NAME.PID` next to its target, renamed to it only when it is complete. It is
/// locked while open, which distinguishes a leftover from a file that is being written.
class PendingFile {
 public:
  explicit PendingFile(std::filesystem::path target);
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  /// Errors, of kind `environment`, name the target.
  Done write(std::string_view bytes);
  const std::filesystem::path& target() const { return target_; }
  /// The path of its bytes until then.
  const std::filesystem::path& temporary() const { return temporary_; }
  /// Makes the file durable and renames it to the target.
  Done commit();

 private:
  tl::unexpected<Error> unwritable(int number) const;

  std::filesystem::path target_;
  std::filesystem::path temporary_;
  UniqueFd fd_;
  int open_error_ = 0;  ///< errno from open, or 0
  bool committed_ = false;
};

/// Removes the pending wheels and sdists that killed runs left in a directory: those that are not
/// locked and whose process id is not in use. A directory that cannot be read is left unchanged.
void remove_leftovers(const std::filesystem::path& directory);

/// An unnamed file: it disappears with its descriptor when the process ends for any reason.
class UnnamedFile {
 public:
  explicit UnnamedFile(std::filesystem::path directory);

  /// After a failure nothing more is written; `written` returns the error.
  void write(std::string_view bytes);
  /// The same at an offset, which may be beyond the end.
  void write_at(uint64_t offset, std::string_view bytes);
  /// Changes the size; new bytes are zeros that take no space.
  Done resize(uint64_t size);
  Done written() const;
  UniqueFd& descriptor() { return fd_; }

 private:
  std::filesystem::path directory_;
  UniqueFd fd_;
  int errno_ = 0;
};

}  // namespace pinwheel::host
