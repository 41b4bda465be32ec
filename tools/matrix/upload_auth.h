#pragma once
#include <array>
#include <optional>
#include <string_view>

namespace pinwheel::matrix {

/// How uploads to a target are authorized, by the key `auth`.
enum class UploadAuth {
  automatic,  ///< by a token of the user's, else by one that is minted for the job
  trusted,    ///< only by a token that is minted for the job (trusted publishing)
  token,      ///< only by a token of the user's
  none,       ///< not at all
};

/// The words of the key; `automatic` is what its absence means.
inline constexpr std::array kUploadAuths = {UploadAuth::trusted, UploadAuth::token,
                                            UploadAuth::none};

constexpr std::string_view to_string(UploadAuth auth) {
  switch (auth) {
    case UploadAuth::automatic:
      return "automatic";
    case UploadAuth::trusted:
      return "trusted";
    case UploadAuth::token:
      return "token";
    case UploadAuth::none:
      return "none";
  }
  return {};
}

/// The inverse for the words of the key.
constexpr std::optional<UploadAuth> parse_upload_auth(std::string_view word) {
  for (const UploadAuth auth : kUploadAuths) {
    if (to_string(auth) == word) return auth;
  }
  return std::nullopt;
}

}  // namespace pinwheel::matrix
