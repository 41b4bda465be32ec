#include "host/store/regular_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "host/store/blob_copy.h"

namespace pinwheel::host {

namespace fs = std::filesystem;

PlaceResult<std::optional<UniqueFd>> open_regular(const fs::path& path) {
  // A FIFO would otherwise wait for a writer.
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!fd.valid() && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  // A socket, or a device that does not exist.
  if (!fd.valid() && errno == ENXIO) return wrong_bytes(path.string(), "is no regular file");
  if (!fd.valid()) return system_fault("read", path, errno);
  struct stat status = {};
  if (::fstat(fd.get(), &status) != 0) return system_fault("read", path, errno);
  if (!S_ISREG(status.st_mode)) return wrong_bytes(path.string(), "is no regular file");
  return std::make_optional(std::move(fd));
}

PlaceResult<std::optional<std::string>> read_regular(const fs::path& path, uint64_t most) {
  PlaceResult<std::optional<UniqueFd>> fd = open_regular(path);
  if (!fd) return tl::unexpected(std::move(fd).error());
  if (!*fd) return std::nullopt;
  constexpr uint64_t kPiece = 256UL << 10;
  std::string bytes;
  for (;;) {
    // One byte more than the limit means that the file is too long.
    std::string piece(std::min(kPiece, most + 1 - bytes.size()), '\0');
    const ssize_t got = ::read((*fd)->get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_fault("read", path, errno);
    if (got == 0) return bytes;
    bytes.append(piece, 0, static_cast<size_t>(got));
    if (bytes.size() > most) {
      return wrong_bytes(path.string(), fmt::format("is larger than {}", format_bytes(most)));
    }
  }
}

PlaceResult<std::optional<RegularFile>> digest_regular(const fs::path& path) {
  PlaceResult<std::optional<UniqueFd>> fd = open_regular(path);
  if (!fd) return tl::unexpected(std::move(fd).error());
  if (!*fd) return std::nullopt;
  Sha256 hash;
  RegularFile file;
  const int number = read_pieces((*fd)->get(), [&](std::string_view bytes) {
    hash.update(bytes);
    file.size += bytes.size();
  });
  if (number != 0) return system_fault("read", path, number);
  file.sha256 = to_hex(hash.finish());
  return file;
}

}  // namespace pinwheel::host
