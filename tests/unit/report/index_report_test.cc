#include "report/index_report.h"

#include <nlohmann/json.hpp>

#include "unit/catch.h"

namespace pinwheel::report {
namespace {

using publish::AuditFinding;
using publish::AuditSeverity;

IndexReport sample() {
  IndexReport report;
  report.index = "https://a.example/whl/";
  report.pages = 2;
  report.files = 8;
  report.hashed = 5;
  report.verified = 3;
  report.bytes = 12'000'000;
  for (const char* file : {"a", "b", "c", "d", "e", "f"}) {
    report.findings.push_back({"upload-time", AuditSeverity::warning, "demo", file,
                               "has no upload time", "uv ignores it"});
  }
  report.findings.push_back(
      {"hash", AuditSeverity::error, "cu130/demo", "x.whl", "has another\x1b[2J hash"});
  report.findings.push_back({"page", AuditSeverity::error, "gone", "", "the index has no page"});
  report.choices.push_back({"demo", "cp311-linux_x86_64", {"a.whl", ""}, {"", "2 files too new"}});
  report.choices.push_back({"demo",
                            "cp312-linux_x86_64",
                            {"b.tar.gz", "it has to be built"},
                            {"b.tar.gz", "it has to be built"}});
  return report;
}

}  // namespace

TEST_CASE("files with the same finding share a line, and long lists are cut") {
  CHECK(index_text(sample(), 0) ==
        R"(machine             project  installer  installs
cp311-linux_x86_64  demo     pip        a.whl
cp311-linux_x86_64  demo     uv         nothing: 2 files too new
cp312-linux_x86_64  demo     pip, uv    b.tar.gz (it has to be built)

warning: [upload-time] `a`, `b`, `c`, `d`, `e` and 1 more of `demo`: has no upload time
  hint: uv ignores it
error: [hash] `x.whl` of `cu130/demo`: has another\x1b[2J hash
error: [page] `gone`: the index has no page
https://a.example/whl/: 2 pages, 8 files, 5 hashed (12 MB), 3 verified before; 2 errors, 6 warnings
)");
}

TEST_CASE("an index without findings is one line") {
  IndexReport report;
  report.index = "dist/index";
  CHECK(index_text(report, 0) == "dist/index: 0 pages, 0 files; 0 errors, 0 warnings\n");
}

TEST_CASE("the JSON has every finding and choice") {
  const auto document = nlohmann::json::parse(index_json(sample()));
  CHECK(document["schema"] == "pinwheel-index-check/1");
  CHECK(document["verified"] == 3);
  REQUIRE(document["findings"].size() == 8);
  CHECK(document["findings"][0] == nlohmann::json{{"rule", "upload-time"},
                                                  {"severity", "warning"},
                                                  {"page", "demo"},
                                                  {"file", "a"},
                                                  {"message", "has no upload time"},
                                                  {"hint", "uv ignores it"}});
  CHECK(document["findings"][7]["file"].is_null());
  CHECK(document["choices"][0]["pip"] == nlohmann::json{{"file", "a.whl"}, {"reason", nullptr}});
  CHECK(document["choices"][0]["uv"]["file"].is_null());
}

}  // namespace pinwheel::report
