#include "publish/release_sbom.h"

#include <nlohmann/json.hpp>

#include "unit/catch.h"

using namespace pinwheel;

namespace {

publish::SbomFile wheel_for(const std::string& filename) {
  return {filename,
          std::string(64, 'a'),
          "Demo_Ops",
          "1.0+cu130",
          {"torch>=2.10", "numpy; extra == 'test'"}};
}

const std::string kFirst = "demo_ops-1.0+cu130-cp311-cp311-linux_x86_64.whl";
const std::string kSecond = "demo_ops-1.0+cu130-cp312-cp312-linux_x86_64.whl";

nlohmann::json component_named(const nlohmann::json& document, const std::string& reference) {
  for (const auto& each : document["components"]) {
    if (each["bom-ref"] == reference) return each;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("the bill of materials of a release has its files and the projects they require") {
  const std::string text =
      publish::release_sbom("demo-ops", "1.0", {wheel_for(kSecond), wheel_for(kFirst)});
  CHECK(text == publish::release_sbom("demo-ops", "1.0", {wheel_for(kFirst), wheel_for(kSecond)}));
  const auto document = nlohmann::json::parse(text);
  CHECK(document["metadata"]["component"]["purl"] == "pkg:pypi/demo-ops@1.0");
  CHECK(document["components"].size() == 3);
  const nlohmann::json file = component_named(document, kFirst);
  CHECK(file["purl"] ==
        "pkg:pypi/demo-ops@1.0%2Bcu130?file_name="
        "demo_ops-1.0%2Bcu130-cp311-cp311-linux_x86_64.whl");
  CHECK(file["hashes"][0]["content"] == std::string(64, 'a'));
  CHECK(file["properties"][0]["value"] == "torch>=2.10");
  CHECK(component_named(document, "pkg:pypi/torch")["name"] == "torch");
  CHECK(component_named(document, "pkg:pypi/numpy").is_null());  // an extra
  CHECK(document["dependencies"] ==
        nlohmann::json{{{"ref", kFirst}, {"dependsOn", {"pkg:pypi/torch"}}},
                       {{"ref", kSecond}, {"dependsOn", {"pkg:pypi/torch"}}},
                       {{"ref", "pkg:pypi/demo-ops@1.0"}, {"dependsOn", {kFirst, kSecond}}}});
}

TEST_CASE("the components of contained documents get references of their own") {
  const std::string member = "demo_ops-1.0.dist-info/sboms/auditwheel.cdx.json";
  const std::string text = R"({"bomFormat": "CycloneDX", "components": [
      {"type": "library", "name": "libjpeg", "bom-ref": "x", "licenses": 3,
       "hashes": [{"alg": "SHA-256", "content": "ab"}, {"alg": "MD5", "content":
       "00000000000000000000000000000000"}], "components": [
          {"type": "file", "name": "jpeg.h", "bom-ref": "y"}]}]})";
  publish::SbomFile first = wheel_for(kFirst);
  publish::SbomFile second = wheel_for(kSecond);
  first.contained = {{member, text}};
  second.contained = {{member, text}};
  const auto document = nlohmann::json::parse(
      publish::release_sbom("demo-ops", "1.0", {std::move(first), std::move(second)}));
  for (const std::string& name : {kFirst, kSecond}) {
    const nlohmann::json file = component_named(document, name);
    REQUIRE(file["components"].size() == 1);
    const nlohmann::json& library = file["components"][0];
    CHECK(library["bom-ref"] == name + "/" + member + "#x");
    CHECK(library["components"][0]["bom-ref"] == name + "/" + member + "#y");
    CHECK(library["hashes"].size() == 1);
    CHECK_FALSE(library.contains("licenses"));
  }
}

TEST_CASE("a contained document that would make the whole invalid is only named") {
  publish::SbomFile file = wheel_for(kFirst);
  const std::vector<std::string> others = {
      "",
      "{}",
      "{",
      R"({"bomFormat": "CycloneDX", "components": 3})",
      R"({"bomFormat": "CycloneDX", "components": [1]})",
      R"({"bomFormat": "CycloneDX", "components": [{"type": "library"}]})",
      R"({"bomFormat": "CycloneDX", "components": [{"type": "new", "name": "x"}]})"};
  for (const std::string& text : others) file.contained.push_back({"m", text});
  const auto document =
      nlohmann::json::parse(publish::release_sbom("demo-ops", "1.0", {std::move(file)}));
  const nlohmann::json described = component_named(document, kFirst);
  CHECK_FALSE(described.contains("components"));
  size_t named = 0;
  for (const auto& each : described["properties"]) named += each["name"] == "pinwheel:sbom";
  CHECK(named == others.size());
}
