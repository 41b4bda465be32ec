#include "host/index/fetch_sdist.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/text.h"
#include "host/index/index_candidate.h"
#include "host/net/get_remote.h"
#include "host/system/file_source.h"
#include "host/system/files.h"
#include "host/system/scratch_directory.h"
#include "host/system/system_error.h"
#include "publish/choose_sdist.h"
#include "wheel/sdist_files.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

constexpr int kFound = 200;
constexpr const char* kSourceDirectory = "source";
constexpr const char* kOriginFile = "origin.json";
constexpr const char* kArchiveFile = "archive";

/// Receives the archive in a file.
Done download(ports::Http& http, const IndexCandidate& candidate, const fs::path& path) {
  std::optional<std::ofstream> file;
  const auto prepare = [&](ports::HttpRequest& request) {
    // The body of a redirect is not part of the archive.
    file.emplace(path, std::ios::binary);
    request.sink = [&file](std::string_view part) {
      errno = 0;
      *file << part;
    };
    request.sink_state = [&file, &path]() -> Done {
      if (*file) return {};
      return fail(system_error("written", path, errno == 0 ? EIO : errno));
    };
    request.sink_limit = limits::kSdist;
  };
  RemoteAccess access{http};
  if (candidate.index) {
    access.credentials = candidate.index->credentials;
    access.origin = candidate.index->url;
  }
  TRY(const RemoteReply reply, get_remote(access, candidate.url, prepare));
  if (reply.reply.status != kFound) return fail(unexpected_answer(reply));
  errno = 0;
  file->close();
  if (!*file) return fail(system_error("written", path, errno == 0 ? EIO : errno));
  return {};
}

Done check_hash(const publish::IndexFile& file, const std::string& sha256) {
  const auto stated = file.hashes.find("sha256");
  if (stated == file.hashes.end() || stated->second == sha256) return {};
  return fail(ErrorKind::check, fmt::format("{} has the sha256 {}, but its index says {}",
                                            quoted(file.filename), sha256, stated->second));
}

/// Writes the files of an sdist below a directory.
class WriteFiles final : public wheel::SdistVisitor {
 public:
  explicit WriteFiles(fs::path directory) : directory_(std::move(directory)) {}

  Done file(const wheel::SdistFile& file) override {
    TRY_DONE(finish());
    path_ = directory_ / file.name;
    TRY_DONE(make_parent());
    if (file.kind == wheel::SdistFileKind::link) {
      std::error_code error;
      fs::create_symlink(file.target, path_, error);
      if (error) return fail(system_error("created", path_, error.value()));
      return {};
    }
    mode_ = mode_of(file);
    out_.emplace(path_, std::ios::binary);
    return {};
  }
  Done contents(std::string_view piece) override {
    *out_ << piece;
    return {};
  }
  /// A copy could multiply what is written.
  Done same(const wheel::SdistFile& file, const std::string& first) override {
    TRY_DONE(finish());
    path_ = directory_ / file.name;
    TRY_DONE(make_parent());
    std::error_code error;
    fs::create_hard_link(directory_ / first, path_, error);
    if (error) return fail(system_error("created", path_, error.value()));
    return {};
  }
  /// Completes the last file.
  Done finish() {
    if (!out_) return {};
    errno = 0;
    out_->close();
    const bool whole = static_cast<bool>(*out_);
    out_.reset();
    if (!whole) return fail(system_error("written", path_, errno == 0 ? EIO : errno));
    return set_mode(mode_);
  }

 private:
  static mode_t mode_of(const wheel::SdistFile& file) {
    return file.kind == wheel::SdistFileKind::executable ? 0755 : 0644;
  }
  Done make_parent() const {
    std::error_code error;
    fs::create_directories(path_.parent_path(), error);
    if (error) return fail(system_error("created", path_.parent_path(), error.value()));
    return {};
  }
  Done set_mode(mode_t mode) const {
    if (::chmod(path_.c_str(), mode) != 0) return fail(system_error("written", path_, errno));
    return {};
  }

  fs::path directory_;
  fs::path path_;
  mode_t mode_ = 0;
  std::optional<std::ofstream> out_;
};

Result<std::string> sha256_of(const ports::ByteSource& bytes) {
  constexpr uint64_t kPiece = uint64_t{1} << 20U;
  Sha256 hash;
  for (uint64_t at = 0; at < bytes.size(); at += kPiece) {
    TRY(const std::string piece, bytes.read(at, std::min(kPiece, bytes.size() - at)));
    hash.update(piece);
  }
  return to_hex(hash.finish());
}

/// Unpacks the archive, whose digest is compared with the index's first; returns the digest.
Result<std::string> unpack(const publish::IndexFile& file, const fs::path& archive,
                           const fs::path& source) {
  TRY(const std::unique_ptr<FileSource> bytes, FileSource::open(archive));
  TRY_DONE(check_size(quoted(file.filename), bytes->size(), limits::kSdist));
  TRY(std::string sha256, sha256_of(*bytes));
  TRY_DONE(check_hash(file, sha256));
  WriteFiles files(source);
  TRY_DONE(wheel::visit_sdist(file.filename, *bytes, files));
  TRY_DONE(files.finish());
  return sha256;
}

}  // namespace

std::optional<UnpackedSdist> existing_sdist(const fs::path& directory) {
  const Result<std::string> text = LocalFiles().read(directory / kOriginFile);
  if (!text) return std::nullopt;
  const nlohmann::json origin = read_json(*text);
  if (!origin.is_object()) return std::nullopt;
  return UnpackedSdist{directory / kSourceDirectory, origin.value("url", ""),
                       origin.value("sha256", "")};
}

Result<UnpackedSdist> fetch_sdist(ports::Http& http, const env::PipIndexes& indexes,
                                  const SdistRequest& request, const MaskSecret& mask) {
  const auto choose = [&request](const std::vector<publish::IndexFile>& files) {
    return publish::choose_sdist(files, request.name, request.version);
  };
  TRY(const IndexCandidate candidate, find_on_indexes(http, indexes, request.name, choose, mask));
  LocalFiles files;
  const std::optional<fs::path> local = local_file(candidate);
  const fs::path pending = request.directory.string() + fmt::format(".{}", ::getpid());
  TRY(const ScratchDirectory scratch, ScratchDirectory::make(files, pending));
  const fs::path archive = local ? *local : pending / kArchiveFile;
  if (!local) TRY_DONE(download(http, candidate, archive));
  TRY(const std::string sha256, unpack(candidate.file, archive, pending / kSourceDirectory));
  if (!local) TRY_DONE(files.remove_all(archive));
  const nlohmann::json origin = {{"url", candidate.url}, {"sha256", sha256}};
  TRY_DONE(files.write(pending / kOriginFile, origin.dump() + "\n"));
  // Another run may have been faster: its result is equivalent.
  if (!existing_sdist(request.directory)) {
    TRY_DONE(files.remove_all(request.directory));
    TRY_DONE(files.rename(pending, request.directory));
  }
  return UnpackedSdist{request.directory / kSourceDirectory, candidate.url, sha256};
}

}  // namespace pinwheel::host
