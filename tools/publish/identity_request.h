#pragma once
#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/secret.h"
#include "ports/http.h"

/// Requests for an identity token with an audience, provider by provider, and their replies.
namespace pinwheel::publish {

/// How long a service or its program may take to answer.
inline constexpr std::chrono::seconds kIdentityPatience{30};

/// The request to GitHub. Kind `usage` if the variables name no address, or one of plain http on
/// another machine: the request contains a token of the job.
Result<ports::HttpRequest> github_identity_request(
    const std::map<std::string, std::string>& variables, std::string_view audience);

/// The request to Google's metadata server, over plain http on the machine's own network
/// (`GCE_METADATA_HOST` overrides its address).
ports::HttpRequest google_identity_request(const std::map<std::string, std::string>& variables,
                                           std::string_view audience);
/// The same for an access token, which is needed to request the identity of another service
/// account.
ports::HttpRequest google_access_request(const std::map<std::string, std::string>& variables);
/// `account` is the value of GOOGLE_SERVICE_ACCOUNT_NAME.
ports::HttpRequest google_impersonation_request(std::string_view account, const Secret& access,
                                                std::string_view audience);

/// The programs of Buildkite and CircleCI that print one.
std::vector<std::string> buildkite_identity_command(std::string_view audience);
std::vector<std::string> circleci_identity_command(std::string_view audience);

/// The member `key` of a JSON reply, or the whole body if `key` is empty. `provider` is for
/// messages. Kind `transient` if the service is busy, `publish` for another answer.
Result<Secret> identity_reply(const ports::HttpResponse& response, std::string_view provider,
                              std::string_view key);

/// Returns `given` if it has the form of a token: one word of printable ASCII. Kind `publish` for
/// other bytes, a page, or a token after a warning.
Result<Secret> as_token(Secret given, std::string_view provider);

}  // namespace pinwheel::publish
