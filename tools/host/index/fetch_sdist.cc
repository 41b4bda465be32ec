#include "host/index/fetch_sdist.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/text.h"
#include "base/url.h"
#include "host/net/get_remote.h"
#include "host/system/files.h"
#include "host/system/scratch_directory.h"
#include "host/system/system_error.h"
#include "pep/name.h"
#include "pep/pypi.h"
#include "publish/choose_sdist.h"
#include "publish/reply.h"
#include "publish/simple_page.h"
#include "wheel/sdist_files.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

constexpr int kFound = 200;
constexpr int kNoSuchPage = 404;
constexpr uint64_t kLargestArchive = uint64_t{1} << 30U;
constexpr std::string_view kFileScheme = "file://";
constexpr const char* kSourceDirectory = "source";
constexpr const char* kOriginFile = "origin.json";

/// A file on an index or in a directory.
struct Candidate {
  publish::IndexFile file;
  std::string url;  ///< absolute; with the scheme `file` for a local one
  std::optional<RemoteAddress> index = std::nullopt;  ///< for the credentials
};

bool is_local(std::string_view address) {
  return address.starts_with(kFileScheme) || !is_address(address);
}

fs::path local_path(std::string_view address) {
  if (!address.starts_with(kFileScheme)) return fs::path(address);
  return decode_percent(address.substr(kFileScheme.size()));
}

/// The sdists in a directory of files.
std::vector<publish::IndexFile> files_in(const fs::path& directory) {
  std::vector<publish::IndexFile> files;
  const Result<std::vector<std::string>> names = LocalFiles().list(directory);
  if (!names) return files;  // pip ignores a directory that is not there
  for (const std::string& name : *names) {
    files.push_back(
        {.filename = name, .url = std::string(kFileScheme) + (directory / name).string()});
  }
  return files;
}

/// The page of a project on a local index.
Result<std::vector<publish::IndexFile>> local_page(const fs::path& index, const std::string& name) {
  const fs::path directory = index / name;
  const Result<std::string> page = LocalFiles().read(directory / "index.html");
  if (!page) return files_in(directory);
  TRY(std::vector<publish::IndexFile> files, publish::parse_simple_page("text/html", *page));
  for (publish::IndexFile& file : files) {
    const bool relative = file.url.find("://") == std::string::npos;
    if (relative) {
      file.url = std::string(kFileScheme) +
                 (directory / decode_percent(file.url)).lexically_normal().string();
    }
  }
  return files;
}

Result<std::vector<publish::IndexFile>> remote_page(ports::Http& http, const RemoteAddress& index,
                                                    const std::string& name) {
  const RemoteAccess access{http, index.credentials, index.url};
  TRY(const RemoteReply page, get_remote(access, index.url + name + "/", [](auto& request) {
        request.headers.emplace_back("Accept", std::string(publish::kAcceptSimple));
      }));
  if (page.reply.status == kNoSuchPage) return std::vector<publish::IndexFile>{};
  if (page.reply.status != kFound) return fail(unexpected_answer(page));
  TRY(std::vector<publish::IndexFile> files,
      publish::parse_simple_page(publish::header(page.reply, "content-type"), page.reply.body));
  for (publish::IndexFile& file : files) file.url = resolve_url(page.url, file.url);
  return files;
}

Result<RemoteAddress> remote_index(std::string_view address) {
  std::optional<RemoteAddress> index = parse_address(address);
  if (!index) {
    return fail(ErrorKind::config, fmt::format("{} is not the URL of an index", quoted(address)),
                "`pip config list` shows where pip's configuration names it");
  }
  if (!index->url.ends_with('/')) index->url += '/';
  return *std::move(index);
}

/// Where to look, in order.
std::vector<std::string> places_of(const env::PipIndexes& indexes) {
  std::vector<std::string> places;
  if (!indexes.no_index) {
    places.push_back(indexes.index.value_or(pep::simple_url(pep::kPypiHost)));
    places.insert(places.end(), indexes.extra.begin(), indexes.extra.end());
  }
  return places;
}

Result<Candidate> find_at(ports::Http& http, const std::string& place, const SdistRequest& request,
                          const MaskSecret& mask) {
  const std::string name = pep::normalize_name(request.name);
  if (is_local(place)) {
    TRY(const std::vector<publish::IndexFile> files, local_page(local_path(place), name));
    TRY(publish::IndexFile file, publish::choose_sdist(files, request.name, request.version));
    std::string url = file.url;
    return Candidate{std::move(file), std::move(url)};
  }
  TRY(RemoteAddress index, remote_index(place));
  if (index.credentials && mask) mask(index.credentials->password);
  TRY(const std::vector<publish::IndexFile> files, remote_page(http, index, name));
  TRY(publish::IndexFile file, publish::choose_sdist(files, request.name, request.version));
  std::string url = file.url;
  return Candidate{std::move(file), std::move(url), std::move(index)};
}

/// The first place that has it; the error of the first place if none does. A place that does not
/// respond is an error at once: another may have a file of the same name with other contents.
Result<Candidate> find_sdist(ports::Http& http, const env::PipIndexes& indexes,
                             const SdistRequest& request, const MaskSecret& mask) {
  std::optional<Error> first;
  for (const std::string& place : places_of(indexes)) {
    Result<Candidate> found = find_at(http, place, request, mask);
    if (found || found.error().kind != ErrorKind::config) return found;
    if (!first) first = std::move(found).error();
  }
  for (const std::string& place : indexes.find_links) {
    if (!is_local(place)) continue;
    Result<publish::IndexFile> file =
        publish::choose_sdist(files_in(local_path(place)), request.name, request.version);
    if (file) return Candidate{*file, file->url};
    if (!first) first = std::move(file).error();
  }
  if (first) return fail(*std::move(first));
  return fail(ErrorKind::config, "pip is configured to use no index",
              "remove `no-index` from pip's configuration");
}

Result<std::string> download(ports::Http& http, const Candidate& candidate) {
  if (is_local(candidate.url)) return LocalFiles().read(local_path(candidate.url));
  std::string bytes;
  const auto prepare = [&bytes](ports::HttpRequest& request) {
    bytes.clear();
    request.sink = [&bytes](std::string_view part) {
      if (bytes.size() <= kLargestArchive) bytes.append(part);
    };
  };
  RemoteAccess access{http};
  if (candidate.index) {
    access.credentials = candidate.index->credentials;
    access.origin = candidate.index->url;
  }
  TRY(const RemoteReply reply, get_remote(access, candidate.url, prepare));
  if (reply.reply.status != kFound) return fail(unexpected_answer(reply));
  if (bytes.size() > kLargestArchive) {
    return fail(ErrorKind::check, fmt::format("{} is larger than 1 GiB", quoted(candidate.url)));
  }
  return bytes;
}

Done check_hash(const publish::IndexFile& file, const std::string& sha256) {
  const auto stated = file.hashes.find("sha256");
  if (stated == file.hashes.end() || stated->second == sha256) return {};
  return fail(ErrorKind::check, fmt::format("{} has the sha256 {}, but its index says {}",
                                            quoted(file.filename), sha256, stated->second));
}

Done write_file(const fs::path& path, const wheel::SdistFile& file) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) return fail(system_error("created", path.parent_path(), error.value()));
  if (file.kind == wheel::SdistFileKind::link) {
    fs::create_symlink(file.contents, path, error);
    if (error) return fail(system_error("created", path, error.value()));
    return {};
  }
  errno = 0;
  std::ofstream out(path, std::ios::binary);
  out << file.contents;
  out.close();
  if (!out) return fail(system_error("written", path, errno == 0 ? EIO : errno));
  const mode_t mode = file.kind == wheel::SdistFileKind::executable ? 0755 : 0644;
  if (::chmod(path.c_str(), mode) != 0) return fail(system_error("written", path, errno));
  return {};
}

}  // namespace

std::optional<UnpackedSdist> kept_sdist(const fs::path& directory) {
  const Result<std::string> text = LocalFiles().read(directory / kOriginFile);
  if (!text) return std::nullopt;
  const nlohmann::json origin = nlohmann::json::parse(*text, nullptr, false);
  if (!origin.is_object()) return std::nullopt;
  return UnpackedSdist{directory / kSourceDirectory, origin.value("url", ""),
                       origin.value("sha256", "")};
}

Result<UnpackedSdist> fetch_sdist(ports::Http& http, const env::PipIndexes& indexes,
                                  const SdistRequest& request, const MaskSecret& mask) {
  TRY(const Candidate candidate, find_sdist(http, indexes, request, mask));
  TRY(const std::string bytes, download(http, candidate));
  const std::string sha256 = sha256_hex(bytes);
  TRY_DONE(check_hash(candidate.file, sha256));
  TRY(const std::vector<wheel::SdistFile> contents,
      wheel::sdist_files(candidate.file.filename, bytes));
  LocalFiles files;
  const fs::path pending = request.directory.string() + fmt::format(".{}", ::getpid());
  TRY(const ScratchDirectory scratch, ScratchDirectory::make(files, pending));
  for (const wheel::SdistFile& file : contents) {
    TRY_DONE(write_file(pending / kSourceDirectory / file.name, file));
  }
  const nlohmann::json origin = {{"url", candidate.url}, {"sha256", sha256}};
  TRY_DONE(files.write(pending / kOriginFile, origin.dump() + "\n"));
  // Another run may have been faster: its result is as good.
  if (!kept_sdist(request.directory)) {
    TRY_DONE(files.remove_all(request.directory));
    TRY_DONE(files.rename(pending, request.directory));
  }
  return UnpackedSdist{request.directory / kSourceDirectory, candidate.url, sha256};
}

}  // namespace pinwheel::host
