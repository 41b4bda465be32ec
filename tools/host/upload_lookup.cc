#include "host/upload_lookup.h"

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "pep/name.h"
#include "publish/simple_page.h"
#include "publish/url.h"

namespace pinwheel::host {

namespace {

constexpr int kMaxRedirects = 3;

ports::HttpRequest get(const UploadTarget& target, const std::string& url) {
  ports::HttpRequest request;
  request.url = url;
  if (publish::same_origin(url, target.endpoint.upload_url)) {
    request.credentials = target.credentials;
  }
  return request;
}

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
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

/// A page of the index; redirects that stay on its host are followed. A reply of 404 when it leads
/// elsewhere: another index is not this one.
Result<ports::HttpResponse> get_page(const UploadTarget& target, std::string url,
                                     ports::Http& http) {
  for (int hop = 0; hop <= kMaxRedirects; ++hop) {
    ports::HttpRequest request = get(target, url);
    // Caches in between serve pages that are minutes old.
    request.headers = {{"Accept", std::string(publish::kAcceptSimple)},
                       {"Cache-Control", "no-cache"}};
    tl::expected<ports::HttpResponse, ports::HttpFailure> reply = http.send(request);
    if (!reply) return fail(reply.error().error);
    if (!is_redirect(reply->status)) return *std::move(reply);
    const std::string next = publish::resolve_url(url, publish::header(*reply, "location"));
    if (!publish::same_origin(url, next)) return ports::HttpResponse{.status = 404};
    url = next;
  }
  return fail(ErrorKind::publish, fmt::format("{} redirects without end", quoted(url)));
}

/// The SHA-256 of a file of the index.
Result<std::string> download_digest(const UploadTarget& target, const std::string& url,
                                    ports::Http& http) {
  Sha256 hash;
  ports::HttpRequest request = get(target, url);
  request.sink = [&hash](std::string_view bytes) { hash.update(bytes); };
  tl::expected<ports::HttpResponse, ports::HttpFailure> reply = http.send(request);
  if (!reply) return fail(reply.error().error);
  if (reply->status != 200) return fail(unreadable(url, *reply));
  return to_hex(hash.finish());
}

}  // namespace

Result<std::vector<publish::IndexFile>> read_project(const UploadTarget& target,
                                                     const std::string& name, ports::Http& http) {
  const std::string url = publish::project_url(target.endpoint, pep::normalize_name(name));
  TRY(const ports::HttpResponse reply, get_page(target, url, http));
  if (reply.status == 404 || reply.status == 410) return std::vector<publish::IndexFile>();
  if (reply.status != 200) return fail(unreadable(url, reply));
  TRY(std::vector<publish::IndexFile> files,
      publish::parse_simple_page(publish::header(reply, "content-type"), reply.body));
  for (publish::IndexFile& file : files) file.url = publish::resolve_url(url, file.url);
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
