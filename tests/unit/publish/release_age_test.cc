#include "publish/release_age.h"

#include "unit/catch.h"

using namespace pinwheel;
using publish::IndexFile;

namespace {

IndexFile held(const std::string& filename, const std::string& time) {
  IndexFile file;
  file.filename = filename;
  file.upload_time = time;
  return file;
}

std::vector<std::string> age_messages(const std::vector<IndexFile>& page) {
  const std::chrono::sys_days today{std::chrono::year(2026) / 8 / 22};
  publish::Artifact late;
  late.filename = "demo_ops-1.0-cp313-cp313-manylinux_2_28_x86_64.whl";
  std::vector<std::string> out;
  for (const Error& error : publish::age_findings({late}, page, today)) {
    CHECK(error.kind == ErrorKind::publish);
    out.push_back(error.message);
  }
  return out;
}

}  // namespace

TEST_CASE("a file for a release older than 14 days is reported with the release's first file") {
  CHECK(age_messages({held("demo_ops-1.0-py3-none-any.whl", "2026-08-20T01:00:00Z"),
                      held("demo_ops-1.0.0.tar.gz", "2026-08-07T23:59:59.1Z")}) ==
        std::vector<std::string>{
            "`demo_ops-1.0-cp313-cp313-manylinux_2_28_x86_64.whl` is too late for release 1.0, "
            "whose `demo_ops-1.0.0.tar.gz` was uploaded on 2026-08-07"});
}

TEST_CASE("young releases, other versions and pages without times have no findings") {
  CHECK(age_messages({}).empty());
  CHECK(age_messages({held("demo_ops-1.0.tar.gz", "2026-08-08T00:00:00Z")}).empty());
  CHECK(age_messages({held("demo_ops-0.9.tar.gz", "2025-01-01T00:00:00Z")}).empty());
  CHECK(age_messages({held("demo_ops-1.0.tar.gz", "")}).empty());
  CHECK(age_messages({held("demo_ops-1.0.tar.gz", "yesterday, I think")}).empty());
  CHECK(age_messages({held("notes.txt", "2025-01-01T00:00:00Z")}).empty());
}
