#include "repair/sbom.h"

#include <nlohmann/json.hpp>

#include "repair/outcome.h"
#include "unit/repair/demo_repair.h"

namespace pinwheel::repair {
namespace {

const Graft kJpeg{"demo.libs/libjpeg-1a2b3c4d.so.62",
                  "libjpeg-1a2b3c4d.so.62",
                  {"libjpeg.so.62"},
                  "/usr/lib/libjpeg.so.62.3.0",
                  "1a2b3c4d"};
const OwnerPackage kPackage{"deb",       "debian", "libjpeg62-turbo",
                            "1:2.1.5-2", "amd64",  {{"copyright", "the license\n"}}};

TEST_CASE("package URLs encode what is special") {
  CHECK(package_url(kPackage) == "pkg:deb/debian/libjpeg62-turbo@1%3A2.1.5-2?arch=amd64");
  CHECK(package_url({"rpm", "", "gcc-c++", "8.5", "", {}}) == "pkg:rpm/gcc-c%2B%2B@8.5");
}

TEST_CASE("the bill of materials names each graft and its package") {
  Graft other = kJpeg;
  other.member = "demo.libs/libown-00000000.so";
  other.needed_as = {"libown.so"};
  const nlohmann::json bom = nlohmann::json::parse(
      sbom(*pep::parse_wheel_name("demo-1.0-py3-none-any.whl"), {{kJpeg, kPackage}, {other, {}}}));
  CHECK(bom["bomFormat"] == "CycloneDX");
  CHECK(bom["metadata"]["component"]["purl"] == "pkg:pypi/demo@1.0");
  REQUIRE(bom["components"].size() == 2);
  CHECK(bom["components"][0]["name"] == "libjpeg62-turbo");
  CHECK(bom["components"][0]["hashes"][0]["content"] == "1a2b3c4d");
  CHECK(bom["components"][1]["name"] == "libown.so");
  CHECK_FALSE(bom["components"][1].contains("purl"));
  CHECK(bom["dependencies"][0]["dependsOn"].size() == 2);
}

TEST_CASE("license files lie below the grafts' directory and their package, once") {
  Outcome outcome;
  outcome.components = {{kJpeg, kPackage}, {kJpeg, kPackage}};
  CHECK(license_files(outcome) ==
        std::vector<LicenseFile>{{"demo.libs/libjpeg62-turbo/copyright", "the license\n"}});
}

}  // namespace
}  // namespace pinwheel::repair
