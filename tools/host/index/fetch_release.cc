#include "host/index/fetch_release.h"

#include <fmt/format.h>

#include <atomic>
#include <optional>
#include <string>
#include <utility>

#include "base/digest.h"
#include "base/limits.h"
#include "base/parallel.h"
#include "base/text.h"
#include "base/url.h"
#include "host/index/index_pages.h"
#include "host/index/index_reader.h"
#include "host/net/get_remote.h"
#include "host/system/digest_file.h"
#include "host/system/files.h"
#include "host/system/pending_file.h"
#include "publish/index_audit.h"
#include "publish/simple_page.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;
using publish::IndexFile;
using publish::SourceFile;

constexpr int kReceived = 200;
constexpr unsigned kReleaseConnections = 4;
/// The body of an error page may be longer than a small file.
constexpr uint64_t kErrorPage = uint64_t{1} << 16U;

/// The files on the project's page of a server.
Result<std::vector<IndexFile>> served_files(const IndexReader& reader, const ReleaseFetch& fetch) {
  const std::string url = reader.root() + encode_segment(fetch.record.project) + "/";
  TRY(const std::optional<ServedPage> page, reader.page(url, WantedPage::served));
  if (!page) return std::vector<IndexFile>{};
  TRY(std::vector<IndexFile> files, publish::parse_simple_page(page->content_type, page->body));
  for (IndexFile& file : files) {
    file.url = resolve_url(page->url, file.url);
    if (const std::string fault = publish::refused_link(page->url, file.url); !fault.empty()) {
      return fail(ErrorKind::check, fmt::format("{} {}", quoted(file.filename), fault));
    }
  }
  return files;
}

/// The files on all pages of the project in a directory index.
Result<std::vector<IndexFile>> indexed_files(const IndexReader& reader, const ReleaseFetch& fetch) {
  TRY(const std::vector<publish::AuditedPage> pages,
      read_index_pages(reader, {.projects = {fetch.record.project}}));
  std::vector<IndexFile> files;
  for (const publish::AuditedPage& page : pages) {
    if (!page.fault.empty()) return fail(ErrorKind::config, page.fault);
    for (const publish::AuditedFile& file : page.files) files.push_back(file.listed);
  }
  return files;
}

/// The files in a directory without pages, with their paths as URLs.
Result<std::vector<IndexFile>> loose_files(const fs::path& directory) {
  TRY(const std::vector<std::string> names, LocalFiles().list(directory));
  std::vector<IndexFile> files;
  files.reserve(names.size());
  for (const std::string& name : names) files.push_back({name, (directory / name).string()});
  return files;
}

Result<std::vector<fs::path>> local_release(ports::Http& http, const ReleaseFetch& fetch) {
  const IndexReader reader(http, fs::path(fetch.source.place), fetch.downloads);
  TRY(const std::optional<ServedPage> root, reader.page(reader.root(), WantedPage::served));
  TRY(const std::vector<IndexFile> files,
      root ? indexed_files(reader, fetch) : loose_files(fetch.source.place));
  TRY(const std::vector<SourceFile> selected,
      publish::select_recorded(fetch.record, files, fetch.source.name));
  std::vector<fs::path> paths;
  paths.reserve(selected.size());
  for (const SourceFile& file : selected) {
    paths.emplace_back(path_of_file_url(file.url).value_or(file.url));
  }
  return paths;
}

/// Receives the files of a release, on several threads.
class ReleaseDownload {
 public:
  ReleaseDownload(const RemoteAccess& access, const ReleaseFetch& fetch,
                  const std::function<void(const FetchProgress&)>& on_progress)
      : access_(access), fetch_(fetch), on_progress_(on_progress) {}

  Result<std::vector<fs::path>> receive(const std::vector<SourceFile>& files) {
    remove_leftovers(fetch_.downloads);
    std::vector<fs::path> paths;
    std::vector<uint64_t> costs;
    for (const SourceFile& file : files) {
      paths.push_back(fetch_.downloads / file.recorded.filename);
      costs.push_back(file.recorded.size);
      all_bytes_ += file.recorded.size;
    }
    all_ = files.size();
    const auto receive_one = [&](size_t i) -> Done {
      TRY_DONE(receive_file(files[i], paths[i]));
      ++finished_;
      report();
      return {};
    };
    TRY_DONE(try_jobs(costs, {.threads = kReleaseConnections}, receive_one));
    return paths;
  }

 private:
  void report() const {
    if (on_progress_) on_progress_({finished_, all_, bytes_, all_bytes_});
  }

  Done receive_file(const SourceFile& file, const fs::path& path) {
    const Result<FileDigest> earlier = digest_file(path);
    if (earlier && earlier->sha256 == file.recorded.sha256) {
      bytes_ += earlier->size;
      return {};
    }
    std::optional<PendingFile> pending;
    std::optional<Sha256> hash;
    uint64_t received = 0;
    Done state;
    const auto prepare = [&](ports::HttpRequest& request) {
      // Each redirect and each attempt begins anew.
      pending.emplace(path);
      hash.emplace();
      bytes_ -= received;
      received = 0;
      state = {};
      request.sink = [&](std::string_view part) {
        if (state) state = pending->write(part);
        hash->update(part);
        received += part.size();
        bytes_ += part.size();
        report();
      };
      request.sink_state = [&state] { return state; };
      request.sink_limit = {"a file with its recorded size", file.recorded.size + kErrorPage};
    };
    TRY(const RemoteReply reply, get_remote(access_, file.url, prepare));
    if (reply.reply.status != kReceived) return fail(unexpected_answer(reply));
    TRY_DONE(publish::check_received(file.recorded, received, to_hex(hash->finish()),
                                     fetch_.source.name));
    return pending->commit();
  }

  const RemoteAccess& access_;
  const ReleaseFetch& fetch_;
  const std::function<void(const FetchProgress&)>& on_progress_;
  size_t all_ = 0;
  uint64_t all_bytes_ = 0;
  std::atomic<size_t> finished_ = 0;
  std::atomic<uint64_t> bytes_ = 0;
};

}  // namespace

Result<ReleaseDownloads> release_downloads(ports::Files& files, const fs::path& cache,
                                           const publish::ReleaseRecord& record) {
  const std::string release = to_string(publish::release_of(record));
  ReleaseDownloads downloads{cache / "promotions" / replace_all(release, "==", "-"), nullptr};
  TRY_DONE(files.make_directories(downloads.directory));
  TRY(downloads.lock, files.lock(downloads.directory.string() + ".lock", ports::IfLocked::wait));
  // The process that had the lock may have removed it.
  TRY_DONE(files.make_directories(downloads.directory));
  return downloads;
}

Result<std::vector<fs::path>> fetch_release(
    ports::Http& http, const ReleaseFetch& fetch,
    const std::function<void(const FetchProgress&)>& on_progress) {
  if (fetch.source.kind == publish::SourceKind::directory) return local_release(http, fetch);
  std::optional<RemoteAddress> address = parse_address(fetch.source.place);
  if (!address) {
    return fail(ErrorKind::usage, fmt::format("{} is not the URL of an index", fetch.source.name));
  }
  if (address->credentials && fetch.mask) fetch.mask(address->credentials->password);
  const IndexReader reader(http, *address, fetch.downloads);
  TRY(const std::vector<IndexFile> files, served_files(reader, fetch));
  TRY(const std::vector<SourceFile> selected,
      publish::select_recorded(fetch.record, files, fetch.source.name));
  const RemoteAccess access{http, address->credentials, reader.root()};
  return ReleaseDownload(access, fetch, on_progress).receive(selected);
}

}  // namespace pinwheel::host
