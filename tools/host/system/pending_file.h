#pragma once
#include <filesystem>
#include <string_view>

#include "base/result.h"
#include "host/system/unique_fd.h"

namespace pinwheel::host {

/// A file beside its final place, `.NAME.PID`, renamed into it only when it is whole. It holds a
/// lock as long as it is open, so that a leftover is known from a file that is being written.
class PendingFile {
 public:
  explicit PendingFile(std::filesystem::path target);
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  /// Errors, of kind `environment`, name the target.
  Done write(std::string_view bytes);
  /// Makes the file durable and gives it its name.
  Done keep();

 private:
  tl::unexpected<Error> unwritable(int number) const;

  std::filesystem::path target_;
  std::filesystem::path temporary_;
  UniqueFd fd_;
  int open_error_ = 0;  ///< errno of the opening, or 0
  bool kept_ = false;
};

/// Removes the pending wheels and sdists that killed runs left in a directory: those that no
/// process holds a lock on and whose process id is of nobody here. A directory that cannot be read
/// is left as it is.
void remove_leftovers(const std::filesystem::path& directory);

}  // namespace pinwheel::host
