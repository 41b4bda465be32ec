#include "host/index/index_reader.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "base/mask.h"
#include "base/parse_integer.h"
#include "base/text.h"
#include "base/url.h"
#include "host/net/remote_file.h"
#include "host/system/file_source.h"
#include "host/system/files.h"
#include "publish/reply.h"
#include "publish/simple_page.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;
using publish::PageForm;
using publish::PagePlace;

constexpr std::string_view kFileUrl = "file://";
constexpr int kThere = 200;
constexpr int kPartial = 206;
constexpr int kNotPermitted = 403;  // how object stores answer for what they do not have
constexpr int kNotThere = 404;
constexpr int kNotAcceptable = 406;
constexpr int kEmptyFile = 416;
constexpr ByteLimit kFirstByte{"the first byte of a file", 1000};
constexpr uint64_t kChunk = uint64_t{1} << 20U;

bool is_web(std::string_view url) {
  return url.starts_with("https://") || url.starts_with("http://");
}

std::string file_url(const fs::path& path) {
  std::string url(kFileUrl);
  for (const fs::path& part : path) {
    if (part.string() != "/") url += "/" + encode_segment(part.string());
  }
  return url;
}

PageForm form_of(std::string_view content_type) {
  const std::string type = to_lower(content_type.substr(0, content_type.find(';')));
  return type.find("json") == std::string::npos ? PageForm::html : PageForm::json;
}

std::string_view accept_header(WantedPage wanted) {
  switch (wanted) {
    case WantedPage::served:
      return publish::kAcceptSimple;
    case WantedPage::html:
      return "application/vnd.pypi.simple.v1+html, text/html;q=0.9";
    case WantedPage::json:
      break;
  }
  return "application/vnd.pypi.simple.v1+json, application/json;q=0.9";
}

/// The number after the slash of "bytes 0-0/123" and "bytes */0".
std::optional<uint64_t> total_of(std::string_view range) {
  const size_t slash = range.rfind('/');
  if (slash == std::string_view::npos) return std::nullopt;
  return parse_unsigned(range.substr(slash + 1));
}

FoundFile answer_of(const std::string& url, const RemoteReply& answer) {
  const ports::HttpResponse& reply = answer.reply;
  FoundFile found{{mask_urls(url), mask_urls(answer.url)}};
  const std::string range = publish::header(reply, "content-range");
  if (reply.status == kPartial || reply.status == kEmptyFile) found.link.size = total_of(range);
  if (reply.status == kThere) {
    found.link.size = parse_unsigned(publish::header(reply, "content-length"));
  }
  const bool known = reply.status == kThere || reply.status == kPartial ||
                     (reply.status == kEmptyFile && found.link.size == uint64_t{0});
  if (!known && publish::is_redirect(reply.status)) {
    found.link.fault =
        fmt::format("is redirected to {}, without encryption",
                    quoted_url(resolve_url(answer.url, publish::header(reply, "location"))));
  } else if (!known) {
    found.link.fault = unexpected_answer(answer).message;
  }
  std::string tag = publish::header(reply, "etag");
  if (tag.empty()) tag = publish::header(reply, "last-modified");
  found.state = fmt::format("{} {}", found.link.size.value_or(0), tag);
  return found;
}

}  // namespace

IndexReader::IndexReader(ports::Http& http, RemoteAddress index, fs::path scratch)
    : http_(http),
      credentials_(std::move(index.credentials)),
      root_(std::move(index.url)),
      place_(PagePlace::server),
      scratch_(std::move(scratch)) {
  if (!root_.ends_with('/')) root_ += '/';
}

IndexReader::IndexReader(ports::Http& http, const fs::path& index, fs::path scratch)
    : http_(http), place_(PagePlace::directory), scratch_(std::move(scratch)) {
  std::error_code ignored;
  directory_ = fs::absolute(index, ignored).lexically_normal();
  if (!directory_.has_filename()) directory_ = directory_.parent_path();
  root_ = file_url(directory_) + "/";
}

Result<fs::path> IndexReader::local_path(const std::string& url) const {
  const std::string_view text = std::string_view(url).substr(0, url.find_first_of("?#"));
  fs::path path;
  if (const auto linked = path_of_file_url(text); linked && place_ == PagePlace::directory) {
    path = fs::path(*linked).lexically_normal();
  }
  const fs::path below = path.lexically_relative(directory_);
  if (path.empty() || below.empty() || *below.begin() == "..") {
    return fail(ErrorKind::config, fmt::format("{} is outside of the index", quoted_url(url)));
  }
  return path;
}

Result<std::optional<ServedPage>> IndexReader::local_page(const std::string& url,
                                                          WantedPage wanted) const {
  TRY(const fs::path directory, local_path(url));
  const bool json = wanted == WantedPage::json;
  const fs::path path = directory / (json ? "index.json" : "index.html");
  LocalFiles files;
  if (files.resolved_type(path) == ports::FileType::missing) return std::nullopt;
  TRY(std::string body, files.read(path, limits::kSimplePage));
  const PageForm form = json ? PageForm::json : PageForm::html;
  return ServedPage{url, form, json ? "application/json" : "text/html", std::move(body)};
}

Result<std::optional<ServedPage>> IndexReader::page(const std::string& url,
                                                    WantedPage wanted) const {
  if (place_ == PagePlace::directory) return local_page(url, wanted);
  TRY(RemoteReply answer, get_remote(access(), url, [wanted](ports::HttpRequest& request) {
        request.headers.emplace_back("Accept", std::string(accept_header(wanted)));
      }));
  const int status = answer.reply.status;
  if (status == kNotThere || status == kNotPermitted || status == kNotAcceptable) {
    return std::nullopt;
  }
  if (status != kThere) return fail(unexpected_answer(answer));
  std::string type = publish::header(answer.reply, "content-type");
  const PageForm form = form_of(type);
  return ServedPage{std::move(answer.url), form, std::move(type), std::move(answer.reply.body)};
}

std::vector<std::string> IndexReader::directories() const {
  std::vector<std::string> found;
  if (place_ == PagePlace::server) return found;
  LocalFiles files;
  const Result<std::vector<std::string>> names = files.list(directory_);
  if (!names) return found;
  for (const std::string& name : *names) {
    const bool hidden = name.starts_with('.');
    if (!hidden && files.resolved_type(directory_ / name) == ports::FileType::directory) {
      found.push_back(name);
    }
  }
  return found;
}

FoundFile IndexReader::find(const std::string& url) const {
  if (is_web(url)) {
    const Result<RemoteReply> answer = get_remote(access(), url, [](ports::HttpRequest& request) {
      request.headers.emplace_back("Range", "bytes=0-0");
      request.body_limit = kFirstByte;
      request.long_body = ports::LongBody::ends;
    });
    if (answer) return answer_of(url, *answer);
    return {{mask_urls(url), {}, answer.error().message}};
  }
  FoundFile found{{mask_urls(url), mask_urls(url)}};
  const Result<fs::path> path = local_path(url);
  struct stat status = {};
  if (!path) {
    found.link.fault = place_ == PagePlace::directory
                           ? path.error().message
                           : quoted_url(url) + " is neither an http nor an https address";
  } else if (::stat(path->c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
    found.link.fault = quoted(path->string()) + " is not a file";
  } else {
    found.link.size = static_cast<uint64_t>(status.st_size);
    found.state =
        fmt::format("{} {}.{:09}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
  }
  return found;
}

Done IndexReader::stream(const std::string& url, const std::function<void()>& restart,
                         const std::function<void(std::string_view)>& sink) const {
  if (is_web(url)) {
    TRY(const RemoteReply answer, get_remote(access(), url, [&](ports::HttpRequest& request) {
          restart();
          request.sink = sink;
        }));
    if (answer.reply.status != kThere) return fail(unexpected_answer(answer));
    return {};
  }
  TRY(const fs::path path, local_path(url));
  TRY(const std::unique_ptr<FileSource> file, FileSource::open(path));
  restart();
  for (uint64_t at = 0; at < file->size(); at += kChunk) {
    TRY(const std::string piece, file->read(at, std::min(kChunk, file->size() - at)));
    sink(piece);
  }
  return {};
}

Result<std::string> IndexReader::text(const std::string& url, const ByteLimit& limit) const {
  if (!is_web(url)) {
    TRY(const fs::path path, local_path(url));
    return LocalFiles().read(path, limit);
  }
  TRY(RemoteReply answer, get_remote(access(), url, [&limit](ports::HttpRequest& request) {
        request.body_limit = limit;
      }));
  if (answer.reply.status != kThere) return fail(unexpected_answer(answer));
  return std::move(answer.reply.body);
}

Result<IndexReader::OpenFile> IndexReader::open(const std::string& url) const {
  if (is_web(url)) {
    TRY(std::unique_ptr<RemoteFile> file, RemoteFile::open(access(), {scratch_}, url));
    const bool whole = file->bytes_fetched() >= file->size();
    return OpenFile{std::move(file), whole};
  }
  TRY(const fs::path path, local_path(url));
  TRY(std::unique_ptr<FileSource> file, FileSource::open(path));
  return OpenFile{std::move(file), true};
}

}  // namespace pinwheel::host
