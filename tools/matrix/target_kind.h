#pragma once
#include <array>
#include <optional>
#include <string_view>

namespace pinwheel::matrix {

/// What a publish target is, by the key `kind`. Whatever differs from one kind to another is a
/// switch without a default, so that a new kind does not compile before each place handles it.
enum class TargetKind { pypi, testpypi, index, directory };

/// All of them, in the order in which people are told of them.
inline constexpr std::array kTargetKinds = {TargetKind::pypi, TargetKind::testpypi,
                                            TargetKind::index, TargetKind::directory};

constexpr std::string_view to_string(TargetKind kind) {
  switch (kind) {
    case TargetKind::pypi:
      return "pypi";
    case TargetKind::testpypi:
      return "testpypi";
    case TargetKind::index:
      return "index";
    case TargetKind::directory:
      return "directory";
  }
  return {};
}
static_assert(to_string(TargetKind{kTargetKinds.size()}).empty(), "kTargetKinds lacks a kind");

std::optional<TargetKind> parse_target_kind(std::string_view name);

/// Where published files lie: on a server, which takes uploads, or in a directory of the checkout.
enum class TargetPlace { server, directory };

constexpr TargetPlace place_of(TargetKind kind) {
  switch (kind) {
    case TargetKind::pypi:
    case TargetKind::testpypi:
    case TargetKind::index:
      break;
    case TargetKind::directory:
      return TargetPlace::directory;
  }
  return TargetPlace::server;
}

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
