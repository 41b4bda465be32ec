#include "publish/release_status.h"

#include <nlohmann/json.hpp>

#include "publish/recut.h"
#include "unit/catch.h"

namespace pinwheel::publish {
namespace {

using Texts = std::vector<std::string>;

constexpr const char* kWheel = "demo-1.0-cp311-cp311-linux_x86_64.whl";
constexpr const char* kOther = "demo-1.0-cp312-cp312-linux_x86_64.whl";

IndexFile listed(const std::string& name, const std::string& sha256) {
  IndexFile file;
  file.filename = name;
  if (!sha256.empty()) file.hashes = {{"sha256", sha256}};
  return file;
}

ExpectedFile expected(const std::string& name, const std::string& sha256 = "aa") {
  return {"pypi", "demo", "build:cp311", name, sha256};
}

FileState state_for(const ExpectedFile& file, const Result<std::vector<IndexFile>>& page) {
  const std::vector<ReleaseFile> compared = compare_with_page({file}, page);
  REQUIRE(compared.size() == 1);
  return compared[0].state;
}

ReleaseStatus status_with(FileState state) {
  ReleaseStatus status;
  status.version = "1.0";
  status.files = {{expected(kWheel), FileState::published}, {expected(kOther), state}};
  return status;
}

TEST_CASE("a file is compared with the page by its name and hash") {
  const std::vector<IndexFile> page = {listed(kWheel, "aa"), listed(kOther, "")};
  CHECK(state_for(expected(kWheel), page) == FileState::published);
  CHECK(state_for(expected(kWheel, "bb"), page) == FileState::different);
  CHECK(state_for(expected(kOther), page) == FileState::listed);
  CHECK(state_for(expected("demo-1.0.tar.gz"), page) == FileState::missing);
  CHECK(state_for(expected("", ""), page) == FileState::not_built);
  CHECK(state_for(expected(kWheel), fail(ErrorKind::transient, "busy")) == FileState::unknown);
  CHECK(state_for(expected("", ""), fail(ErrorKind::transient, "busy")) == FileState::not_built);
}

TEST_CASE("files of the same version that the plan lacks are unplanned") {
  const std::vector<IndexFile> page = {listed(kWheel, "aa"), listed("demo-1.0.0.tar.gz", "aa"),
                                       listed(kOther, "aa"), listed("demo-0.9.tar.gz", "aa"),
                                       listed("notes.txt", "aa")};
  CHECK(unplanned_files({expected(kWheel)}, page) == Texts{kOther, "demo-1.0.0.tar.gz"});
  CHECK(unplanned_files({expected(kWheel), expected("")}, page).empty());
}

TEST_CASE("other cuts of a version are no unplanned files") {
  const std::string recut = "demo-1.0-1-cp311-cp311-linux_x86_64.whl";
  const std::vector<IndexFile> page = {listed(kWheel, "aa"), listed(recut, "aa"),
                                       listed("demo-1.0.tar.gz", "aa"),
                                       listed("demo-1.0-1-cp312-cp312-linux_x86_64.whl", "aa")};
  CHECK(unplanned_files({expected(recut)}, page) ==
        Texts{"demo-1.0-1-cp312-cp312-linux_x86_64.whl"});
  CHECK(unplanned_files({expected(kWheel)}, page) == Texts{"demo-1.0.tar.gz"});
}

TEST_CASE("a re-cut of an unpublished version is completed by its first release") {
  ReleaseStatus status = status_with(FileState::missing);
  status.build = 2;
  CHECK(status_sentence(status) == "release 1.0 build 2 is incomplete: 1 of 2 files missing");
  status.unpublished = {nothing_to_recut("pypi", {"demo", "1.0", 2})};
  CHECK(remedy_of(status) == Remedy::first_cut);
  CHECK(status_sentence(status) ==
        "release 1.0 build 2 is incomplete: 1 of 2 files missing, its version is not published");
  const nlohmann::json json = status_json(status);
  CHECK(json["build-number"] == 2);
  CHECK(json["conflicts"] == Texts{status.unpublished[0].message});
  CHECK_FALSE(status_json(status_with(FileState::missing)).contains("build-number"));
}

TEST_CASE("the remedy is that of the worst state") {
  CHECK(remedy_of(status_with(FileState::published)) == Remedy::none);
  CHECK(remedy_of(status_with(FileState::listed)) == Remedy::none);
  CHECK(remedy_of(status_with(FileState::missing)) == Remedy::release);
  CHECK(remedy_of(status_with(FileState::not_built)) == Remedy::release);
  CHECK(remedy_of(status_with(FileState::different)) == Remedy::another_version);
  ReleaseStatus status = status_with(FileState::published);
  status.wanted_tag = "v1.0";
  CHECK(remedy_of(status) == Remedy::tag);
  status.unreadable = {Error{ErrorKind::transient, "busy"}};
  CHECK(remedy_of(status) == Remedy::ask_again);
  status.missing_steps = {"test:cp311"};
  CHECK(remedy_of(status) == Remedy::release);
  status.conflicts = {Error{ErrorKind::publish, "tag `v1.0` is at another commit"}};
  CHECK(remedy_of(status) == Remedy::another_version);
  CHECK(status_sentence(status).ends_with("its tag is at another commit"));
  CHECK(status_json(status)["conflicts"][0] == "tag `v1.0` is at another commit");
}

TEST_CASE("the sentence counts what is missing, and the table names it") {
  ReleaseStatus status = status_with(FileState::missing);
  CHECK(status_sentence(status) == "release 1.0 is incomplete: 1 of 2 files missing");
  status.missing_steps = {"test:cp311"};
  status.files[0].state = FileState::different;
  CHECK(status_sentence(status) ==
        "release 1.0 is incomplete: 1 of 2 files differ from those of the index, 1 of 2 files "
        "missing, 1 step without a result");
  CHECK(status_rows(status) == std::vector<Texts>{{"target", "file", "state"},
                                                  {"pypi", kWheel, "other bytes"},
                                                  {"pypi", kOther, "missing"},
                                                  {"", "test:cp311", "no result"}});
  ReleaseStatus untagged = status_with(FileState::published);
  untagged.wanted_tag = "v1.0";
  CHECK(status_sentence(untagged) == "release 1.0 is incomplete: no tag on HEAD");
  CHECK(status_rows(status_with(FileState::not_built))[2][2] == "not built");
}

TEST_CASE("as JSON, a release is complete only if nothing is to be done") {
  const nlohmann::json whole = status_json(status_with(FileState::published));
  CHECK(whole["schema"] == "pinwheel-status/1");
  CHECK(whole["complete"] == true);
  CHECK(whole["files"][1]["state"] == "published");
  CHECK(whole["files"][1]["sha256"] == "aa");
  CHECK(status_json(status_with(FileState::unknown))["files"][1]["state"] == "unknown");
  CHECK(status_json(status_with(FileState::missing))["complete"] == false);
}

}  // namespace
}  // namespace pinwheel::publish
