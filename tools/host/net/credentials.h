#pragma once
#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/secret.h"
#include "ports/files.h"
#include "ports/http.h"
#include "publish/endpoints.h"

namespace pinwheel::host {

/// Mints new credentials, such as a token that is valid for a few minutes.
using MintCredentials = std::function<Result<ports::BasicCredentials>()>;

/// The result of a source: existing credentials, or a function that mints them when the upload
/// begins.
using Credentials = std::variant<ports::BasicCredentials, MintCredentials>;

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
///   section whose `repository` is the upload URL.
/// For the first two the user is PINWHEEL_USER_<TARGET>, else `__token__`.
enum class CredentialOrigin { variable, token_file, pypirc };

/// All sources, in the order in which they are tried.
inline constexpr std::array kCredentialOrigins = {
    CredentialOrigin::variable, CredentialOrigin::token_file, CredentialOrigin::pypirc};

/// The target that needs credentials, and the inputs of the sources.
struct CredentialRequest {
  std::string target;  ///< name in the matrix or on the command line
  publish::Endpoint endpoint = {};
  std::map<std::string, std::string> variables = {};
  std::filesystem::path token_file = {};  ///< from `--token-file`; empty without it
  PlainHttp plain_http = PlainHttp::refused;
};

/// One source per origin, in order. `files` must outlive them. `ask` returns `config` if a
/// configured file does not exist or is empty, or a section has no password.
std::vector<CredentialSource> credential_sources(const CredentialRequest& request,
                                                 ports::Files& files);

/// The credentials of a target, from the first source that has some. `mask` is called with each
/// secret before it is returned: here, or by the function that mints it, which the caller calls.
/// Kind `usage`, with the advice of all sources, if none has any, and for a secret that is too
/// short to be hidden; also, before any source is asked, for an upload URL over plain http to
/// another machine, unless that is allowed. No error contains a secret.
Result<Credentials> find_credentials(const CredentialRequest& request,
                                     const std::vector<CredentialSource>& sources,
                                     const MaskSecret& mask);

}  // namespace pinwheel::host
