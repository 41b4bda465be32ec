#include "host/store/blob_copy.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <random>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "host/store/regular_file.h"
#include "host/system/atomic_write.h"
#include "host/system/system_error.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

fs::path directory_of_blob(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// Next to the target, with an unused name.
fs::path unused_name(const fs::path& target) {
  std::random_device random;
  return directory_of_blob(target) /
         fmt::format(".{}.{:08x}{:08x}", target.filename().string(), random(), random());
}

/// Whether there is no room for a file of that size below a directory. The superuser may use all of
/// it.
bool lacks_room(const fs::path& directory, uint64_t bytes) {
  std::error_code code;
  const fs::space_info space = fs::space(directory, code);
  return !code && (::geteuid() == 0 ? space.free : space.available) < bytes;
}

/// The errors that closing a file would report: a network file system may only then report that it
/// is full. 0 or an errno value.
int flush_to_server(int fd) {
  const int other = ::dup(fd);
  if (other < 0) return errno;
  return ::close(other) == 0 ? 0 : errno;
}

}  // namespace

tl::unexpected<PlaceFault> system_fault(std::string_view participle, const fs::path& path,
                                        int number) {
  const bool full = number == ENOSPC || number == EDQUOT;
  const bool refused = number == EACCES || number == EPERM || number == EROFS;
  FaultKind kind = full ? FaultKind::full : FaultKind::unreachable;
  if (refused) kind = FaultKind::refused;
  return fault(kind, system_error(participle, path, number));
}

BlobFile::BlobFile(fs::path target, store::Blob blob, BlobFileOptions options)
    : target_(std::move(target)), blob_(std::move(blob)), options_(options) {
  open();
}

BlobFile::~BlobFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void BlobFile::open() {
  fd_ = UniqueFd(::open(directory_of_blob(target_).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC,
                        S_IRUSR | S_IWUSR));
  if (fd_.valid()) return;
  std::string name =
      (directory_of_blob(target_) / fmt::format(".{}.XXXXXX", target_.filename().string()))
          .string();
  fd_ = UniqueFd(::mkostemp(name.data(), O_CLOEXEC));
  if (fd_.valid()) {
    temporary_ = name;
  } else {
    error_ = errno;
  }
}

void BlobFile::restart() {
  hash_ = Sha256();
  size_ = 0;
  if (error_ == 0 && (::ftruncate(fd_.get(), 0) != 0 || ::lseek(fd_.get(), 0, SEEK_SET) != 0)) {
    error_ = errno;
  }
}

void BlobFile::write(std::string_view bytes) {
  // A longer file is another blob, and must not fill the disk.
  const bool fits = size_ <= blob_.size && bytes.size() <= blob_.size - size_;
  if (size_ == 0 && error_ == 0 && lacks_room(directory_of_blob(target_), blob_.size)) {
    error_ = ENOSPC;
  }
  size_ += bytes.size();
  if (error_ != 0 || !fits) return;
  hash_.update(bytes);
  error_ = write_all(fd_.get(), bytes);
}

Done BlobFile::written() const {
  if (error_ == 0) return {};
  return fail(unwritable(error_).value().error);
}

bool BlobFile::clone(int source) {
  if (error_ != 0 || ::ioctl(fd_.get(), FICLONE, source) != 0) return false;
  const int number = read_pieces(fd_.get(), [&](std::string_view bytes) {
    hash_.update(bytes);
    size_ += bytes.size();
  });
  if (number != 0) error_ = number;
  return true;
}

PlaceDone BlobFile::finish() {
  if (error_ != 0) return unwritable(error_);
  if (size_ != blob_.size) {
    return wrong_bytes(blob_.sha256, fmt::format("has {} bytes instead of {}", size_, blob_.size));
  }
  if (const std::string found = to_hex(hash_.finish()); found != blob_.sha256) {
    return wrong_bytes(blob_.sha256, fmt::format("has the sha256 {}", found));
  }
  if (::fchmod(fd_.get(), options_.mode) != 0) return unwritable(errno);
  if (const int number = make_durable(); number != 0) return unwritable(number);
  if (PlaceDone named = take_name(); !named) return named;
  if (options_.durable != Durable::yes) return {};
  if (Done synced = sync_directory(directory_of_blob(target_)); !synced) {
    return fault(FaultKind::unreachable, std::move(synced).error());
  }
  return {};
}

int BlobFile::make_durable() const {
  switch (options_.durable) {
    case Durable::no:
      return 0;
    case Durable::written:
      return flush_to_server(fd_.get());
    case Durable::yes:
      return ::fsync(fd_.get()) == 0 ? 0 : errno;
  }
  return 0;
}

PlaceDone BlobFile::take_name() {
  if (temporary_.empty()) {
    const std::string unnamed = fmt::format("/proc/self/fd/{}", fd_.get());
    const fs::path name = unused_name(target_);
    if (::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0) {
      return unwritable(errno);
    }
    temporary_ = name;
  }
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) return unwritable(errno);
  temporary_.clear();
  return {};
}

tl::unexpected<PlaceFault> BlobFile::unwritable(int number) const {
  return system_fault(fmt::format("written ({})", format_bytes(blob_.size)), target_, number);
}

int read_pieces(int fd, const std::function<void(std::string_view bytes)>& take) {
  constexpr size_t kPiece = 256UL << 10;
  std::string piece(kPiece, '\0');
  for (;;) {
    const ssize_t got = ::read(fd, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) return 0;
    take(std::string_view(piece).substr(0, static_cast<size_t>(got)));
  }
}

PlaceDone copy_blob(const fs::path& source, const fs::path& target, const store::Blob& blob,
                    const BlobFileOptions& options) {
  const PlaceResult<std::optional<UniqueFd>> from = open_regular(source);
  if (!from) return tl::unexpected(from.error());
  if (!*from) return system_fault("read", source, ENOENT);
  BlobFile file(target, blob, options);
  if (!file.clone((*from)->get())) {
    const int number =
        read_pieces((*from)->get(), [&file](std::string_view bytes) { file.write(bytes); });
    if (number != 0) return system_fault("read", source, number);
  }
  return file.finish();
}

}  // namespace pinwheel::host
