#include "wheel/metadata.h"

#include "unit/catch.h"

namespace pinwheel::wheel {
namespace {

const std::string kHead = "Metadata-Version: 2.4\nName: Demo.Kit\nVersion: 1.0+cu130\n";

Metadata parsed_metadata(const std::string& text) {
  const auto metadata = parse_metadata(text);
  REQUIRE(metadata);
  return *metadata;
}

TEST_CASE("metadata has its name, version, requirements, licenses and description") {
  const Metadata metadata =
      parsed_metadata(kHead +
                      "Requires-Dist: numpy\nLicense-File: LICENSE\n"
                      "Requires-Dist: torch>=2.9\nLicense-File: b/NOTICE\n\nLong.\n");
  CHECK(metadata.version_of_format() == "2.4");
  CHECK(metadata.name() == "Demo.Kit");
  CHECK(metadata.version() == "1.0+cu130");
  CHECK(metadata.requires_dist() == std::vector<std::string>{"numpy", "torch>=2.9"});
  CHECK(metadata.license_files() == std::vector<std::string>{"LICENSE", "b/NOTICE"});
  CHECK(metadata.description() == "Long.\n");
  CHECK(parsed_metadata(kHead + "Description: short\n").description() == "short");
  CHECK(to_string(metadata).find(kHead) == 0);
}

TEST_CASE("metadata without its three required headers, or with a duplicate, is rejected") {
  for (const std::string text :
       {"", "Name: x\nVersion: 1\n", "Metadata-Version: 2.1\nVersion: 1\n",
        "Metadata-Version: 2.1\nName: x\n", "Metadata-Version: 2.1\nName: x\nVersion: 1\nName: x\n",
        "Metadata-Version: 2.1\nName:\nVersion: 1\n",
        "Metadata-Version: 9.9\nName: x\nVersion: 1\n",
        "Metadata-Version: 2.1\nName: -x\nVersion: 1\n",
        "Metadata-Version: 2.1\nName: x\nVersion: one\n", "no headers"}) {
    INFO(text);
    const auto metadata = parse_metadata(text);
    REQUIRE_FALSE(metadata);
    CHECK(metadata.error().kind == ErrorKind::check);
  }
}

TEST_CASE("the project of a requirement is normalized") {
  CHECK(requirement_project("Torch >=2.10; extra == 'x'") == "torch");
  CHECK(requirement_project(" my_Kit.core[extra]~=1") == "my-kit-core");
  CHECK(requirement_project("torch@https://host/x") == "torch");
  CHECK(requirement_project("") == "");
}

TEST_CASE("a requirement replaces those on the same project, except for extras") {
  Metadata metadata = parsed_metadata(
      kHead +
      "Requires-Dist: numpy\nRequires-Dist: Torch>=1\nRequires-Dist: torch<3\n"
      "Requires-Dist: torch; extra == \"x\"\nRequires-Dist: torchvision\nKeywords: k\n");
  set_requirement(metadata, "torch>=2.10");
  CHECK(metadata.requires_dist() ==
        std::vector<std::string>{"numpy", "torch>=2.10", "torch; extra == \"x\"", "torchvision"});
  CHECK(metadata.block.headers.back().name == "Keywords");
}

TEST_CASE("a requirement on a new project is added after the others") {
  Metadata metadata = parsed_metadata(kHead + "Requires-Dist: numpy\nKeywords: k\n");
  set_requirement(metadata, "torch>=2.10");
  CHECK(to_string(metadata) ==
        kHead + "Requires-Dist: numpy\nRequires-Dist: torch>=2.10\nKeywords: k\n");
  Metadata bare = parsed_metadata(kHead);
  set_requirement(bare, "torch");
  CHECK(to_string(bare) == kHead + "Requires-Dist: torch\n");
}

TEST_CASE("a requirement that is the very first header is replaced in place") {
  Metadata metadata = parsed_metadata("Requires-Dist: torch\n" + kHead);
  set_requirement(metadata, "torch>=2.10");
  CHECK(to_string(metadata) == "Requires-Dist: torch>=2.10\n" + kHead);
}

}  // namespace
}  // namespace pinwheel::wheel
