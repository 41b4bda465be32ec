#pragma once
#include <filesystem>
#include <string>
#include <utility>

#include "base/limits.h"
#include "base/text.h"
#include "ports/files.h"

namespace pinwheel::ports {

/// The contents of an input file, of which no more than the limit is read if it is a regular file.
/// Kind `config` for a larger one.
inline Result<std::string> read_within(Files& files, const std::filesystem::path& path,
                                       const ByteLimit& limit) {
  const auto check = [&](uint64_t size) -> Done {
    Done fits = check_size(quoted(path.string()), size, limit);
    if (!fits) fits.error().kind = ErrorKind::config;
    return fits;
  };
  TRY(const FileStatus status, files.status(path));
  if (status.type == FileType::regular) TRY_DONE(check(status.size));
  TRY(std::string text, files.read(path));
  TRY_DONE(check(text.size()));
  return text;
}

}  // namespace pinwheel::ports
