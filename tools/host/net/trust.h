#pragma once
// Private to host/net.
#include <filesystem>

#include "host/net/http_library.h"

namespace pinwheel::host {

/// The first file of certificates where distributions keep theirs; empty without one.
std::filesystem::path system_certificates(const std::filesystem::path& root = "/");

/// Has a handle trust the certificates in `named`, a file or a directory. If it is empty, libcurl
/// trusts what its distribution has set up. A libcurl that is linked into the program comes from
/// no distribution: it trusts those of the system then, and where there are none Mozilla's, which
/// are in the program.
void set_trust(const CurlLibrary& curl, CURL* easy, const std::filesystem::path& named);

}  // namespace pinwheel::host
