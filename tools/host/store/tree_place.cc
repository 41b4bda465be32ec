#include "host/store/tree_place.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "host/store/blob_copy.h"
#include "host/store/regular_file.h"
#include "host/system/atomic_write.h"
#include "host/system/unique_fd.h"
#include "store/action_result.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kReadOnly = 0444;
/// This machine's entries survive a power loss. Writing to a directory that others read, a job's
/// artifact or a shared file system, does not wait for that: its readers compare each blob, and a
/// damaged one counts as missing.
BlobFileOptions blob_options(Sharing sharing) {
  return {sharing == Sharing::machine ? Durable::yes : Durable::written, kReadOnly};
}

/// The owner of a file may still change its mode, but nobody writes by mistake. The superuser
/// would.
bool nobody_writes(int fd) {
  struct stat status = {};
  if (::geteuid() == 0 || ::fstat(fd, &status) != 0) return false;
  return (status.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) == 0;
}

PlaceDone check_size_of(int fd, const store::Blob& blob) {
  struct stat status = {};
  if (::fstat(fd, &status) != 0) return system_fault("read", blob.sha256, errno);
  if (static_cast<uint64_t>(status.st_size) == blob.size) return {};
  return wrong_bytes(blob.sha256,
                     fmt::format("has {} bytes instead of {}", status.st_size, blob.size));
}

/// Whether a file could be the blob, without reading it; a missing one could.
PlaceDone check_candidate(const fs::path& path, const store::Blob& blob) {
  const PlaceResult<std::optional<UniqueFd>> fd = open_regular(path);
  if (!fd) return tl::unexpected(fd.error());
  return *fd ? check_size_of((*fd)->get(), blob) : PlaceDone();
}

/// Compares an open file with its blob.
PlaceDone check_file(int fd, const store::Blob& blob) {
  Sha256 hash;
  uint64_t size = 0;
  const int number = read_pieces(fd, [&](std::string_view bytes) {
    hash.update(bytes);
    size += bytes.size();
  });
  if (number != 0) return system_fault("read", blob.sha256, number);
  const std::string found = to_hex(hash.finish());
  if (size != blob.size || found != blob.sha256) {
    return wrong_bytes(blob.sha256, fmt::format("has the sha256 {}", found));
  }
  return {};
}

/// Whether `target` became another hard link to the file at `source`.
bool hard_link(const fs::path& source, const fs::path& target) {
  const fs::path temporary =
      target.parent_path() / fmt::format(".{}.{}.link", target.filename().string(), ::getpid());
  ::unlink(temporary.c_str());
  if (::link(source.c_str(), temporary.c_str()) != 0) return false;
  const bool done = ::rename(temporary.c_str(), target.c_str()) == 0;
  // A rename to another link of the same file leaves both.
  ::unlink(temporary.c_str());
  return done;
}

/// Marks a file as used now.
void touch(const fs::path& path) {
  static_cast<void>(::utimensat(AT_FDCWD, path.c_str(), nullptr, 0));
}

Error interrupted_store() {
  return {ErrorKind::interrupted, "the run was stopped while it waited for a store"};
}

PlaceFault fault_of(Error error) {
  return {FaultKind::unreachable, std::move(error)};
}

}  // namespace

TreePlace::TreePlace(TreeOptions options)
    : options_(std::move(options)), lease_(options_.root, options_.user) {}

fs::path TreePlace::blob_path(const store::Blob& blob) const {
  return options_.root / "cas" / blob.sha256;
}

bool TreePlace::has(const store::Blob& blob) const {
  struct stat status = {};
  const bool fits = ::stat(blob_path(blob).c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
                    static_cast<uint64_t>(status.st_size) == blob.size;
  if (!fits || options_.presence == Presence::size) return fits;
  const PlaceResult<std::optional<RegularFile>> file = digest_regular(blob_path(blob));
  return file && *file && (*file)->sha256 == blob.sha256;
}

PlaceResult<std::optional<store::Entry>> TreePlace::find(const store::Address& address) {
  const fs::path path = options_.root / "ac" / address.hex;
  std::error_code ignored;
  const bool read_only = options_.access == store::PlaceAccess::read_only;
  if (read_only || !fs::exists(path, ignored)) return look_at(path);
  // Until the lease is written, `gc` could remove the files of an existing entry.
  const TreeLock lock(options_.root, TreeLock::Kind::shared, options_.waiting, options_.cancel);
  if (lock.stopped()) return fault(FaultKind::stopped, interrupted_store());
  auto entry = look_at(path);
  if (!entry || !*entry) return entry;
  touch(path);
  lease_.hold(address);
  return entry;
}

PlaceResult<std::optional<store::Entry>> TreePlace::look_at(const fs::path& path) const {
  PlaceResult<std::optional<std::string>> action = read_regular(path, store::kMostRecordBytes);
  if (!action) return tl::unexpected(std::move(action).error());
  if (!*action) return std::nullopt;
  return record_of(**action);
}

PlaceResult<std::optional<store::Entry>> TreePlace::record_of(
    const std::string& action_text) const {
  const Result<store::ActionResult> action = store::parse_action_result(action_text);
  if (!action) return fault(FaultKind::wrong_bytes, action.error());
  for (const store::NamedBlob& output : action->outputs) {
    if (has(output.blob)) continue;
    // A missing file is a miss, but another file in its place is an error to report.
    PlaceDone candidate = check_candidate(blob_path(output.blob), output.blob);
    if (!candidate) return tl::unexpected(std::move(candidate).error());
    return std::nullopt;
  }
  PlaceResult<std::optional<std::string>> record =
      read_regular(blob_path(action->record), store::kMostRecordBytes);
  if (!record) return tl::unexpected(std::move(record).error());
  if (!*record) return std::nullopt;
  if (sha256_hex(**record) != action->record.sha256) {
    drop(action->record);
    return wrong_bytes(action->record.sha256, "is damaged");
  }
  Result<store::Entry> entry = store::parse_entry(**record);
  if (!entry) return fault(FaultKind::wrong_bytes, std::move(entry).error());
  return *std::move(entry);
}

PlaceResult<bool> TreePlace::fetch(const store::Blob& blob, const fs::path& target) {
  const fs::path source = blob_path(blob);
  const PlaceResult<std::optional<UniqueFd>> fd = open_regular(source);
  if (fd && !*fd) return false;
  PlaceDone done =
      fd ? fetch_from((*fd)->get(), blob, target) : PlaceDone(tl::unexpected(fd.error()));
  if (done) return true;
  if (done.error().kind == FaultKind::wrong_bytes) drop(blob);
  return tl::unexpected(std::move(done).error());
}

PlaceDone TreePlace::fetch_from(int fd, const store::Blob& blob, const fs::path& target) const {
  const fs::path source = blob_path(blob);
  // Reject a wrong size before reading.
  if (PlaceDone fits = check_size_of(fd, blob); !fits) return fits;
  BlobFile file(target, blob, {});
  if (file.clone(fd)) return file.finish();
  if (options_.sharing == Sharing::machine && nobody_writes(fd)) {
    if (PlaceDone same = check_file(fd, blob); !same) return same;
    if (hard_link(source, target)) return {};
    return copy_blob(source, target, blob, {});
  }
  const int number = read_pieces(fd, [&file](std::string_view piece) { file.write(piece); });
  if (number != 0) return system_fault("read", source, number);
  return file.finish();
}

void TreePlace::drop(const store::Blob& blob) const {
  if (options_.access == store::PlaceAccess::read_write) ::unlink(blob_path(blob).c_str());
}

PlaceDone TreePlace::make_directories() const {
  for (const char* name : {"ac", "cas"}) {
    std::error_code code;
    fs::create_directories(options_.root / name, code);
    if (code) return system_fault("created", options_.root / name, code.value());
  }
  return {};
}

PlaceDone TreePlace::put_blob(const store::Blob& blob, const fs::path& source) {
  if (has(blob)) {
    // Old blobs without an entry are removed: from now on this one is needed.
    touch(blob_path(blob));
    return {};
  }
  return copy_blob(source, blob_path(blob), blob, blob_options(options_.sharing));
}

PlaceDone TreePlace::put_bytes(const store::Blob& blob, const std::string& bytes) {
  if (has(blob)) {
    touch(blob_path(blob));
    return {};
  }
  BlobFile file(blob_path(blob), blob, blob_options(options_.sharing));
  file.write(bytes);
  return file.finish();
}

PlaceResult<PutOutcome> TreePlace::put(const std::vector<store::Address>& addresses,
                                       const store::Entry& entry, const BlobFiles& files) {
  if (PlaceDone made = make_directories(); !made) return tl::unexpected(std::move(made).error());
  const TreeLock lock(options_.root, TreeLock::Kind::shared, options_.waiting, options_.cancel);
  if (lock.stopped()) return fault(FaultKind::stopped, interrupted_store());
  const std::vector<AddressToWrite> lacking = addresses_to_write(*this, addresses, entry);
  if (lacking.empty()) return PutOutcome::present;
  for (const auto& [blob, path] : files) {
    if (PlaceDone put = put_blob(blob, path); !put) return tl::unexpected(std::move(put).error());
  }
  const std::string record = store::to_json(entry);
  const store::Blob blob{sha256_hex(record), record.size()};
  if (PlaceDone put = put_bytes(blob, record); !put) return tl::unexpected(std::move(put).error());
  const std::string action = store::to_json(store::ActionResult{blob, entry.outputs});
  for (const auto& [address, replace] : lacking) {
    lease_.hold(address);
    if (Done done = atomic_write(options_.root / "ac" / address.hex, action, 0644); !done) {
      PlaceFault written = fault_of(std::move(done).error());
      std::error_code code;
      const auto free = fs::space(options_.root, code).available;
      if (!code && free < action.size()) written.kind = FaultKind::full;
      return tl::unexpected(std::move(written));
    }
  }
  return PutOutcome::written;
}

std::optional<fs::path> TreePlace::path_of(const store::Blob& blob) {
  if (options_.sharing != Sharing::machine || !has(blob)) return std::nullopt;
  return blob_path(blob);
}

}  // namespace pinwheel::host
