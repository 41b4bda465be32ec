#include "host/index/gather_index.h"

#include <atomic>
#include <map>
#include <optional>
#include <utility>

#include "base/digest.h"
#include "base/limits.h"
#include "base/mask.h"
#include "base/parallel.h"
#include "base/text.h"
#include "host/index/index_pages.h"
#include "wheel/archive.h"

namespace pinwheel::host {
namespace {

using publish::AuditedFile;
using publish::MetadataFacts;

constexpr uint64_t kPart = uint64_t{1} << 20U;

using Digests = std::map<std::string, std::string>;

/// The digests of the wanted algorithms.
class Hasher {
 public:
  explicit Hasher(const Digests& wanted) {
    if (wanted.contains("sha256")) sha256_.emplace();
    if (wanted.contains("sha384")) sha384_.emplace(LongSha::sha384);
    if (wanted.contains("sha512")) sha512_.emplace(LongSha::sha512);
  }
  void update(std::string_view bytes) {
    if (sha256_) sha256_->update(bytes);
    if (sha384_) sha384_->update(bytes);
    if (sha512_) sha512_->update(bytes);
  }
  Digests finish() {
    Digests digests;
    if (sha256_) digests["sha256"] = to_hex(sha256_->finish());
    if (sha384_) digests["sha384"] = to_hex(sha384_->finish());
    if (sha512_) digests["sha512"] = to_hex(sha512_->finish());
    return digests;
  }

 private:
  std::optional<Sha256> sha256_;
  std::optional<LongHash> sha384_;
  std::optional<LongHash> sha512_;
};

std::string text_of(const Digests& hashes) {
  std::vector<std::string> parts;
  for (const auto& [algorithm, digest] : hashes) parts.push_back(algorithm + "=" + digest);
  return join(parts, ";");
}

MetadataFacts facts_of(const Result<std::string>& text) {
  if (!text) return {.fault = text.error().message};
  return publish::metadata_facts(*text);
}

MetadataFacts inside_of(const std::string& filename, const ports::ByteSource& bytes) {
  const Result<wheel::WheelArchive> archive = wheel::open_wheel(filename, bytes);
  if (!archive) return {.fault = archive.error().message};
  return facts_of(archive->read_info("METADATA"));
}

/// Gathers the facts of files, on several threads.
class Gatherer {
 public:
  Gatherer(const IndexReader& reader, VerifiedFiles& verified, const IndexScope& scope,
           const std::function<void(const IndexProgress&)>& on_progress)
      : reader_(reader), verified_(verified), scope_(scope), on_progress_(on_progress) {}

  Result<GatheredIndex> gather() {
    GatheredIndex index;
    TRY(index.pages,
        read_index_pages(reader_, {scope_.projects, scope_.labels, scope_.connections}));
    std::vector<std::pair<const std::string*, AuditedFile*>> files;  // URL of the page, file
    std::vector<uint64_t> costs;
    for (publish::AuditedPage& page : index.pages) {
      for (AuditedFile& file : page.files) {
        files.emplace_back(&page.url, &file);
        costs.push_back(file.listed.size.value_or(0) + 1);
      }
    }
    all_ = files.size();
    const auto gather_one = [&](size_t i) -> Done {
      TRY_DONE(gather_file(*files[i].first, *files[i].second));
      ++finished_;
      report();
      return {};
    };
    TRY_DONE(try_jobs(costs, {.threads = scope_.connections}, gather_one));
    index.hashed = hashed_;
    index.verified = reused_;
    index.bytes = bytes_;
    return index;
  }

 private:
  void report() const {
    if (on_progress_) on_progress_({finished_, all_, bytes_});
  }

  /// Fails only if the record cannot be written.
  Done gather_file(const std::string& page_url, AuditedFile& file) {
    const std::string& url = file.listed.url;
    if (std::string fault = publish::refused_link(page_url, url); !fault.empty()) {
      file.link = {.url = mask_urls(url), .fault = std::move(fault)};
      return {};
    }
    FoundFile found = reader_.find(url);
    file.link = std::move(found.link);
    if (!file.link->fault.empty()) return {};
    if (!file.listed.metadata_sha256.empty()) {
      file.beside = facts_of(reader_.text(url + ".metadata", limits::kMetadata));
      if (!file.beside->fault.empty()) {
        file.beside->fault = "has no readable copy of METADATA: " + file.beside->fault;
      }
    }
    const Digests stated = publish::verifiable_hashes(file.listed);
    const bool hashes = scope_.hashes == Hashes::check && !stated.empty();
    const auto known =
        hashes ? verified_.find(mask_urls(url), text_of(stated), found.state) : std::nullopt;
    if (known) {
      ++reused_;
      file.digests = stated;
      file.inside = known->inside;
      return {};
    }
    const bool is_wheel = file.listed.filename.ends_with(".whl");
    if (is_wheel && (hashes || !file.beside)) {
      read_inside(file, hashes ? stated : Digests{});
    } else if (hashes) {
      hash_stream(file, stated);
    }
    if (!hashes || file.digests != stated) return {};
    return verified_.add({mask_urls(url), text_of(stated), found.state, file.inside});
  }

  /// Reads METADATA of a wheel and, if hashes are wanted, all of its bytes; once, if the server has
  /// no range requests.
  void read_inside(AuditedFile& file, const Digests& wanted) {
    const auto opened = reader_.open(file.listed.url);
    if (!opened) {
      file.link->fault = opened.error().message;
      return;
    }
    file.inside = inside_of(file.listed.filename, *opened->bytes);
    if (wanted.empty()) return;
    if (opened->is_here) {
      hash_bytes(file, *opened->bytes, wanted);
    } else {
      hash_stream(file, wanted);
    }
  }

  void hash_bytes(AuditedFile& file, const ports::ByteSource& bytes, const Digests& wanted) {
    ++hashed_;
    Hasher hasher(wanted);
    for (uint64_t at = 0; at < bytes.size(); at += kPart) {
      const Result<std::string> piece = bytes.read(at, std::min(kPart, bytes.size() - at));
      if (!piece) {
        file.link->fault = piece.error().message;
        return;
      }
      hasher.update(*piece);
      count(piece->size());
    }
    file.digests = hasher.finish();
  }

  void hash_stream(AuditedFile& file, const Digests& wanted) {
    ++hashed_;
    std::optional<Hasher> hasher;
    const Done done = reader_.stream(
        file.listed.url, [&] { hasher.emplace(wanted); },
        [&](std::string_view bytes) {
          hasher->update(bytes);
          count(bytes.size());
        });
    if (done) {
      file.digests = hasher->finish();
    } else {
      file.link->fault = done.error().message;
    }
  }

  void count(uint64_t bytes) {
    bytes_ += bytes;
    report();
  }

  const IndexReader& reader_;
  VerifiedFiles& verified_;
  const IndexScope& scope_;
  const std::function<void(const IndexProgress&)>& on_progress_;
  size_t all_ = 0;
  std::atomic<size_t> finished_ = 0;
  std::atomic<size_t> hashed_ = 0;
  std::atomic<size_t> reused_ = 0;
  std::atomic<uint64_t> bytes_ = 0;
};

}  // namespace

Result<GatheredIndex> gather_index(const IndexReader& reader, VerifiedFiles& verified,
                                   const IndexScope& scope,
                                   const std::function<void(const IndexProgress&)>& on_progress) {
  return Gatherer(reader, verified, scope, on_progress).gather();
}

}  // namespace pinwheel::host
