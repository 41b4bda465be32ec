#include "host/net/trust.h"

#include <array>

#ifdef PINWHEEL_STATIC

// As in exports/shipped.cc.
asm(".pushsection .rodata\n"
    ".global pinwheel_certificates\n"
    ".global pinwheel_certificates_end\n"
    ".hidden pinwheel_certificates\n"
    ".hidden pinwheel_certificates_end\n"
    "pinwheel_certificates:\n"
    ".incbin \"" PINWHEEL_CERTIFICATES
    "\"\n"
    "pinwheel_certificates_end:\n"
    ".byte 0\n"
    ".popsection\n");

extern "C" {
extern const char pinwheel_certificates[];
extern const char pinwheel_certificates_end[];
}

#endif

namespace pinwheel::host {

namespace fs = std::filesystem;

fs::path system_certificates(const fs::path& root) {
  constexpr std::array kPlaces = {"etc/ssl/certs/ca-certificates.crt",  // Debian, Arch
                                  "etc/pki/tls/certs/ca-bundle.crt",    // Fedora, RHEL
                                  "etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // newer ones
                                  "etc/ssl/ca-bundle.pem",                             // SUSE
                                  "etc/ssl/cert.pem"};                                 // Alpine
  for (const char* const place : kPlaces) {
    std::error_code ignored;
    if (fs::is_regular_file(root / place, ignored)) return root / place;
  }
  return {};
}

#ifdef PINWHEEL_STATIC
namespace {

void trust_own(const CurlLibrary& curl, CURL* easy) {
  curl_blob blob{};
  blob.data = const_cast<char*>(pinwheel_certificates);
  blob.len = static_cast<size_t>(pinwheel_certificates_end - pinwheel_certificates);
  blob.flags = CURL_BLOB_NOCOPY;
  curl.easy_setopt(easy, CURLOPT_CAINFO_BLOB, &blob);
}

}  // namespace
#endif

void set_trust(const CurlLibrary& curl, CURL* easy, const fs::path& named) {
#ifdef PINWHEEL_STATIC
  const fs::path place = named.empty() ? system_certificates() : named;
  if (place.empty()) return trust_own(curl, easy);
#else
  const fs::path& place = named;
  if (place.empty()) return;
#endif
  std::error_code ignored;
  const CURLoption kind = fs::is_directory(place, ignored) ? CURLOPT_CAPATH : CURLOPT_CAINFO;
  curl.easy_setopt(easy, kind, place.c_str());
}

}  // namespace pinwheel::host
