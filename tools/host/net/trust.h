#pragma once
// Private to host/net.
#include <filesystem>

#include "host/net/http_library.h"

namespace pinwheel::host {

/// The first file of certificates in the places that distributions use; empty without one.
std::filesystem::path system_certificates(const std::filesystem::path& root = "/");

/// Makes a handle trust the certificates in `named`, a file or a directory. If it is empty, libcurl
/// uses the setting of its distribution. A libcurl that is linked into the program has no
/// distribution: it trusts the system's certificates, or Mozilla's, which are in the program, if
/// there are none.
void set_trust(const CurlLibrary& curl, CURL* easy, const std::filesystem::path& named);

}  // namespace pinwheel::host
