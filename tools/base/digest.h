#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace pinwheel {

/// Incremental SHA-256.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void update(std::string_view bytes);
  /// The 32 raw bytes; the object must not be used after this call.
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The longer digests of SHA-2, which RECORD may use too.
enum class LongSha { sha384, sha512 };

/// Incremental SHA-384 or SHA-512.
class LongHash {
 public:
  explicit LongHash(LongSha kind);
  ~LongHash();
  LongHash(LongHash&&) noexcept;
  LongHash& operator=(LongHash&&) noexcept;

  void update(std::string_view bytes);
  /// The 48 or 64 raw bytes; the object must not be used after this call.
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Incremental BLAKE2b with a 32-byte digest (PyPI's `blake2_256_digest`).
class Blake2b256 {
 public:
  Blake2b256();
  ~Blake2b256();
  Blake2b256(Blake2b256&&) noexcept;
  Blake2b256& operator=(Blake2b256&&) noexcept;

  void update(std::string_view bytes);
  /// The 32 raw bytes; the object must not be used after this call.
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);
std::string to_hex(std::string_view bytes);
/// Whether the text consists of lower-case hexadecimal digits only.
bool is_hex(std::string_view text);
/// Whether the text has the form of a `sha256_hex` result.
bool is_sha256_hex(std::string_view text);
/// base64url without padding, as RECORD writes digests (PEP 376, PEP 427).
std::string base64url(std::string_view bytes);
/// base64 with padding, as HTTP Basic authentication writes it.
std::string base64(std::string_view bytes);

}  // namespace pinwheel
