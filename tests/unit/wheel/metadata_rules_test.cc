#include "wheel/metadata_rules.h"

#include "unit/catch.h"

namespace pinwheel::wheel {
namespace {

Metadata metadata_of(const std::string& format, const std::string& lines) {
  return *parse_metadata("Metadata-Version: " + format + "\nName: demo\nVersion: 1.0\n" + lines);
}

std::vector<std::string> faults_of(const std::string& format, const std::string& lines) {
  std::vector<std::string> out;
  for (const MetadataFault& fault : metadata_faults(metadata_of(format, lines))) {
    out.push_back(fault.message);
  }
  return out;
}

using Faults = std::vector<std::string>;

TEST_CASE("a field that is newer than the Metadata-Version is a fault, once") {
  CHECK(faults_of("2.1", "Dynamic: Classifier\nDynamic: License\n") ==
        Faults{"has `Dynamic`, which Metadata-Version `2.1` does not have"});
  CHECK(faults_of("2.3", "License-Expression: MIT\n").size() == 1);
  CHECK(faults_of("2.4", "Import-Name: demo\nimport-namespace: x\n").size() == 2);
  CHECK(faults_of("1.2", "Provides-Extra: x\nDescription-Content-Type: text/plain\n").size() == 2);
  CHECK(faults_of("2.5", "Import-Name: demo\n").empty());
  CHECK(faults_of("2.4", "License-Expression: MIT\nDynamic: Classifier\n").empty());
}

TEST_CASE("a Metadata-Version is compared as a version") {
  Metadata metadata = metadata_of("2.5", "License-Expression: MIT\nLicense-File: LICENSE\n");
  metadata.block.set("Metadata-Version", "2.10");
  CHECK(metadata_faults(metadata).empty());
  CHECK(names_license_files(metadata));
}

TEST_CASE("License-File is accepted in every version, because backends wrote it early") {
  CHECK(faults_of("2.1", "License-File: LICENSE\n").empty());
}

TEST_CASE("licenses, content types, extras and dynamic fields are those that PyPI accepts") {
  for (const std::string type :
       {"text/markdown", "text/x-rst; charset=UTF-8", "Text/Plain",
        "text/markdown; charset=UTF-8; variant=GFM", "text/markdown;variant=\"CommonMark\""}) {
    INFO(type);
    CHECK(faults_of("2.1", "Description-Content-Type: " + type + "\n").empty());
  }
  for (const std::string type : {"text/x-markdown", "text/html", "markdown",
                                 "text/markdown; variant=Other", "text/plain; charset=latin-1"}) {
    INFO(type);
    CHECK(faults_of("2.1", "Description-Content-Type: " + type + "\n").size() == 1);
  }
  CHECK(faults_of("2.4", "License-Expression: GPLv3\n").size() == 1);
  CHECK(faults_of("2.1", "Provides-Extra: a b\n") ==
        Faults{"has the malformed Provides-Extra `a b`"});
  CHECK(faults_of("2.2", "Dynamic: Version\n") ==
        Faults{"has Dynamic `Version`, which cannot be dynamic"});
  CHECK(faults_of("2.2", "Dynamic: Colour\n") ==
        Faults{"has Dynamic `Colour`, which is not a field"});
}

TEST_CASE("an sdist has the license files that its PKG-INFO names, at that path") {
  const auto lacks = [](const std::string& format,
                        const std::set<std::string, std::less<>>& files) {
    return sdist_faults(
               metadata_of(format, "License-File: LICENSE\nLicense-File: licenses/NOTICE\n"), files)
        .size();
  };
  CHECK(lacks("2.4", {"LICENSE", "licenses/NOTICE"}) == 0);
  CHECK(lacks("2.4", {"crates/LICENSE", "NOTICE"}) == 2);
  CHECK(lacks("2.4", {"LICENSE"}) == 1);
  CHECK(lacks("2.1", {}) == 0);
}

}  // namespace
}  // namespace pinwheel::wheel
