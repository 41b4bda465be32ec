#include "host/net/remote_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/mask.h"
#include "base/parse_integer.h"
#include "base/text.h"
#include "host/system/file_source.h"
#include "host/system/pending_file.h"
#include "publish/reply.h"

namespace pinwheel::host {
namespace {

constexpr uint64_t kLeast = 65536;  ///< a smaller part would take a round trip too
constexpr int kAllOfIt = 200;
constexpr int kPartOfIt = 206;

struct ContentRange {
  uint64_t first = 0;
  uint64_t total = 0;
};

/// "bytes 0-65535/532170085".
std::optional<ContentRange> parse_content_range(std::string_view text) {
  constexpr std::string_view kUnit = "bytes ";
  if (!text.starts_with(kUnit)) return std::nullopt;
  text.remove_prefix(kUnit.size());
  const size_t dash = text.find('-');
  const size_t slash = text.find('/');
  if (dash == std::string_view::npos || slash == std::string_view::npos) return std::nullopt;
  const auto first = parse_unsigned(text.substr(0, dash));
  const auto total = parse_unsigned(text.substr(slash + 1));
  if (!first || !total) return std::nullopt;
  return ContentRange{*first, *total};
}

}  // namespace

/// Receives a body: in memory if it is the requested part, else on disk.
class RemoteFile::Receiver {
 public:
  Receiver(const WholeFiles& whole, std::string_view url, uint64_t length)
      : whole_(&whole), url_(url), length_(length) {}

  /// Discards earlier data: the body of a redirect or half of a part.
  void restart() {
    bytes_.clear();
    file_.reset();
    received_ = 0;
  }

  void take(std::string_view bytes) {
    received_ += bytes.size();
    if (file_) return file_->write(bytes);
    bytes_ += bytes;
    if (bytes_.size() <= length_) return;
    if (whole_->on_download) whole_->on_download(url_);
    file_.emplace(whole_->directory);
    file_->write(std::exchange(bytes_, {}));
  }

  /// The error of writing to disk; nothing more needs to be received after it.
  Done state() const { return file_ ? file_->written() : Done(); }
  std::string& bytes() { return bytes_; }
  std::optional<UnnamedFile>& file() { return file_; }
  uint64_t received() const { return received_; }

 private:
  const WholeFiles* whole_;
  std::string url_;
  uint64_t length_;
  std::string bytes_;
  std::optional<UnnamedFile> file_;
  uint64_t received_ = 0;
};

RemoteFile::RemoteFile(const RemoteAccess& access, WholeFiles whole, std::string url)
    : access_(access), whole_files_(std::move(whole)), url_(std::move(url)) {}
RemoteFile::~RemoteFile() = default;

Result<std::unique_ptr<RemoteFile>> RemoteFile::open(const RemoteAccess& access, WholeFiles whole,
                                                     const std::string& url) {
  std::unique_ptr<RemoteFile> file(new RemoteFile(access, std::move(whole), url));
  TRY_DONE(file->fetch(0, kLeast));
  return file;
}

Result<std::string> RemoteFile::read(uint64_t offset, uint64_t length) const {
  if (offset > size_ || length > size_ - offset) {
    return fail(ErrorKind::check, fmt::format("{} is truncated", quoted_url(url_)));
  }
  if (whole_ != nullptr) return whole_->read(offset, length);
  if (offset < part_at_ || offset + length > part_at_ + part_.size()) {
    TRY_DONE(fetch(offset, std::min(std::max(length, kLeast), size_ - offset)));
    if (whole_ != nullptr) return whole_->read(offset, length);
  }
  return part_.substr(offset - part_at_, length);
}

Done RemoteFile::fetch(uint64_t offset, uint64_t length) const {
  Receiver receiver(whole_files_, url_, length);
  TRY(const RemoteReply answer, get_remote(access_, url_, [&](ports::HttpRequest& request) {
        receiver.restart();
        request.headers.emplace_back("Range",
                                     fmt::format("bytes={}-{}", offset, offset + length - 1));
        request.sink = [&receiver](std::string_view bytes) { receiver.take(bytes); };
        request.sink_state = [&receiver] { return receiver.state(); };
      }));
  fetched_ += receiver.received();
  url_ = answer.url;
  if (answer.reply.status == kPartOfIt)
    return store_part(answer, std::move(receiver.bytes()), offset);
  if (answer.reply.status == kAllOfIt) return store_whole(receiver);
  return fail(unexpected_answer(answer));
}

Done RemoteFile::store_part(const RemoteReply& answer, std::string bytes, uint64_t offset) const {
  const auto range = parse_content_range(publish::header(answer.reply, "content-range"));
  const bool first = size_ == 0;
  if (!range || range->first != offset || bytes.empty() || (!first && range->total != size_)) {
    return fail(ErrorKind::transient,
                fmt::format("{} answered with a different part than requested", quoted_url(url_)));
  }
  size_ = range->total;
  part_ = std::move(bytes);
  part_at_ = offset;
  return {};
}

Done RemoteFile::store_whole(Receiver& receiver) const {
  if (receiver.file()) {
    TRY_DONE(receiver.file()->written());
    TRY(whole_, FileSource::of(std::move(receiver.file()->descriptor()), url_));
  } else {
    whole_ = std::make_unique<ports::MemorySource>(std::move(receiver.bytes()));
  }
  size_ = whole_->size();
  return {};
}

}  // namespace pinwheel::host
