#pragma once
#include <filesystem>

#include "ports/files.h"

namespace pinwheel::host {

/// A directory that is removed in the destructor.
class ScratchDirectory {
 public:
  /// Creates it, with its parents.
  static Result<ScratchDirectory> make(ports::Files& files, std::filesystem::path path);
  ~ScratchDirectory();
  ScratchDirectory(ScratchDirectory&& other) noexcept;
  ScratchDirectory& operator=(ScratchDirectory&&) = delete;
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  ScratchDirectory(ports::Files& files, std::filesystem::path path);

  ports::Files* files_;
  std::filesystem::path path_;
};

}  // namespace pinwheel::host
