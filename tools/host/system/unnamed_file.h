#pragma once
#include <filesystem>
#include <string_view>

#include "base/result.h"
#include "host/system/unique_fd.h"

namespace pinwheel::host {

/// A file without a name: it goes with its descriptor, however the process ends.
class UnnamedFile {
 public:
  explicit UnnamedFile(std::filesystem::path directory);

  /// After a failure nothing is written any more; `written` tells it.
  void write(std::string_view bytes);
  Done written() const;
  UniqueFd& descriptor() { return fd_; }

 private:
  std::filesystem::path directory_;
  UniqueFd fd_;
  int errno_ = 0;
};

}  // namespace pinwheel::host
