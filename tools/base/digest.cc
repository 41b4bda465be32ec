#include "base/digest.h"

#include <openssl/evp.h>
#include <sodium.h>

#include <new>

namespace pinwheel {

/// A digest of OpenSSL. It has a namespace-scope name, because a class with external linkage must
/// not have a base without it.
struct EvpDigest {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  explicit EvpDigest(const EVP_MD* kind) {
    if (context == nullptr || EVP_DigestInit_ex(context, kind, nullptr) != 1)
      throw std::bad_alloc();
  }
  ~EvpDigest() { EVP_MD_CTX_free(context); }
  EvpDigest(const EvpDigest&) = delete;
  EvpDigest& operator=(const EvpDigest&) = delete;
};

struct Sha256::State : EvpDigest {
  using EvpDigest::EvpDigest;
};
struct LongHash::State : EvpDigest {
  using EvpDigest::EvpDigest;
};

namespace {

/// Fetched only once, because looking up the algorithm takes longer than a short digest.
const EVP_MD* sha256() {
  static const EVP_MD* const kFetched = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return kFetched;
}

}  // namespace

LongHash::LongHash(LongSha kind)
    : state_(std::make_unique<State>(kind == LongSha::sha384 ? EVP_sha384() : EVP_sha512())) {}
LongHash::~LongHash() = default;
LongHash::LongHash(LongHash&&) noexcept = default;
LongHash& LongHash::operator=(LongHash&&) noexcept = default;

void LongHash::update(std::string_view bytes) {
  EVP_DigestUpdate(state_->context, bytes.data(), bytes.size());
}

std::string LongHash::finish() {
  std::string out(static_cast<size_t>(EVP_MD_CTX_get_size(state_->context)), '\0');
  EVP_DigestFinal_ex(state_->context, reinterpret_cast<unsigned char*>(out.data()), nullptr);
  return out;
}

Sha256::Sha256() : state_(std::make_unique<State>(sha256())) {}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(std::string_view bytes) {
  EVP_DigestUpdate(state_->context, bytes.data(), bytes.size());
}

std::string Sha256::finish() {
  std::string out(32, '\0');
  EVP_DigestFinal_ex(state_->context, reinterpret_cast<unsigned char*>(out.data()), nullptr);
  return out;
}

struct Blake2b256::State {
  crypto_generichash_state context{};
  State() { crypto_generichash_init(&context, nullptr, 0, 32); }
};

Blake2b256::Blake2b256() : state_(std::make_unique<State>()) {}
Blake2b256::~Blake2b256() = default;
Blake2b256::Blake2b256(Blake2b256&&) noexcept = default;
Blake2b256& Blake2b256::operator=(Blake2b256&&) noexcept = default;

void Blake2b256::update(std::string_view bytes) {
  crypto_generichash_update(&state_->context, reinterpret_cast<const unsigned char*>(bytes.data()),
                            bytes.size());
}

std::string Blake2b256::finish() {
  std::string out(32, '\0');
  crypto_generichash_final(&state_->context, reinterpret_cast<unsigned char*>(out.data()),
                           out.size());
  return out;
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return to_hex(hash.finish());
}

constexpr std::string_view kDigits = "0123456789abcdef";

bool is_hex(std::string_view text) {
  return text.find_first_not_of(kDigits) == std::string_view::npos;
}

bool is_sha256_hex(std::string_view text) {
  return text.size() == 64 && is_hex(text);
}

std::string to_hex(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

namespace {

std::string encode(std::string_view bytes, int variant) {
  std::string out(sodium_base64_encoded_len(bytes.size(), variant), '\0');
  sodium_bin2base64(out.data(), out.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                    bytes.size(), variant);
  out.resize(out.find('\0'));
  return out;
}

}  // namespace

std::string base64url(std::string_view bytes) {
  return encode(bytes, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

std::string base64(std::string_view bytes) {
  return encode(bytes, sodium_base64_VARIANT_ORIGINAL);
}

}  // namespace pinwheel
