#include "env/shared_files.h"

#include "unit/catch.h"

using namespace pinwheel;
using env::Transfer;

namespace {

constexpr std::string_view kSite = "lib/python3.11/site-packages";
constexpr std::string_view kRecord = "lib/python3.11/site-packages/big-1.0.dist-info/RECORD";

Result<env::SharedPackage> shared_by(const std::string& text) {
  return env::shared_package(*wheel::parse_record(text), kSite, kRecord);
}

}  // namespace

TEST_CASE("files are linked, scripts and byte code are written anew, and RECORD is neither") {
  const auto package = shared_by(
      "../../../bin/big,sha256=aa,250\r\n"
      "big/__init__.py,sha256=bb,12\r\n"
      "big/__pycache__/__init__.cpython-311.pyc,,\r\n"
      "big/lib.so,sha256=cc,9000000\r\n"
      "big-1.0.dist-info/RECORD,,\r\n");
  REQUIRE(package.has_value());
  CHECK(package->bytes == 9000262);
  const std::string site = std::string(kSite) + "/";
  CHECK(package->files == std::vector<env::SharedFile>{
                              {"bin/big", "../../../bin/big", Transfer::rewrite, "aa"},
                              {site + "big/__init__.py", "big/__init__.py", Transfer::link, "bb"},
                              {site + "big/__pycache__/__init__.cpython-311.pyc",
                               "big/__pycache__/__init__.cpython-311.pyc", Transfer::rewrite, ""},
                              {site + "big/lib.so", "big/lib.so", Transfer::link, "cc"}});
}

TEST_CASE("a package with a file outside its environment, or of unknown contents, is not shared") {
  for (const char* const line :
       {"../../../../etc/passwd,sha256=aa,1\n", "/etc/passwd,sha256=aa,1\n",
        "../../../..,sha256=aa,1\n", "big.py,,\n", "big.py,md5=aa,1\n", "big.pyc,md5=aa,1\n"}) {
    INFO(line);
    const auto package = shared_by(line);
    REQUIRE_FALSE(package.has_value());
    CHECK(package.error().kind == ErrorKind::environment);
  }
}

TEST_CASE("a .dist-info directory is of one package and version") {
  CHECK(env::describes("torch-2.13.0+cpu.dist-info", "torch", "2.13.0+cpu"));
  CHECK(env::describes("nvidia_cublas-13.1.dist-info", "nvidia-cublas", "13.1"));
  CHECK(env::describes("PyYAML-6.0.dist-info", "pyyaml", "6.0"));
  CHECK_FALSE(env::describes("torch-2.13.0.dist-info", "torch", "2.13.0+cpu"));
  CHECK_FALSE(env::describes("torchvision-2.13.0.dist-info", "torch", "2.13.0"));
  CHECK_FALSE(env::describes("torch", "torch", ""));
}
