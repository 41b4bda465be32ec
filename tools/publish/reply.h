#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "ports/http.h"

namespace pinwheel::publish {

/// What a reply to an upload, or its absence, says about the file.
enum class Outcome {
  uploaded,   ///< the index took it
  identical,  ///< the index holds these very bytes under this name
  conflict,   ///< the index holds other bytes under this name
  refused,    ///< 400 or 409: it may exist already or break a rule; a look-up by hash tells which
  auth,       ///< the credentials are wrong or lack the right
  policy,     ///< a rule of the index forbids it
  too_large,  ///< the server takes no body of that size
  transient,  ///< the index took nothing; sending again may help
  unknown,    ///< the bytes may have arrived: look the file up before sending it again
};

std::string_view to_string(Outcome outcome);

/// Whether a reply of this status says where else to ask.
bool is_redirect(int status);

/// The outcome by status alone. 200 to 202 is uploaded; 409 (pypiserver, Azure) and 400 (PyPI,
/// GitLab, Nexus, Google) are refused; 401 and 403 auth; 413 too_large; 408, 425 and 429 transient;
/// 5xx and 499 unknown, except 501 and 505; every other status, redirects included, is policy.
Outcome outcome_of_status(int status);

/// No reply came: unknown when bytes may have left, transient when none did.
Outcome outcome_of_failure(const ports::HttpFailure& failure);

/// What the server said, in one line of at most 500 characters: `message` of a JSON body
/// (Warehouse, GitLab), else a plain-text body, else the reason phrase, else "".
std::string server_message(const ports::HttpResponse& response);

/// The delay that a `Retry-After` header in seconds asks for.
std::optional<std::chrono::milliseconds> retry_after(const ports::HttpResponse& response);

/// The error for a reply that ends the upload of `filename` to `url`; `outcome` is neither uploaded
/// nor identical. Its kind is `publish`, and its hint names what mends it.
Error reply_error(Outcome outcome, const ports::HttpResponse& response, std::string_view filename,
                  std::string_view url);

/// The error for a file that the index holds with other bytes, both hashes named.
Error conflict_error(std::string_view filename, std::string_view ours, std::string_view theirs);

/// The value of a header (name in lower case); empty when it is missing.
std::string header(const ports::HttpResponse& response, std::string_view name);

}  // namespace pinwheel::publish
