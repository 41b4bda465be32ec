#include "report/documentation.h"
#include "report/shipped_documents.h"

#include "unit/catch.h"

using namespace pinwheel;

namespace {

const std::vector<report::Document> kDocuments = {
    {"matrix",
     "# The matrix file\n\nText.\n\n"
     "## How values are written\n\n- values\n\n"
     "## `build`\n\n```yaml\nbuild:\n  timeout: 2 h\n```\n\n"
     "| key | type | default | meaning |\n|---|---|---|---|\n"
     "| `build.timeout` | time | 3 h | the limit, `a\\|b` |\n"
     "| `build.arch-list` | list | | architectures |\n\n"
     "## `overrides`\n\n```yaml\noverrides:\n  - build: {+arch-list: [\"8.0\"]}\n```\n"},
    {"cli", "# The command line\n\n## Exit codes\n\n<!-- a -->\ntable\n<!-- end -->\n"},
};

std::string said(const std::string& subject) {
  const Result<std::string> text = report::documentation(kDocuments, subject);
  REQUIRE(text);
  return *text;
}

}  // namespace

TEST_CASE("a key has its type, default, meaning and an example, even from another section") {
  CHECK(said("build.timeout") ==
        "build.timeout\n\n  type     time\n  default  3 h\n\nthe limit, `a|b`\n\nexample:\n\n"
        "    build:\n      timeout: 2 h\n");
  CHECK(said("build.arch-list") ==
        "build.arch-list\n\n  type     list\n\narchitectures\n\nexample:\n\n"
        "    overrides:\n      - build: {+arch-list: [\"8.0\"]}\n");
}

TEST_CASE("a section and a page are printed without comments for tools") {
  CHECK(said("build").starts_with("## `build`\n"));
  CHECK(said("build").find("## `overrides`") == std::string::npos);
  CHECK(said("cli.exit-codes") == "## Exit codes\n\ntable\n");
  CHECK(said("cli").starts_with("# The command line\n"));
}

TEST_CASE("the index lists pages, sections and keys") {
  const std::string index = said("");
  for (const char* const name : {"matrix ", "matrix.how-values-are-written", "cli.exit-codes",
                                 "build ", "build.timeout", "build.arch-list", "overrides"}) {
    CAPTURE(name);
    CHECK(index.find(name) != std::string::npos);
  }
}

TEST_CASE("the keys are those of the page of the matrix, wherever it is in the list") {
  const std::vector<report::Document> turned = {kDocuments[1], kDocuments[0]};
  CHECK(report::matrix_page(turned) == kDocuments[0].text);
  CHECK(report::documentation(turned, "build.timeout"));
  CHECK(report::matrix_page({}).empty());
}

TEST_CASE("an unknown subject names the nearest") {
  const Result<std::string> text = report::documentation(kDocuments, "build.timout");
  REQUIRE_FALSE(text);
  CHECK(text.error().kind == ErrorKind::usage);
  CHECK(text.error().hint == "did you mean `build.timeout`?");
  CHECK(report::documentation(kDocuments, "zzz").error().hint ==
        "`pinwheel docs` lists the subjects");
}

TEST_CASE("every subject of the shipped documents has a text, every key an example") {
  const std::vector<report::Document> documents = report::shipped_documents();
  CHECK(documents.size() >= 17);
  for (const std::string& subject : report::documented_subjects(documents)) {
    CAPTURE(subject);
    CHECK(report::documentation(documents, subject));
  }
  const auto keys = report::documented_keys(report::matrix_page(documents));
  CHECK(keys.size() > 90);
  for (const report::DocumentedKey& key : keys) {
    CAPTURE(key.name);
    const Result<std::string> text = report::documentation(documents, key.name);
    REQUIRE(text);
    if (key.name != "schema") {
      CHECK((text->find("example:") != std::string::npos ||
             text->find("```yaml") != std::string::npos));
    }
  }
}
