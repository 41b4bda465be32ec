#include "publish/variants_file.h"

#include "publish/catalog.h"
#include "publish/simple_page.h"
#include "unit/catch.h"

namespace pinwheel::publish {
namespace {

wheel::VariantMetadata stated(const std::string& label, std::vector<std::string> architectures,
                              pep::VariantDraft draft = pep::VariantDraft::pep825) {
  wheel::VariantMetadata metadata{std::string(wheel::schema_of(draft)), draft, {"nvidia"}};
  if (draft == pep::VariantDraft::pep850) metadata.providers["nvidia"].requirements = {"x"};
  metadata.variants[label];
  if (!architectures.empty()) {
    metadata.variants[label]["nvidia"]["sm_arch"] = std::move(architectures);
  }
  return metadata;
}

VariantWheel variant_wheel(const std::string& filename, std::vector<std::string> architectures,
                           pep::VariantDraft draft = pep::VariantDraft::pep825) {
  const pep::WheelName name = *pep::parse_wheel_name(filename);
  return {filename, name, stated(name.variant, std::move(architectures), draft)};
}

const std::string kCu126 = "a_b-1.0-cp311-abi3-any-cu126.whl";
const std::string kCu130 = "a_b-1.0-cp311-abi3-any-cu130.whl";

TEST_CASE("the variants of a version share one file") {
  CHECK(variants_file_name(*pep::parse_wheel_name("a.b-1.0-py3-none-any-x.whl")) ==
        "a_b-1.0-variants.json");
  CHECK(is_variants_file("a_b-1.0-variants.json"));
  CHECK_FALSE(is_variants_file("a_b-1.0.json"));
  const auto all =
      variants_of({variant_wheel(kCu126, {"80_real"}), variant_wheel(kCu130, {"90_real"}),
                   variant_wheel("a_b-1.0-cp312-abi3-any-cu130.whl", {"90_real"}),
                   variant_wheel("a_b-1.0-py3-none-any-null.whl", {}),
                   variant_wheel("a_b-1.1-py3-none-any-null.whl", {})});
  REQUIRE(all);
  const VersionVariants& versions = all->at("a-b");
  CHECK(versions.size() == 2);
  CHECK(versions.at("1.0").variants.size() == 3);
  CHECK(versions.at("1.1").variants.contains("null"));
}

std::string fault_of(std::vector<VariantWheel> wheels) {
  const auto all = variants_of(std::move(wheels));
  REQUIRE_FALSE(all);
  CHECK(all.error().kind == ErrorKind::check);
  return all.error().message;
}

TEST_CASE("variants that contradict each other are refused") {
  CHECK(fault_of({variant_wheel(kCu130, {"80_real"}),
                  variant_wheel("a_b-1.0-cp312-abi3-any-cu130.whl", {"90_real"})}) ==
        "`a_b-1.0-cp312-abi3-any-cu130.whl` has properties for `cu130` that differ from "
        "those of the other variants of its version: `nvidia :: sm_arch :: 90_real`, not `nvidia "
        ":: sm_arch :: 80_real`");
  CHECK(fault_of({variant_wheel(kCu126, {"80_real"}), variant_wheel(kCu130, {"80_real"})}) ==
        "the wheel variants `cu126` and `cu130` have the same properties: `nvidia :: sm_arch :: "
        "80_real`");
  CHECK(fault_of({variant_wheel(kCu126, {"80_real"}),
                  variant_wheel(kCu130, {"90_real"}, pep::VariantDraft::pep850)}) ==
        "`a_b-1.0-cp311-abi3-any-cu130.whl` has rules that differ from those of the other variants "
        "of its version: `pep850`, not `pep825`");
  VariantWheel other = variant_wheel(kCu130, {"90_real"});
  other.metadata.namespaces = {"acme", "nvidia"};
  CHECK(fault_of({variant_wheel(kCu126, {"80_real"}), other}) ==
        "`a_b-1.0-cp311-abi3-any-cu130.whl` has priorities that differ from those of the other "
        "variants of its version: `acme, nvidia`, not `nvidia`");
  other = variant_wheel(kCu130, {"90_real"}, pep::VariantDraft::pep850);
  other.metadata.providers["nvidia"].requirements = {"y"};
  CHECK(fault_of({variant_wheel(kCu126, {"80_real"}, pep::VariantDraft::pep850), other}) ==
        "`a_b-1.0-cp311-abi3-any-cu130.whl` has another provider of `nvidia` than the other "
        "variants of its version");
  other = variant_wheel(kCu130, {"90_real"});
  other.metadata = stated("cu126", {"90_real"});
  CHECK(fault_of({other}) ==
        "`variant.json` of `a_b-1.0-cp311-abi3-any-cu130.whl` does not describe exactly the "
        "variant `cu130`");
}

TEST_CASE("of several build numbers only the highest counts") {
  const auto all = variants_of({variant_wheel("a_b-1.0-2-cp311-abi3-any-x.whl", {"80_real"}),
                                variant_wheel("a_b-1.0-10-cp311-abi3-any-x.whl", {"90_real"}),
                                variant_wheel("a_b-1.0-cp311-abi3-any-x.whl", {"100_real"})});
  REQUIRE(all);
  CHECK(wheel::property_lines(all->at("a-b").at("1.0").variants.at("x")) ==
        std::vector<std::string>{"nvidia :: sm_arch :: 90_real"});
}

Addition addition_of(const VariantWheel& wheel, const std::string& time) {
  Addition addition{wheel.filename, "a-b"};
  addition.file = {"", std::string(64, 'a'), 3};
  addition.file.upload_time = time;
  addition.variant = wheel.metadata;
  return addition;
}

std::string variants_path(const std::map<std::string, std::string>& pages) {
  for (const auto& [path, page] : pages) {
    if (is_variants_file(path)) return path;
  }
  return {};
}

TEST_CASE("the page of a project links to the file of its variants, and reads it back") {
  const Result<Merge> first = add({}, {addition_of(variant_wheel(kCu126, {"80_real"}), "2026-02")});
  REQUIRE(first);
  const auto pages = pages_of(first->catalog);
  const std::string path = variants_path(pages);
  CHECK(path.starts_with("a-b/variants/"));
  CHECK(path.ends_with("/a_b-1.0-variants.json"));
  const auto parsed = wheel::parse_variant_metadata(pages.at(path));
  REQUIRE(parsed);
  CHECK(parsed->variants.contains("cu126"));
  const std::string digest = path.substr(13, 64);
  CHECK(pages.at("a-b/index.html")
            .find("href=\"variants/" + digest + "/a_b-1.0-variants.json#sha256=" + digest + "\"") !=
        std::string::npos);
  Catalog again;
  REQUIRE(read_back(again, "", "a-b", pages.at("a-b/index.json")));
  CHECK(again == first->catalog);

  // Another label changes the file and its path; the time is that of the first wheel.
  const Result<Merge> second =
      add(again, {addition_of(variant_wheel(kCu130, {"90_real"}), "2026-03")});
  REQUIRE(second);
  const auto more = pages_of(second->catalog);
  CHECK(variants_path(more) != path);
  const auto page =
      parse_simple_page("application/vnd.pypi.simple.v1+json", more.at("a-b/index.json"));
  REQUIRE(page);
  REQUIRE(page->size() == 3);
  CHECK(page->back().filename == "a_b-1.0-variants.json");
  CHECK(page->back().upload_time == "2026-02");

  // A label without a listed wheel is in no file.
  Catalog pruned = second->catalog;
  pruned.places[""]["a-b"].erase(kCu126);
  const auto fewer = pages_of(pruned);
  CHECK(wheel::parse_variant_metadata(fewer.at(variants_path(fewer)))->variants.size() == 1);
  pruned.places[""]["a-b"].erase(kCu130);
  CHECK(variants_path(pages_of(pruned)).empty());
}

TEST_CASE("an addition that contradicts the variants of the index is refused") {
  const Result<Merge> first = add({}, {addition_of(variant_wheel(kCu126, {"80_real"}), "2026-02")});
  REQUIRE(first);
  const auto fault = [&first](const VariantWheel& wheel) {
    const Result<Merge> merge = add(first->catalog, {addition_of(wheel, "2026-03")});
    REQUIRE_FALSE(merge);
    return merge.error().kind;
  };
  CHECK(fault(variant_wheel("a_b-1.0-cp312-abi3-any-cu126.whl", {"90_real"})) == ErrorKind::check);
  CHECK(fault(variant_wheel(kCu130, {"80_real"})) == ErrorKind::check);
  const Result<Merge> build =
      add(first->catalog,
          {addition_of(variant_wheel("a_b-1.0-1-cp311-abi3-any-cu126.whl", {"90_real"}), "")});
  REQUIRE(build);
  CHECK(wheel::property_lines(build->catalog.variants.at("a-b").at("1.0").variants.at("cu126")) ==
        std::vector<std::string>{"nvidia :: sm_arch :: 90_real"});
}

TEST_CASE("damaged variants of a page are errors of the index") {
  CHECK(parse_page_variants("{}")->empty());
  for (const std::string page : {R"({"_variants": 3})", R"({"_variants": {"1.0": {}}})",
                                 R"(["_variants"])", R"({"_variants": {)"}) {
    INFO(page);
    const auto variants = parse_page_variants(page);
    REQUIRE_FALSE(variants);
    CHECK(variants.error().kind == ErrorKind::publish);
  }
}

}  // namespace
}  // namespace pinwheel::publish
