#include "host/store/remote_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "host/store/blob_copy.h"
#include "host/system/file_source.h"
#include "store/action_result.h"

namespace pinwheel::host {
namespace {

std::string blob_path(const store::Blob& blob) {
  return "cas/" + blob.sha256;
}

/// A file that is sent as a blob: its last bytes are sent only if the whole file matches the blob,
/// so that a server never has a file under the name of another.
class CheckedSource final : public ports::ByteSource {
 public:
  CheckedSource(std::unique_ptr<ports::ByteSource> file, store::Blob blob)
      : file_(std::move(file)), blob_(std::move(blob)) {}

  uint64_t size() const override { return blob_.size; }
  Result<std::string> read(uint64_t offset, uint64_t length) const override {
    TRY(std::string bytes, file_->read(offset, length));
    if (offset == 0) {
      hash_ = Sha256();
      next_ = 0;
    }
    // Bytes that are sent again were compared before; skipped bytes, which no upload has, could not
    // be.
    if (offset > next_) return fail(ErrorKind::check, changed());
    const uint64_t end = offset + bytes.size();
    if (end <= next_ && end != 0) return bytes;
    hash_.update(std::string_view(bytes).substr(next_ - offset));
    next_ = end;
    if (next_ == blob_.size && to_hex(hash_.finish()) != blob_.sha256) {
      return fail(ErrorKind::check, changed());
    }
    return bytes;
  }

 private:
  std::string changed() const {
    return fmt::format("{} is not the sha256 of the file that was to be sent",
                       quoted(blob_.sha256));
  }

  std::unique_ptr<ports::ByteSource> file_;
  store::Blob blob_;
  mutable Sha256 hash_ = {};
  mutable uint64_t next_ = 0;
};

}  // namespace

RemotePlace::RemotePlace(std::string name, std::unique_ptr<ObjectServer> server)
    : name_(std::move(name)), server_(std::move(server)) {}

PlaceResult<std::optional<std::string>> RemotePlace::text(const std::string& path,
                                                          uint64_t most_bytes) {
  std::string bytes;
  const ObjectSink sink{[&bytes] { bytes.clear(); },
                        [&bytes](std::string_view piece) { bytes += piece; }, most_bytes};
  const PlaceResult<bool> got = server_->get(path, sink);
  if (!got) return tl::unexpected(got.error());
  if (!*got) return std::nullopt;
  return bytes;
}

PlaceResult<std::optional<store::Entry>> RemotePlace::find(const store::Address& address) {
  auto action_text = text("ac/" + address.hex, store::kMostRecordBytes);
  if (!action_text) return tl::unexpected(std::move(action_text).error());
  if (!*action_text) return std::nullopt;
  const Result<store::ActionResult> action = store::parse_action_result(**action_text);
  if (!action) return fault(FaultKind::wrong_bytes, action.error());
  if (action->record.size > store::kMostRecordBytes) {
    return wrong_bytes(action->record.sha256, "is too long for the record of a result");
  }
  auto record = text(blob_path(action->record), action->record.size);
  if (!record) return tl::unexpected(std::move(record).error());
  if (!*record) return std::nullopt;
  if (sha256_hex(**record) != action->record.sha256) {
    mark_damaged(action->record);
    return wrong_bytes(action->record.sha256, "is damaged");
  }
  Result<store::Entry> entry = store::parse_entry(**record);
  if (!entry) return fault(FaultKind::wrong_bytes, std::move(entry).error());
  for (const store::NamedBlob& output : entry->outputs) {
    const PlaceResult<bool> has = server_->has(blob_path(output.blob), output.blob.size);
    if (!has) return tl::unexpected(has.error());
    if (!*has) return std::nullopt;
  }
  return *std::move(entry);
}

PlaceResult<bool> RemotePlace::fetch(const store::Blob& blob, const std::filesystem::path& target) {
  BlobFile file(target, blob, {});
  const ObjectSink sink{[&file] { file.restart(); },
                        [&file](std::string_view bytes) { file.write(bytes); }, blob.size,
                        [&file] { return file.written(); }};
  const PlaceResult<bool> got = server_->get(blob_path(blob), sink);
  if (got && !*got) return false;
  // A failed write has ended the transfer.
  const bool arrived = got.has_value() || !file.written();
  PlaceDone done = arrived ? file.finish() : PlaceDone(tl::unexpected(got.error()));
  if (done) return true;
  if (done.error().kind == FaultKind::wrong_bytes) mark_damaged(blob);
  return tl::unexpected(std::move(done).error());
}

bool RemotePlace::is_damaged(const store::Blob& blob) {
  const std::lock_guard lock(mutex_);
  return damaged_.contains(blob);
}

bool RemotePlace::is_damaged(const store::Entry& entry) {
  return std::any_of(entry.outputs.begin(), entry.outputs.end(),
                     [this](const store::NamedBlob& output) { return is_damaged(output.blob); });
}

void RemotePlace::mark_damaged(const store::Blob& blob) {
  const std::lock_guard lock(mutex_);
  damaged_.insert(blob);
}

PlaceDone RemotePlace::put_blob(const store::Blob& blob,
                                std::shared_ptr<const ports::ByteSource> contents) {
  const bool damaged = is_damaged(blob);
  if (!damaged) {
    const PlaceResult<bool> has = server_->has(blob_path(blob), blob.size);
    if (!has) return tl::unexpected(has.error());
    if (*has) return {};
  }
  const ObjectToPut object{std::move(contents), blob.sha256, damaged ? Replace::yes : Replace::no};
  if (PlaceDone put = server_->put(blob_path(blob), object); !put) return put;
  const std::lock_guard lock(mutex_);
  damaged_.erase(blob);
  return {};
}

PlaceDone RemotePlace::put_files(const BlobFiles& files) {
  for (const auto& [blob, path] : files) {
    Result<std::unique_ptr<FileSource>> file = FileSource::open(path);
    if (!file) return fault(FaultKind::unreachable, std::move(file).error());
    if ((*file)->size() != blob.size) return wrong_bytes(path.string(), "has changed");
    auto source = std::make_shared<const CheckedSource>(*std::move(file), blob);
    if (PlaceDone put = put_blob(blob, std::move(source)); !put) return put;
  }
  return {};
}

PlaceResult<PutOutcome> RemotePlace::put(const std::vector<store::Address>& addresses,
                                         const store::Entry& entry, const BlobFiles& files) {
  const std::vector<AddressToWrite> lacking = addresses_to_write(*this, addresses, entry);
  if (lacking.empty() && !is_damaged(entry)) return PutOutcome::present;
  if (PlaceDone put = put_files(files); !put) return tl::unexpected(std::move(put).error());
  const auto memory = [](const std::string& bytes) {
    return std::make_shared<const ports::MemorySource>(bytes);
  };
  const std::string record = store::to_json(entry);
  const store::Blob blob{sha256_hex(record), record.size()};
  if (PlaceDone put = put_blob(blob, memory(record)); !put) {
    return tl::unexpected(std::move(put).error());
  }
  const std::string action = store::to_json(store::ActionResult{blob, entry.outputs});
  for (const auto& [address, replace] : lacking) {
    PlaceDone put =
        server_->put("ac/" + address.hex, {memory(action), sha256_hex(action), replace});
    if (!put) return tl::unexpected(std::move(put).error());
  }
  return PutOutcome::written;
}

}  // namespace pinwheel::host
