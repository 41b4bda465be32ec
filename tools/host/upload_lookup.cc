#include "host/upload_lookup.h"

#include <fmt/format.h>

#include <functional>

#include "base/digest.h"
#include "base/text.h"
#include "base/url.h"
#include "pep/name.h"
#include "publish/simple_page.h"

namespace pinwheel::host {

namespace {

constexpr int kMaxRedirects = 3;

ports::HttpRequest get(const UploadTarget& target, const std::string& url) {
  ports::HttpRequest request;
  request.url = url;
  if (same_server(target.endpoint.upload_url, url)) {
    request.credentials = target.credentials;
  }
  return request;
}

Error unreadable(const std::string& url, const ports::HttpResponse& response) {
  const publish::Outcome outcome = publish::outcome_of_status(response.status);
  const bool passes =
      outcome == publish::Outcome::transient || outcome == publish::Outcome::unknown;
  const std::string said = publish::server_message(response);
  return Error{passes ? ErrorKind::transient : ErrorKind::publish,
               fmt::format("{} cannot be read: HTTP {}{}", quoted(url), response.status,
                           said.empty() ? "" : fmt::format(" ({})", said)),
               std::nullopt,
               "the index is read to recognise files that it holds; name its address with "
               "--check-url",
               {}};
}

struct Page {
  std::string url;  ///< after redirects: links are relative to it
  ports::HttpResponse reply;
};

/// How an address is asked, and where its redirects may lead.
struct Walk {
  std::function<ports::HttpRequest(const std::string& url)> ask;
  std::function<bool(const std::string& from, const std::string& to)> follow;
};

/// The reply at the end of the redirects; one that may not be followed is a reply like any other.
Result<Page> get_following(const std::string& start, const Walk& walk, ports::Http& http) {
  std::string url = start;
  for (int hop = 0; hop <= kMaxRedirects; ++hop) {
    tl::expected<ports::HttpResponse, ports::HttpFailure> reply = http.send(walk.ask(url));
    if (!reply) return fail(reply.error().error);
    if (!publish::is_redirect(reply->status)) return Page{url, *std::move(reply)};
    const std::string next = resolve_url(url, publish::header(*reply, "location"));
    if (!walk.follow(url, next)) return Page{url, *std::move(reply)};
    url = next;
  }
  return fail(ErrorKind::publish, fmt::format("{} redirects without end", quoted(start)));
}

/// The SHA-256 of a file of the index. Stores may keep files with another host, which https alone
/// vouches for here: a wrong file has a wrong hash and ends the upload.
Result<std::string> download_digest(const UploadTarget& target, const std::string& url,
                                    ports::Http& http) {
  std::optional<Sha256> hash;
  Walk walk;
  walk.ask = [&](const std::string& at) {
    // What a redirect says besides its address is not part of the file.
    hash.emplace();
    ports::HttpRequest request = get(target, at);
    request.sink = [&hash](std::string_view bytes) { hash->update(bytes); };
    return request;
  };
  walk.follow = [](const std::string& from, const std::string& to) {
    return same_server(from, to) || to.starts_with("https://");
  };
  TRY(const Page page, get_following(url, walk, http));
  if (page.reply.status != 200) return fail(unreadable(page.url, page.reply));
  return to_hex(hash->finish());
}

}  // namespace

Result<std::vector<publish::IndexFile>> read_project(const UploadTarget& target,
                                                     const std::string& name, ports::Http& http) {
  Walk walk;
  walk.ask = [&target](const std::string& at) {
    ports::HttpRequest request = get(target, at);
    // Caches in between serve pages that are minutes old.
    request.headers = {{"Accept", std::string(publish::kAcceptSimple)},
                       {"Cache-Control", "no-cache"}};
    return request;
  };
  walk.follow = same_server;
  TRY(const Page page,
      get_following(publish::project_url(target.endpoint, pep::normalize_name(name)), walk, http));
  const int status = page.reply.status;
  // A page elsewhere is another index's, to which a local one passes on what it does not know.
  if (status == 404 || status == 410 || publish::is_redirect(status)) {
    return std::vector<publish::IndexFile>();
  }
  if (status != 200) return fail(unreadable(page.url, page.reply));
  TRY(std::vector<publish::IndexFile> files,
      publish::parse_simple_page(publish::header(page.reply, "content-type"), page.reply.body));
  for (publish::IndexFile& file : files) file.url = resolve_url(page.url, file.url);
  return files;
}

Result<Holding> look_up(const publish::Artifact& file, const std::vector<publish::IndexFile>& page,
                        const UploadTarget& target, ports::Http& http) {
  for (const publish::IndexFile& held : page) {
    if (held.filename != file.filename) continue;
    const auto found = held.hashes.find("sha256");
    std::string theirs = found == held.hashes.end() ? std::string() : found->second;
    if (theirs.empty()) {
      TRY(theirs, download_digest(target, held.url, http));
    }
    return Holding{theirs == file.sha256 ? Held::identical : Held::different, theirs};
  }
  return Holding{};
}

}  // namespace pinwheel::host
