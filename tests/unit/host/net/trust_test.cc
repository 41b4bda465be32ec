#include "host/net/trust.h"

#include "unit/catch.h"
#include "unit/host/scratch.h"

using namespace pinwheel;

TEST_CASE("the certificates of a system are found where its distribution keeps them") {
  const Scratch scratch;
  CHECK(host::system_certificates(scratch.path()).empty());
  const auto fedora = scratch.path() / "etc/pki/tls/certs/ca-bundle.crt";
  std::filesystem::create_directories(fedora.parent_path());
  scratch.write("etc/pki/tls/certs/ca-bundle.crt", "PEM");
  // A directory of that name is no file of certificates.
  std::filesystem::create_directories(scratch.path() / "etc/ssl/certs/ca-certificates.crt");
  CHECK(host::system_certificates(scratch.path()) == fedora);
}
