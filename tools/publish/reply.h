#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/hidden_text.h"
#include "ports/http.h"

namespace pinwheel::publish {

/// The outcome of uploading a file, derived from the reply or its absence.
enum class Outcome {
  uploaded,   ///< the index accepted it
  identical,  ///< the index has the same bytes under this name
  conflict,   ///< the index has different bytes under this name
  refused,    ///< 400 or 409: it may exist already or violate a rule; a lookup by hash decides
  auth,       ///< the credentials are wrong or lack the permission
  policy,     ///< a rule of the index forbids it
  too_large,  ///< the server does not accept bodies of that size
  transient,  ///< nothing was stored; a retry may help
  unknown,    ///< the bytes may have arrived: look the file up before a retry
};

std::string_view to_string(Outcome outcome);

/// Whether the status is a redirect.
bool is_redirect(int status);

/// The outcome from the status alone. 200 to 202 is uploaded; 409 (pypiserver, Azure) and 400
/// (PyPI, GitLab, Nexus, Google) are refused; 401 and 403 auth; 413 too_large; 408, 425 and 429
/// transient; 5xx and 499 unknown, except 501 and 505; every other status, redirects included, is
/// policy.
Outcome outcome_of_status(int status);

/// The outcome without a reply: unknown when bytes may have been sent, else transient.
Outcome outcome_of_failure(const ports::HttpFailure& failure);

/// A server's message, in one line of at most 500 characters. Secrets are hidden before truncation.
std::string short_line(std::string_view found, const HiddenText& hidden);

/// The server's message as a `short_line`: `message` of a JSON body (Warehouse, GitLab), else a
/// plain-text body, else the reason phrase, else "".
std::string server_message(const ports::HttpResponse& response, const HiddenText& hidden);

/// The delay in a `Retry-After` header, in seconds.
std::optional<std::chrono::milliseconds> retry_after(const ports::HttpResponse& response);

/// The destination of a file.
struct Destination {
  std::string target;  ///< name in the matrix or on the command line
  std::string url;     ///< for uploads
  /// The advice for credentials that the index rejects; empty for those of the user, who finds them
  /// through the variable of this target.
  std::string credentials_advice = {};
};

/// The error for a reply that ends the upload of `filename`; `outcome` is neither uploaded nor
/// identical. Its kind is `publish`, and its hint explains how to fix it.
Error reply_error(Outcome outcome, const ports::HttpResponse& response, std::string_view filename,
                  const Destination& to, const HiddenText& hidden);

/// The error for a file that is in the index with different bytes; names both hashes.
Error conflict_error(std::string_view filename, std::string_view ours, std::string_view theirs);

/// The value of a header (name in lower case); empty when it is missing.
std::string header(const ports::HttpResponse& response, std::string_view name);

}  // namespace pinwheel::publish
