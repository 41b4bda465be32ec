#include "host/system/digest_file.h"

#include <unistd.h>

#include <cerrno>

#include "base/digest.h"
#include "host/system/open_regular.h"
#include "host/system/system_error.h"

namespace pinwheel::host {

Result<FileDigest> digest_file(const std::filesystem::path& path) {
  TRY(const UniqueFd fd, open_regular_file(path));
  Sha256 sha256;
  FileDigest digest;
  std::string piece(1 << 20, '\0');
  for (;;) {
    const ssize_t got = ::read(fd.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(system_error("read", path, errno));
    if (got == 0) break;
    sha256.update(std::string_view(piece.data(), static_cast<size_t>(got)));
    digest.size += static_cast<uint64_t>(got);
  }
  digest.sha256 = to_hex(sha256.finish());
  return digest;
}

}  // namespace pinwheel::host
