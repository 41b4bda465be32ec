#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ports/files.h"
#include "ports/http.h"

namespace pinwheel::host {

/// Where credentials may come from.
struct CredentialSources {
  std::map<std::string, std::string> environment = {};
  std::filesystem::path token_file = {};  ///< of `--token-file`; empty without
  std::filesystem::path pypirc = {};      ///< "~/.pypirc"; empty without a home
};

/// The user's own: the variables, the file of `--token-file`, and .pypirc in the home that the
/// variables name.
CredentialSources credential_sources(const std::map<std::string, std::string>& variables,
                                     const std::filesystem::path& token_file);

/// The credentials of a target, from the first source that has some:
/// 1. PINWHEEL_TOKEN_<TARGET>, the name in capitals with `_` for what is no letter or digit; the
///    user is PINWHEEL_USER_<TARGET>, else `__token__`;
/// 2. the token file: one line, white space around it ignored; the same user;
/// 3. the section of that name in .pypirc (`username`, `password`), else the section whose
///    `repository` is `upload_url`.
/// Kind `usage` when no source has any (the message names all three), `config` when a file that is
/// named does not exist, is empty, or a section lacks its password. No error holds a secret.
Result<ports::BasicCredentials> find_credentials(std::string_view target,
                                                 std::string_view upload_url,
                                                 const CredentialSources& sources,
                                                 ports::Files& files);

}  // namespace pinwheel::host
