#pragma once
#include <array>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/secret.h"
#include "matrix/target_kind.h"
#include "ports/clock.h"
#include "ports/files.h"
#include "ports/http.h"
#include "ports/process.h"
#include "publish/endpoints.h"

namespace pinwheel::host {

/// New credentials, such as a token that is valid for a few minutes.
struct ExchangedCredentials {
  ports::BasicCredentials credentials;
  /// How long they are used before they are renewed; nullopt: to the end.
  std::optional<std::chrono::milliseconds> fresh_for = std::nullopt;
  /// When they expire; nullopt if unknown.
  std::optional<std::chrono::system_clock::time_point> ends = std::nullopt;
  /// The advice if the index rejects them; empty if unknown.
  std::string advice = {};
  /// Revokes them; empty if that is not needed.
  std::function<Done()> revoke = {};
};

/// Obtains new credentials.
using CredentialExchange = std::function<Result<ExchangedCredentials>()>;

/// The result of a source: existing credentials, or a function that obtains them when the upload
/// begins.
using Credentials = std::variant<ports::BasicCredentials, CredentialExchange>;

/// A source of credentials.
struct CredentialSource {
  std::string advice;  ///< how a user provides them: "pass --token-file FILE"
  /// nullopt: the source has none for this target, and the next one is tried.
  std::function<Result<std::optional<Credentials>>()> ask;
};

/// The sources:
/// - `variable`: PINWHEEL_TOKEN_<TARGET>, the name in capitals with `_` for all but letters and
///   digits;
/// - `token_file`: the file of `--token-file`; one line, surrounding whitespace is ignored;
/// - `pypirc`: the section named after the target in .pypirc (`username`, `password`), else the
///   section whose `repository` is the upload URL;
/// - `trusted`: a token that the index issues for the job (`host/net/trusted_token`), if a CI
///   service gives the job an identity.
/// - `github`: GH_TOKEN, else GITHUB_TOKEN.
/// For the first two the user is PINWHEEL_USER_<TARGET>, else `__token__`.
enum class CredentialOrigin { variable, token_file, github, pypirc, trusted };

/// All sources, in the order in which they are tried.
inline constexpr std::array kCredentialOrigins = {
    CredentialOrigin::variable, CredentialOrigin::token_file, CredentialOrigin::github,
    CredentialOrigin::pypirc, CredentialOrigin::trusted};

/// What credentials are for: uploads to an index, or the API of GitHub. `github` applies to the
/// API only, `pypirc` and `trusted` to indexes only.
enum class CredentialUse { index, github };

/// The target that needs credentials, and the inputs of the sources.
struct CredentialRequest {
  std::string target;  ///< name in the matrix or on the command line
  publish::Endpoint endpoint = {};
  std::map<std::string, std::string> variables = {};
  std::filesystem::path token_file = {};  ///< from `--token-file`; empty without it
  PlainHttp plain_http = PlainHttp::refused;
  matrix::UploadAuth auth = matrix::UploadAuth::automatic;  ///< not `none`
  std::string audience =
      {};  ///< of identity tokens, as the matrix states it; empty: the index's own
  CredentialUse use = CredentialUse::index;
};

/// The ports that the sources use. All must outlive them and the credentials they obtain.
struct CredentialPorts {
  ports::Files& files;
  ports::Http& http;
  /// For requests at the end, even of a stopped upload.
  ports::Http& last_http;
  ports::Process& process;
  const ports::Clock& clock;
  MaskSecret mask = {};  ///< called with identity tokens before they are used
};

/// One source per origin that `auth` permits, in order. `ask` returns `config` if a configured file
/// does not exist or is empty, or a section has no password, and `usage` for a job without an
/// identity if only a trusted job may publish.
std::vector<CredentialSource> credential_sources(const CredentialRequest& request,
                                                 const CredentialPorts& ports);

/// The credentials of a target, from the first source that has some. `mask` is called with each
/// secret before it is returned: here, or by the function that obtains it, which the caller calls.
/// Kind `usage`, with the advice of all sources, if none has any, and for a secret that is too
/// short to be hidden; also, before any source is asked, for an upload URL over plain http to
/// another machine, unless that is allowed. No error contains a secret.
Result<Credentials> find_credentials(const CredentialRequest& request,
                                     const std::vector<CredentialSource>& sources,
                                     const MaskSecret& mask);

}  // namespace pinwheel::host
