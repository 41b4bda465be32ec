#include "host/index/upload_lookup.h"

#include <fmt/format.h>

#include "base/digest.h"
#include "base/mask.h"
#include "base/text.h"
#include "base/url.h"
#include "host/net/get_remote.h"
#include "pep/name.h"
#include "publish/reply.h"
#include "publish/simple_page.h"

namespace pinwheel::host {

namespace {

/// Uploads have their own retry logic.
RemoteManner manner(FollowRule follow) {
  return {follow, 1, ErrorKind::publish};
}

RemoteAccess access_to(const OpenIndex& index, ports::Http& http) {
  return {http, index.credentials, index.endpoint.upload_url};
}

Error unreadable(const OpenIndex& index, const std::string& url,
                 const ports::HttpResponse& response) {
  const publish::Outcome outcome = publish::outcome_of_status(response.status);
  const bool passes =
      outcome == publish::Outcome::transient || outcome == publish::Outcome::unknown;
  const std::string reason = publish::server_message(response, hidden_of(index));
  const bool denied = outcome == publish::Outcome::auth && !index.denied.empty();
  return Error{passes ? ErrorKind::transient : ErrorKind::publish,
               fmt::format("{} cannot be read: HTTP {}{}", quoted_url(url), response.status,
                           reason.empty() ? "" : fmt::format(" ({})", reason)),
               std::nullopt,
               denied ? index.denied
                      : "the index is read to recognize files that it has; pass its URL with "
                        "--check-url",
               {}};
}

/// The SHA-256 of a file of the index. Indexes may store files on a different host, for which https
/// is enough: a wrong file has a wrong hash and ends the upload.
Result<std::string> download_digest(const OpenIndex& index, const std::string& url,
                                    ports::Http& http) {
  std::optional<Sha256> hash;
  const auto prepare = [&hash](ports::HttpRequest& request) {
    // The body of a redirect is not part of the file.
    hash.emplace();
    request.sink = [&hash](std::string_view bytes) { hash->update(bytes); };
  };
  TRY(const RemoteReply page,
      get_remote(access_to(index, http), url, prepare, manner(safe_to_follow)));
  if (page.reply.status != 200) return fail(unreadable(index, page.url, page.reply));
  return to_hex(hash->finish());
}

/// A page beyond a limit cannot be read, like a malformed one: the contents of the index stay
/// unknown.
Result<RemoteReply> readable(Result<RemoteReply> page) {
  if (!page && page.error().kind == ErrorKind::check) page.error().kind = ErrorKind::publish;
  return page;
}

}  // namespace

Result<std::vector<publish::IndexFile>> read_project(const OpenIndex& index,
                                                     const std::string& name, ports::Http& http) {
  const auto prepare = [](ports::HttpRequest& request) {
    // Bypasses caches, which may serve pages that are minutes old.
    request.headers = {{"Accept", std::string(publish::kAcceptSimple)},
                       {"Cache-Control", "no-cache"}};
  };
  TRY(const RemoteReply page,
      readable(get_remote(access_to(index, http),
                          publish::project_url(index.endpoint, pep::normalize_name(name)), prepare,
                          manner(same_server))));
  const int status = page.reply.status;
  // A page on a different host belongs to an upstream index, to which a local one redirects unknown
  // projects.
  if (status == 404 || status == 410 || publish::is_redirect(status)) {
    return std::vector<publish::IndexFile>();
  }
  if (status != 200) return fail(unreadable(index, page.url, page.reply));
  TRY(std::vector<publish::IndexFile> files,
      publish::parse_simple_page(publish::header(page.reply, "content-type"), page.reply.body));
  for (publish::IndexFile& file : files) file.url = resolve_url(page.url, file.url);
  return files;
}

Result<FileLookup> look_up(const publish::Artifact& file,
                           const std::vector<publish::IndexFile>& page, const OpenIndex& index,
                           ports::Http& http) {
  for (const publish::IndexFile& listed : page) {
    if (listed.filename != file.filename) continue;
    const auto found = listed.hashes.find("sha256");
    std::string theirs = found == listed.hashes.end() ? std::string() : found->second;
    if (theirs.empty()) {
      TRY(theirs, download_digest(index, listed.url, http));
    }
    return FileLookup{theirs == file.sha256 ? IndexPresence::identical : IndexPresence::different,
                      theirs};
  }
  return FileLookup{};
}

}  // namespace pinwheel::host
