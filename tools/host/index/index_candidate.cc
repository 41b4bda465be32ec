#include "host/index/index_candidate.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "base/mask.h"
#include "base/text.h"
#include "base/url.h"
#include "host/system/files.h"
#include "pep/name.h"
#include "pep/pypi.h"
#include "publish/reply.h"
#include "publish/simple_page.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

constexpr int kPageFound = 200;
constexpr int kNoSuchPage = 404;
constexpr std::string_view kFileScheme = "file://";

bool is_local(std::string_view address) {
  return address.starts_with(kFileScheme) || !is_address(address);
}

fs::path local_path(std::string_view address) {
  const std::optional<std::string> path = path_of_file_url(address);
  return path ? fs::path(*path) : fs::path(address);
}

/// The files in a directory.
std::vector<publish::IndexFile> files_in(const fs::path& directory) {
  std::vector<publish::IndexFile> files;
  const Result<std::vector<std::string>> names = LocalFiles().list(directory);
  if (!names) return files;  // pip ignores a directory that does not exist
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
  if (page.reply.status != kPageFound) return fail(unexpected_answer(page));
  TRY(std::vector<publish::IndexFile> files,
      publish::parse_simple_page(publish::header(page.reply, "content-type"), page.reply.body));
  for (publish::IndexFile& file : files) file.url = resolve_url(page.url, file.url);
  return files;
}

Result<RemoteAddress> remote_index(std::string_view address) {
  std::optional<RemoteAddress> index = parse_address(address);
  if (!index) {
    return fail(ErrorKind::config,
                fmt::format("{} is not the URL of an index", quoted_url(address)),
                "`pip config list` shows where pip's configuration names it");
  }
  if (!index->url.ends_with('/')) index->url += '/';
  return *std::move(index);
}

/// The places to look, in order.
std::vector<std::string> places_of(const env::PipIndexes& indexes) {
  std::vector<std::string> places;
  if (!indexes.no_index) {
    places.push_back(indexes.index.value_or(pep::simple_url(pep::kPypiHost)));
    places.insert(places.end(), indexes.extra.begin(), indexes.extra.end());
  }
  return places;
}

Result<IndexCandidate> find_at(ports::Http& http, const std::string& place, const std::string& name,
                               const ChooseIndexFile& choose, const MaskSecret& mask) {
  if (is_local(place)) {
    TRY(const std::vector<publish::IndexFile> files, local_page(local_path(place), name));
    TRY(publish::IndexFile file, choose(files));
    std::string url = file.url;
    return IndexCandidate{std::move(file), std::move(url)};
  }
  TRY(RemoteAddress index, remote_index(place));
  if (index.credentials && mask) mask(index.credentials->password);
  TRY(const std::vector<publish::IndexFile> files, remote_page(http, index, name));
  TRY(publish::IndexFile file, choose(files));
  std::string url = file.url;
  return IndexCandidate{std::move(file), std::move(url), std::move(index)};
}

}  // namespace

Result<IndexCandidate> find_on_indexes(ports::Http& http, const env::PipIndexes& indexes,
                                       const std::string& project, const ChooseIndexFile& choose,
                                       const MaskSecret& mask) {
  const std::string name = pep::normalize_name(project);
  std::optional<Error> first;
  for (const std::string& place : places_of(indexes)) {
    Result<IndexCandidate> found = find_at(http, place, name, choose, mask);
    // A place that does not respond is an error at once: another may have a file of the same name
    // with other contents.
    if (found || found.error().kind != ErrorKind::config) return found;
    if (!first) first = std::move(found).error();
  }
  for (const std::string& place : indexes.find_links) {
    if (!is_local(place)) continue;
    Result<publish::IndexFile> file = choose(files_in(local_path(place)));
    if (file) return IndexCandidate{*file, file->url};
    if (!first) first = std::move(file).error();
  }
  if (first) return fail(*std::move(first));
  return fail(ErrorKind::config, "pip is configured to use no index",
              "remove `no-index` from pip's configuration");
}

std::optional<fs::path> local_file(const IndexCandidate& candidate) {
  if (!is_local(candidate.url)) return std::nullopt;
  return local_path(candidate.url);
}

}  // namespace pinwheel::host
