#include "env/public_url.h"

#include "pep/pypi.h"
#include "unit/catch.h"

using pinwheel::env::public_url;
using pinwheel::env::without_credentials;

namespace {

const std::string kHex60(60, 'c');
const std::string kOnPypi = "packages/ab/01/" + kHex60 + "/six-1.17.0-py2.py3-none-any.whl";

}  // namespace

TEST_CASE("a mirror's copy of a PyPI file is recognized by its path") {
  const std::string expected = pinwheel::pep::pypi_files_url() + "/" + kOnPypi;
  CHECK(public_url(expected, {}) == expected);
  CHECK(public_url("https://me:word@mirror.example/repository/pypi/" + kOnPypi + "#sha256=0", {}) ==
        expected);
  CHECK(public_url("https://mirror.example/" + kOnPypi + "?token=1", {}) == expected);
}

TEST_CASE("a path that only resembles PyPI's is not recognized") {
  for (const std::string& path :
       {"packages/ab/01/" + std::string(59, 'c') + "/x.whl", "packages/aX/01/" + kHex60 + "/x.whl",
        "wheels/ab/01/" + kHex60 + "/x.whl", "packages/ab/01/" + kHex60 + "/",
        "ab/01/" + kHex60 + "/x.whl"}) {
    CAPTURE(path);
    CHECK(public_url("https://mirror.example/" + path, {}).empty());
  }
}

TEST_CASE("hosts from the user's own configuration stay private") {
  CHECK(public_url("https://mirror.example/simple/six/six-1.17.0.tar.gz", {}).empty());
  CHECK(public_url("file:///opt/wheels/" + kOnPypi, {}).empty());
  CHECK(public_url("/opt/wheels/six.whl", {}).empty());
  CHECK(public_url("", {}).empty());
}

TEST_CASE("hosts that the matrix names are as public as the matrix") {
  const std::vector<std::string> named = {"https://download.pytorch.org/whl/cpu"};
  const std::string wheel = "/whl/cpu/torch-2.13.0%2Bcpu-cp311-cp311-linux_x86_64.whl";
  CHECK(public_url("https://download.pytorch.org" + wheel + "#sha256=1", named) ==
        "https://download.pytorch.org" + wheel);
  CHECK(public_url("https://download-r2.pytorch.org" + wheel, named) ==
        "https://download-r2.pytorch.org" + wheel);
  CHECK(public_url("https://mirror.example" + wheel, named).empty());
  // Two addresses in one network are not related, and a top-level domain is not a parent.
  CHECK(public_url("http://10.0.0.2" + wheel, {"http://10.0.0.1/simple"}).empty());
  CHECK(public_url("https://two.org" + wheel, {"https://one.org/simple"}).empty());
  CHECK(public_url("http://10.0.0.1:81/a.whl", {"http://10.0.0.1:81/"}) ==
        "http://10.0.0.1:81/a.whl");
  CHECK(public_url("http://10.0.0.1:82/a.whl", {"http://10.0.0.1:81/"}).empty());
}

TEST_CASE("credentials are removed from URLs anywhere in a text") {
  CHECK(without_credentials("a @ https://u:p@h/x and https://v@w") ==
        "a @ https://h/x and https://w");
  CHECK(without_credentials("https://h/x@1") == "https://h/x@1");
  CHECK(without_credentials("no url, a@b") == "no url, a@b");
  CHECK(without_credentials("https://u:p@ss@h/x") == "https://h/x");
}
