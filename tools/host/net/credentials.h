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

/// Makes credentials that did not exist before, such as a token that is good for some minutes.
using MintCredentials = std::function<Result<ports::BasicCredentials>()>;

/// What a source answers with: credentials that exist, or what mints them when the upload begins.
using Credentials = std::variant<ports::BasicCredentials, MintCredentials>;

/// A place where credentials may come from.
struct CredentialSource {
  std::string advice;  ///< how a user provides them there: "give --token-file FILE"
  /// None: there is nothing for this target, and the next source is asked.
  std::function<Result<std::optional<Credentials>>()> ask;
};

/// The sources there are:
/// - `variable`: PINWHEEL_TOKEN_<TARGET>, the name in capitals with `_` for what is no letter or
///   digit;
/// - `token_file`: the file of `--token-file`; one line, white space around it ignored;
/// - `pypirc`: the section of the target's name in .pypirc (`username`, `password`), else the
///   section whose `repository` is the upload URL.
/// With a token of the first two the user is PINWHEEL_USER_<TARGET>, else `__token__`.
enum class CredentialOrigin { variable, token_file, pypirc };

/// All of them, in the order in which they are asked.
inline constexpr std::array kCredentialOrigins = {
    CredentialOrigin::variable, CredentialOrigin::token_file, CredentialOrigin::pypirc};

/// What credentials are wanted for, and what of the user's surroundings the sources read.
struct CredentialRequest {
  std::string target;  ///< its name in the matrix or on the command line
  publish::Endpoint endpoint = {};
  std::map<std::string, std::string> variables = {};
  std::filesystem::path token_file = {};  ///< of `--token-file`; empty without
};

/// One source for each origin, in their order. `files` outlives them. Asking gives `config` when a
/// file that is named does not exist or is empty, or a section lacks its password.
std::vector<CredentialSource> credential_sources(const CredentialRequest& request,
                                                 ports::Files& files);

/// The credentials of a target, from the first source that has some. `mask` is told of a secret
/// where it comes into being, before anybody else: here, or by the minting, which is left to the
/// caller. Kind `usage`, with the advice of all sources, when none has any. No error holds a
/// secret.
Result<Credentials> find_credentials(const CredentialRequest& request,
                                     const std::vector<CredentialSource>& sources,
                                     const MaskSecret& mask);

}  // namespace pinwheel::host
