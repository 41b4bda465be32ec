#include "host/net/remote_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/limits.h"
#include "base/mask.h"
#include "base/parse_integer.h"
#include "base/text.h"
#include "host/system/file_source.h"
#include "host/system/pending_file.h"
#include "publish/reply.h"

namespace pinwheel::host {
namespace {

constexpr uint64_t kLeast = 65536;  ///< a smaller part would take a round trip too
/// Bytes between two parts that are fetched with them, as a further request takes as long.
constexpr uint64_t kJoinedGap = uint64_t{256} << 10U;
/// With more parts, larger gaps are fetched.
constexpr size_t kMostParts = 64;
/// A part that is received again after a failure.
constexpr uint64_t kMostAtOnce = uint64_t{64} << 20U;
constexpr int kAllOfIt = 200;
constexpr int kPartOfIt = 206;
constexpr int kNoSuchPart = 416;

struct ContentRange {
  uint64_t first = 0;
  uint64_t last = 0;
  uint64_t total = 0;
};

/// "bytes 0-65535/532170085".
std::optional<ContentRange> parse_content_range(std::string_view text) {
  constexpr std::string_view kUnit = "bytes ";
  if (!text.starts_with(kUnit)) return std::nullopt;
  text.remove_prefix(kUnit.size());
  const size_t dash = text.find('-');
  const size_t slash = text.find('/');
  if (dash == std::string_view::npos || slash == std::string_view::npos || slash < dash) {
    return std::nullopt;
  }
  const auto first = parse_unsigned(text.substr(0, dash));
  const auto last = parse_unsigned(text.substr(dash + 1, slash - dash - 1));
  const auto total = parse_unsigned(text.substr(slash + 1));
  if (!first || !last || !total || *first > *last || *last >= *total) return std::nullopt;
  return ContentRange{*first, *last, *total};
}

/// Whether two replies may be about the same file by one of their headers.
bool agree(const std::string& before, const std::string& now) {
  return before.empty() || now.empty() || before == now;
}

/// Only a strong validator may be sent in `If-Range`.
bool is_strong(const std::string& etag) {
  return etag.starts_with('"');
}

}  // namespace

/// Receives the body of the first reply: in memory if it is the end of the file, else all of it on
/// disk.
class RemoteFile::FirstReply {
 public:
  FirstReply(const WholeFiles& whole, std::string url, uint64_t tail)
      : whole_(whole), url_(std::move(url)), tail_(tail) {}

  /// Discards earlier data: the body of a redirect, or half of a reply.
  void restart() {
    bytes_.clear();
    file_.reset();
    received_ = 0;
  }

  void take(std::string_view bytes) {
    received_ += bytes.size();
    if (whole_.on_bytes) whole_.on_bytes(received_);
    if (file_) return file_->write(bytes);
    bytes_ += bytes;
    if (bytes_.size() > tail_) spill();
  }

  /// The error of writing to disk; nothing more needs to be received after it.
  Done state() const { return file_ ? file_->written() : Done(); }
  const std::string& bytes() const { return bytes_; }
  uint64_t received() const { return received_; }

  UnnamedFile take_file() {
    if (!file_) {
      file_.emplace(whole_.directory);
      file_->write(bytes_);
    }
    return std::move(*file_);
  }

 private:
  void spill() {
    if (whole_.on_download && !std::exchange(is_announced_, true)) whole_.on_download(url_);
    file_.emplace(whole_.directory);
    file_->write(std::exchange(bytes_, {}));
  }

  const WholeFiles& whole_;
  std::string url_;
  uint64_t tail_;
  std::string bytes_ = {};
  std::optional<UnnamedFile> file_ = std::nullopt;
  uint64_t received_ = 0;
  bool is_announced_ = false;
};

/// Receives a part directly in its place on disk, where it does not count as present before its
/// reply was checked.
class RemoteFile::PartReply {
 public:
  PartReply(const RemoteFile& file, const ByteRange& part) : file_(file), part_(part) {}

  void restart() { received_ = 0; }

  void take(std::string_view bytes) {
    const uint64_t length = part_.end - part_.begin;
    const uint64_t room = length - std::min(length, received_);
    const uint64_t at = part_.begin + received_;
    const ByteRange arrived{at, at + std::min<uint64_t>(room, bytes.size())};
    // Bytes that are present were checked; these may be those of an error.
    for (const ByteRange& gap : file_.present_.missing(arrived)) {
      file_.file_.write_at(gap.begin, bytes.substr(gap.begin - at, gap.end - gap.begin));
    }
    received_ += bytes.size();
    if (file_.whole_files_.on_bytes) file_.whole_files_.on_bytes(file_.fetched_ + received_);
  }

  Done state() const {
    // The page of an error may be longer than a small part.
    if (received_ > part_.end - part_.begin + kLeast) return file_.changed();
    return file_.file_.written();
  }
  uint64_t received() const { return received_; }

 private:
  const RemoteFile& file_;
  ByteRange part_;
  uint64_t received_ = 0;
};

RemoteFile::RemoteFile(const RemoteAccess& access, WholeFiles whole, std::string url)
    : access_(access),
      whole_files_(std::move(whole)),
      start_url_(url),
      file_(whole_files_.directory),
      url_(std::move(url)) {}
RemoteFile::~RemoteFile() = default;

Result<std::unique_ptr<RemoteFile>> RemoteFile::open(const RemoteAccess& access, WholeFiles whole,
                                                     const std::string& url,
                                                     const RemoteStart& start) {
  std::unique_ptr<RemoteFile> file(new RemoteFile(access, std::move(whole), url));
  TRY_DONE(file->file_.written());
  TRY_DONE(file->begin(start));
  TRY_DONE(file->check_known_size(start));
  return file;
}

Done RemoteFile::begin(const RemoteStart& start) {
  FirstReply body(whole_files_, url_, start.tail);
  ++requests_;
  TRY(const RemoteReply answer, get_remote(access_, url_, [&](ports::HttpRequest& request) {
        body.restart();
        request.headers.emplace_back("Range", fmt::format("bytes=-{}", start.tail));
        request.sink = [&body](std::string_view bytes) { body.take(bytes); };
        request.sink_state = [&body] { return body.state(); };
      }));
  url_ = answer.url;
  switch (answer.reply.status) {
    case kAllOfIt:
      fetched_ += body.received();
      return take_whole(body.take_file(), body.received());
    case kPartOfIt:
      fetched_ += body.received();
      return begin_with_tail(answer, body.bytes());
    case kNoSuchPart:
      return download_whole();
    default:
      return fail(unexpected_answer(answer));
  }
}

Done RemoteFile::begin_with_tail(const RemoteReply& answer, const std::string& tail) {
  const auto range = parse_content_range(publish::header(answer.reply, "content-range"));
  // Some servers understand `-65536` differently, or answer with several parts.
  const bool is_tail =
      range && range->last + 1 == range->total && range->last - range->first + 1 == tail.size();
  if (!is_tail) return download_whole();
  if (range->total > limits::kDownload.most) {
    return fail(too_large(quoted_url(url_), limits::kDownload));
  }
  size_ = range->total;
  etag_ = publish::header(answer.reply, "etag");
  modified_ = publish::header(answer.reply, "last-modified");
  TRY_DONE(file_.resize(size_));
  file_.write_at(range->first, tail);
  TRY_DONE(file_.written());
  present_.add({range->first, size_});
  TRY(stored_, FileSource::of(UniqueFd(::dup(file_.descriptor().get())), url_));
  return {};
}

Done RemoteFile::download_whole() {
  if (whole_files_.on_download) whole_files_.on_download(url_);
  WholeFiles announced = whole_files_;
  announced.on_download = {};
  FirstReply body(announced, url_, 0);
  ++requests_;
  TRY(const RemoteReply answer, get_remote(access_, url_, [&](ports::HttpRequest& request) {
        body.restart();
        request.sink = [&body](std::string_view bytes) { body.take(bytes); };
        request.sink_state = [&body] { return body.state(); };
      }));
  url_ = answer.url;
  if (answer.reply.status != kAllOfIt) return fail(unexpected_answer(answer));
  fetched_ += body.received();
  return take_whole(body.take_file(), body.received());
}

Done RemoteFile::take_whole(UnnamedFile file, uint64_t size) {
  TRY_DONE(file.written());
  file_ = std::move(file);
  size_ = size;
  present_.add({0, size});
  TRY(stored_, FileSource::of(UniqueFd(::dup(file_.descriptor().get())), url_));
  return {};
}

Done RemoteFile::check_known_size(const RemoteStart& start) const {
  if (!start.size || *start.size == size_) return {};
  return fail(ErrorKind::check,
              fmt::format("{} has {}, but its index says {}", quoted_url(start_url_),
                          plural(size_, "byte"), *start.size),
              "it may be truncated, or another file than the one that the index lists");
}

Result<std::string> RemoteFile::read(uint64_t offset, uint64_t length) const {
  if (offset > size_ || length > size_ - offset) {
    return fail(ErrorKind::check, fmt::format("{} is truncated", quoted_url(start_url_)));
  }
  {
    const std::lock_guard lock(mutex_);
    TRY_DONE(ensure({offset, offset + length}));
  }
  return stored_->read(offset, length);
}

Done RemoteFile::fetch(const std::vector<ByteRange>& ranges) const {
  const std::lock_guard lock(mutex_);
  std::vector<ByteRange> missing;
  for (const ByteRange& each : ranges) {
    const ByteRange inside{std::min(each.begin, size_), std::min(each.end, size_)};
    for (const ByteRange& part : present_.missing(inside)) missing.push_back(part);
  }
  std::vector<ByteRange> parts = joined_ranges(missing, kJoinedGap);
  for (uint64_t gap = kJoinedGap; parts.size() > kMostParts; parts = joined_ranges(missing, gap)) {
    gap *= 2;
  }
  for (const ByteRange& part : parts) TRY_DONE(fetch_part(part));
  return {};
}

bool RemoteFile::has(const ByteRange& range) const {
  const std::lock_guard lock(mutex_);
  return present_.contains(range);
}

uint64_t RemoteFile::bytes_fetched() const {
  const std::lock_guard lock(mutex_);
  return fetched_;
}

uint64_t RemoteFile::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

Done RemoteFile::ensure(const ByteRange& wanted) const {
  const std::vector<ByteRange> missing = present_.missing(wanted);
  if (missing.empty()) return {};
  const uint64_t begin = missing.front().begin;
  const uint64_t least = begin + std::min(kLeast, size_ - begin);
  // Up to the next bytes that are present.
  const uint64_t more = present_.missing({begin, least}).front().end;
  return fetch_part({begin, std::max(missing.back().end, more)});
}

Done RemoteFile::fetch_part(const ByteRange& part) const {
  for (uint64_t at = part.begin; at < part.end; at += kMostAtOnce) {
    TRY_DONE(request_part({at, at + std::min(kMostAtOnce, part.end - at)}));
  }
  return {};
}

Done RemoteFile::request_part(const ByteRange& part) const {
  PartReply body(*this, part);
  const auto prepare = [&](ports::HttpRequest& request) {
    body.restart();
    request.headers.emplace_back("Range", fmt::format("bytes={}-{}", part.begin, part.end - 1));
    const std::string& validator = is_strong(etag_) ? etag_ : modified_;
    if (!validator.empty()) request.headers.emplace_back("If-Range", validator);
    request.sink = [&body](std::string_view bytes) { body.take(bytes); };
    request.sink_state = [&body] { return body.state(); };
  };
  ++requests_;
  Result<RemoteReply> answer = get_remote(access_, url_, prepare);
  if (!answer) return fail(std::move(answer).error());
  const auto is_known = [](int status) {
    return status == kPartOfIt || status == kAllOfIt || status == kNoSuchPart;
  };
  // The address that a redirect led to may be valid for a few minutes only.
  if (!is_known(answer->reply.status) && url_ != start_url_) {
    answer = get_remote(access_, start_url_, prepare);
    if (!answer) return fail(std::move(answer).error());
  }
  if (!is_known(answer->reply.status)) return fail(unexpected_answer(*answer));
  url_ = answer->url;
  TRY_DONE(check_part(*answer, part, body.received()));
  TRY_DONE(file_.written());
  fetched_ += body.received();
  present_.add(part);
  return {};
}

Done RemoteFile::check_part(const RemoteReply& answer, const ByteRange& part,
                            uint64_t received) const {
  if (answer.reply.status != kPartOfIt) return changed();
  const auto range = parse_content_range(publish::header(answer.reply, "content-range"));
  const bool asked = range && range->first == part.begin && range->last + 1 == part.end &&
                     received == part.end - part.begin;
  if (!asked) {
    return fail(
        ErrorKind::transient,
        fmt::format("{} answered with a different part than requested", quoted_url(start_url_)));
  }
  const bool same = range->total == size_ && agree(etag_, publish::header(answer.reply, "etag")) &&
                    agree(modified_, publish::header(answer.reply, "last-modified"));
  if (!same) return changed();
  return {};
}

tl::unexpected<Error> RemoteFile::changed() const {
  return fail(ErrorKind::transient,
              fmt::format("{} changed while it was read", quoted_url(start_url_)),
              "run the command again");
}

}  // namespace pinwheel::host
