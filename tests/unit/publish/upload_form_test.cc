#include "publish/upload_form.h"

#include "unit/catch.h"

using namespace pinwheel;

namespace {

std::vector<std::pair<std::string, std::string>> fields_of(const std::string& text) {
  const auto metadata = wheel::parse_metadata(text);
  REQUIRE(metadata);
  const auto fields = publish::metadata_fields(*metadata);
  REQUIRE(fields);
  std::vector<std::pair<std::string, std::string>> out;
  for (const ports::FormField& field : *fields) out.emplace_back(field.name, field.value);
  return out;
}

Result<std::vector<ports::FormField>> refused(const std::string& text) {
  const auto metadata = wheel::parse_metadata(text);
  REQUIRE(metadata);
  return publish::metadata_fields(*metadata);
}

const std::string kHead = "Metadata-Version: 2.4\nName: Demo_Ops--x\nVersion: 1.0\n";

}  // namespace

TEST_CASE("headers become fields under the form's names, repeated as often as they occur") {
  const auto fields =
      fields_of(kHead +
                "Keywords: gpu,  sparse ,ops\nProject-URL: Source,https://a.example/x,y\n"
                "Classifier: A\nClassifier: B\nRequires-Dist: torch>=2.10\nProvides-Extra: test\n"
                "License-Expression: Apache-2.0\nLicense-File: LICENSE\nDynamic: Version\n"
                "Import-Name: demo\n\n# Title\n\ntext\n");
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"metadata_version", "2.4"},
      {"name", "Demo-Ops-x"},
      {"version", "1.0"},
      {"keywords", "gpu, sparse, ops"},
      {"project_urls", "Source, https://a.example/x,y"},
      {"classifiers", "A"},
      {"classifiers", "B"},
      {"requires_dist", "torch>=2.10"},
      {"provides_extra", "test"},
      {"license_expression", "Apache-2.0"},
      {"license_file", "LICENSE"},
      {"dynamic", "Version"},
      {"import_name", "demo"},
      {"description", "# Title\n\ntext\n"}};
  CHECK(fields == expected);
}

TEST_CASE("License-File of older metadata is not sent") {
  const auto fields =
      fields_of("Metadata-Version: 2.1\nName: x\nVersion: 1.0\nLicense-File: LICENSE\n");
  CHECK(fields.size() == 3);
}

TEST_CASE("headers that are unknown or duplicated are rejected") {
  for (const char* extra :
       {"Color: red\n", "Summary: a\nSummary: b\n", "Description: a\n\nbody\n"}) {
    const auto fields = refused(kHead + extra);
    REQUIRE_FALSE(fields);
    CHECK(fields.error().kind == ErrorKind::check);
  }
}

TEST_CASE("the form has the file's type and ends with its contents") {
  publish::Artifact file;
  file.contents = std::make_shared<ports::MemorySource>("bytes");
  file.filename = "demo_ops-1.0-py2.py3-none-any.whl";
  file.sha256 = "aa";
  file.blake2b_256 = "bb";
  file.fields = {{"name", "demo-ops"}};
  const auto form = publish::upload_form(file);
  std::vector<std::pair<std::string, std::string>> fields;
  for (size_t i = 0; i + 1 < form.size(); ++i) {
    const auto& field = std::get<ports::FormField>(form[i]);
    fields.emplace_back(field.name, field.value);
  }
  const std::vector<std::pair<std::string, std::string>> expected = {
      {":action", "file_upload"}, {"protocol_version", "1"}, {"filetype", "bdist_wheel"},
      {"pyversion", "py2.py3"},   {"sha256_digest", "aa"},   {"blake2_256_digest", "bb"},
      {"name", "demo-ops"}};
  CHECK(fields == expected);
  const auto& content = std::get<ports::FormFile>(form.back());
  CHECK(content.name == "content");
  CHECK(content.filename == file.filename);
  CHECK(content.contents == file.contents);
  file.kind = publish::FileKind::sdist;
  CHECK(std::get<ports::FormField>(publish::upload_form(file)[2]).value == "sdist");
  CHECK(std::get<ports::FormField>(publish::upload_form(file)[3]).value == "source");
}
