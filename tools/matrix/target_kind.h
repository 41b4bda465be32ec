#pragma once
#include <array>
#include <optional>
#include <string_view>

namespace pinwheel::matrix {

/// The kind of a publish target, by the key `kind`. Differences between kinds are in switches
/// without a default, so that a new kind does not compile before each place handles it.
enum class TargetKind { pypi, testpypi, index, directory, s3, github_release };

/// All kinds, in the order of messages.
inline constexpr std::array kTargetKinds = {TargetKind::pypi,  TargetKind::testpypi,
                                            TargetKind::index, TargetKind::directory,
                                            TargetKind::s3,    TargetKind::github_release};

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
    case TargetKind::s3:
      return "s3";
    case TargetKind::github_release:
      return "github-release";
  }
  return {};
}
static_assert(to_string(TargetKind{kTargetKinds.size()}).empty(), "kTargetKinds lacks a kind");

std::optional<TargetKind> parse_target_kind(std::string_view name);

/// The location of published files: a server, which accepts uploads, or a directory of the
/// checkout.
enum class TargetPlace { server, directory };

constexpr TargetPlace place_of(TargetKind kind) {
  switch (kind) {
    case TargetKind::pypi:
    case TargetKind::testpypi:
    case TargetKind::index:
    case TargetKind::s3:
    case TargetKind::github_release:
      break;
    case TargetKind::directory:
      return TargetPlace::directory;
  }
  return TargetPlace::server;
}

/// Whether files are uploaded by the API of PyPI.
constexpr bool has_upload_api(TargetKind kind) {
  switch (kind) {
    case TargetKind::pypi:
    case TargetKind::testpypi:
    case TargetKind::index:
      return true;
    case TargetKind::directory:
    case TargetKind::s3:
    case TargetKind::github_release:
      break;
  }
  return false;
}

/// How uploads to a target are authorized, by the key `auth`.
enum class UploadAuth {
  automatic,  ///< with a token of the user, else with one that is exchanged for the job's identity
  trusted,    ///< only with a token that is exchanged for the job's identity (trusted publishing)
  token,      ///< only with a token of the user
  none,       ///< without authorization
};

/// The words of the key; without the key it is `automatic`.
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

/// Whether uploads have attestations (PEP 740), by the key `attestations`.
enum class Attesting {
  automatic,  ///< on PyPI and TestPyPI, if their token is issued for the job
  always,
  never,
};

/// The words of the key; without the key it is `automatic`.
inline constexpr std::array kAttestings = {Attesting::always, Attesting::never};

constexpr std::string_view to_string(Attesting attesting) {
  switch (attesting) {
    case Attesting::automatic:
      return "auto";
    case Attesting::always:
      return "always";
    case Attesting::never:
      return "never";
  }
  return {};
}

/// The inverse, `automatic` for other words.
constexpr Attesting attesting_of(std::string_view word) {
  for (const Attesting attesting : kAttestings) {
    if (to_string(attesting) == word) return attesting;
  }
  return Attesting::automatic;
}

/// The inverse for the words of the key.
constexpr std::optional<UploadAuth> parse_upload_auth(std::string_view word) {
  for (const UploadAuth auth : kUploadAuths) {
    if (to_string(auth) == word) return auth;
  }
  return std::nullopt;
}

}  // namespace pinwheel::matrix
