#pragma once
#include <filesystem>
#include <string_view>

#include "base/result.h"
#include "host/system/unique_fd.h"

namespace pinwheel::host {

/// An unnamed file: it disappears with its descriptor when the process ends for any reason.
class UnnamedFile {
 public:
  explicit UnnamedFile(std::filesystem::path directory);

  /// After a failure nothing more is written; `written` returns the error.
  void write(std::string_view bytes);
  Done written() const;
  UniqueFd& descriptor() { return fd_; }

 private:
  std::filesystem::path directory_;
  UniqueFd fd_;
  int errno_ = 0;
};

}  // namespace pinwheel::host
