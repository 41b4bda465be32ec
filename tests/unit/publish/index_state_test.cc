#include "publish/index_state.h"

#include <nlohmann/json.hpp>

#include "unit/catch.h"

namespace pinwheel::publish {
namespace {

using Texts = std::vector<std::string>;
using Page = std::vector<IndexFile>;

const std::chrono::sys_days kToday{std::chrono::year(2026) / 8 / 22};

IndexFile held(const std::string& filename, const std::string& time = {}, uint64_t size = 1000) {
  IndexFile file;
  file.filename = filename;
  file.upload_time = time;
  file.size = size;
  return file;
}

PlannedRelease planned(const Endpoint& endpoint = pypi(), size_t files = 2) {
  return {"pypi", endpoint, "Demo-Ops", "1.0", files};
}

IndexState judged(const Page& page, const PlannedRelease& release = planned()) {
  return state_of(release, page, kToday);
}

Texts messages(const std::vector<Error>& errors) {
  Texts out;
  for (const Error& error : errors) {
    CHECK(error.kind == ErrorKind::publish);
    out.push_back(error.message);
  }
  return out;
}

TEST_CASE("a project that the index does not know is a free name and a new release") {
  const IndexState state = judged({});
  CHECK(state.project_files == 0);
  CHECK(state.project_bytes == 0);
  CHECK(state.newest.empty());
  CHECK(state.release == ReleaseState::absent);
  CHECK(blockers({state}).empty());
  CHECK(warnings({state}).empty());
  CHECK(state_rows({state})[1] ==
        Texts{"pypi", "Demo-Ops", "1.0", "2", "new", "name is free", "0 B of 10 GiB"});
}

TEST_CASE("the state of a release is that of its own version, however it is spelled") {
  const IndexState state = judged({held("demo_ops-1.0.0-py3-none-any.whl", "2026-08-20T01:00:00Z"),
                                   held("demo_ops-1.0.tar.gz", "2026-08-21T01:00:00Z"),
                                   held("demo_ops-1.10.tar.gz", "2026-01-01T00:00:00Z"),
                                   held("demo_ops-1.9.tar.gz", "2025-01-01T00:00:00Z"),
                                   held("notes.txt", "2020-01-01T00:00:00Z")});
  CHECK(state.release == ReleaseState::open);
  CHECK(state.release_files == 2);
  CHECK(state.opened == "2026-08-20");
  CHECK(state.newest == "1.10");
  CHECK(state.project_files == 5);
  CHECK(state.project_bytes == 5000);
}

TEST_CASE("a version with a local part is a release of its own") {
  PlannedRelease release = planned(endpoint("https://index.example.org/legacy/").value());
  release.version = "1.0+cu130";
  const IndexState state = judged(
      {held("demo_ops-1.0+cpu-py3-none-any.whl"), held("demo_ops-1.0+cu130-py3-none-any.whl")},
      release);
  CHECK(state.release_files == 1);
  CHECK(state.opened.empty());
}

TEST_CASE("a release whose first file is older than 14 days is closed on PyPI alone") {
  const Page page = {held("demo_ops-1.0.tar.gz", "2026-08-07T23:59:59Z"),
                     held("demo_ops-1.0-py3-none-any.whl", "2026-08-20T01:00:00Z")};
  const IndexState one_short = judged(page, planned(pypi(), 3));
  CHECK(one_short.release == ReleaseState::closed);
  CHECK(messages(blockers({one_short})) ==
        Texts{"`Demo-Ops` 1.0 on `pypi` has 2 of 3 files and is closed: its first file was "
              "uploaded on 2026-08-07"});
  // Everything is there: the release is repeated without an upload.
  CHECK(blockers({judged(page)}).empty());
  const auto other = planned(endpoint("https://index.example.org/legacy/").value(), 3);
  CHECK(judged(page, other).release == ReleaseState::open);
  // The fourteenth day is the last on which PyPI accepts files.
  CHECK(judged({held("demo_ops-1.0.tar.gz", "2026-08-08T00:00:00Z")}).release ==
        ReleaseState::open);
}

TEST_CASE("a page without upload times or sizes leaves them unknown") {
  IndexFile bare = held("demo_ops-1.0.tar.gz");
  bare.size.reset();
  const IndexState state = judged({bare});
  CHECK(state.release == ReleaseState::open);
  CHECK(state.opened.empty());
  CHECK_FALSE(state.project_bytes);
  CHECK(state_rows({state})[1].back() == "unknown");
}

TEST_CASE("files of a re-cut are not counted for the first cut") {
  const IndexState state =
      judged({held("demo_ops-1.0-py3-none-any.whl", "2026-08-01T01:00:00Z"),
              held("demo_ops-1.0-1-py3-none-any.whl", "2026-08-02T01:00:00Z")});
  CHECK(state.release_files == 1);
  CHECK(messages(blockers({state})) ==
        Texts{"`Demo-Ops` 1.0 on `pypi` has 1 of 2 files and is closed: its first file was "
              "uploaded on 2026-08-01"});
}

TEST_CASE("a version that cannot be re-cut is named once for all of its labels") {
  PlannedRelease release = planned(endpoint("https://index.example.org/legacy/").value());
  release.build = 1;
  std::vector<IndexState> states;
  for (const char* const version : {"1.0+cpu", "1.0+cu130"}) {
    release.version = version;
    states.push_back(judged({}, release));
  }
  release.version = "1.1+cpu";
  states.push_back(judged({}, release));
  CHECK(messages(blockers(states)) ==
        Texts{"`pypi` has no file of `Demo-Ops` 1.0, so there is nothing to re-cut with build "
              "number 1",
              "`pypi` has no file of `Demo-Ops` 1.1, so there is nothing to re-cut with build "
              "number 1"});
}

TEST_CASE("a re-cut needs a published version, and counts the files with its build number") {
  PlannedRelease release = planned();
  release.build = 2;
  const IndexState missing = judged({held("demo_ops-0.9.tar.gz")}, release);
  CHECK(messages(blockers({missing})) ==
        Texts{"`pypi` has no file of `Demo-Ops` 1.0, so there is nothing to re-cut with build "
              "number 2"});
  Page page = {held("demo_ops-1.0-py3-none-any.whl", "2026-08-20T01:00:00Z"),
               held("demo_ops-1.0.tar.gz", "2026-08-20T01:00:00Z"),
               held("demo_ops-1.0-2-cp311-cp311-any.whl", "2026-08-21T01:00:00Z")};
  const IndexState open = judged(page, release);
  CHECK(blockers({open}).empty());
  CHECK(warnings({open}).empty());
  CHECK(open.release_files == 1);
  CHECK(state_rows({open})[1] == Texts{"pypi", "Demo-Ops", "1.0 build 2", "2",
                                       "re-cut of 2 files, 1 there", "newest 1.0",
                                       "3.0 KB of 10 GiB"});
  CHECK(state_json({open})[0]["build-number"] == 2);
  // PyPI closes a release for its re-cuts as well.
  page[0].upload_time = "2026-08-01T01:00:00Z";
  const IndexState closed = judged(page, release);
  CHECK(state_rows({closed})[1][4] == "closed, re-cut of 2 files, 1 there");
  CHECK(messages(blockers({closed})) ==
        Texts{"`Demo-Ops` 1.0 on `pypi` has 1 of 2 files and is closed: its first file was "
              "uploaded on 2026-08-01"});
  release.build = 1;
  CHECK(messages(warnings({judged(page, release)})) ==
        Texts{"`pypi` has build number 2 of `Demo-Ops` 1.0, which installers prefer to 1"});
}

TEST_CASE("a project near the limit of its size is a warning, which counts the new files") {
  PlannedRelease release = planned();
  const Page large = {held("demo_ops-0.9.tar.gz", "", kProjectLimit / 10 * 8)};
  CHECK(warnings({judged(large, release)}).empty());
  release.bytes = kProjectLimit / 10;
  const std::vector<Error> near = warnings({judged(large, release)});
  REQUIRE(near.size() == 1);
  CHECK(near[0].message ==
        "`Demo-Ops` will have 9.7 GB or more on `pypi`, which accepts 10 GiB for a project");
  release.endpoint = endpoint("https://index.example.org/legacy/").value();
  CHECK(warnings({judged(large, release)}).empty());
}

TEST_CASE("a page that cannot be read is a warning with its cause, and blocks nothing") {
  const Error busy{ErrorKind::transient, "no answer"};
  const IndexState state = state_of(planned(), fail(busy), kToday);
  CHECK(state.release == ReleaseState::unknown);
  CHECK(blockers({state}).empty());
  const std::vector<Error> warned = warnings({state});
  REQUIRE(warned.size() == 1);
  CHECK(warned[0].kind == ErrorKind::transient);
  CHECK(warned[0].message == "the state of `Demo-Ops` on `pypi` is unknown");
  CHECK(warned[0].causes.at(0).message == "no answer");
  CHECK(state_rows({state})[1] ==
        Texts{"pypi", "Demo-Ops", "1.0", "2", "not checked", "not checked", "unknown"});
}

TEST_CASE("a release on GitHub is a draft until it is published, and then lacks no files") {
  const ReleaseGoal goal{
      {"github", "https://api.github.com", "acme/ops"}, "v1.0", std::string(40, 'c'), {}};
  const auto on_github = [&](const GithubState& found) {
    IndexState state{planned({}, 3)};
    note_github(state, goal, found);
    return state;
  };
  CHECK(on_github({}).release == ReleaseState::absent);
  CHECK(state_rows({on_github({})})[1] ==
        Texts{"pypi", "Demo-Ops", "1.0", "3", "new", "tag `v1.0` is new", ""});
  GithubState found;
  found.release = GithubRelease{7, "v1.0", true, false, "u"};
  found.assets = {{1, "a", 1, "", true}, {2, "b", 1, "", false}};
  CHECK(on_github(found).release == ReleaseState::draft);
  CHECK(on_github(found).release_files == 1);
  CHECK(blockers({on_github(found)}).empty());
  found.release->draft = false;
  found.release->opened = "2026-11-02T01:02:03Z";
  found.tag_commit = goal.commit;
  CHECK(messages(blockers({on_github(found)})) ==
        Texts{"the release of tag `v1.0` of `acme/ops` is published with 1 file, and needs 3"});
  CHECK(state_rows({on_github(found)})[1][4] == "published, 1 file there since 2026-11-02");
  CHECK(state_json({on_github(found)})[0]["release"] == "published");
  found.tag_commit = std::string(40, 'd');
  CHECK(blockers({on_github(found)}).size() == 2);
}

TEST_CASE("a question without an answer blocks nothing, a refusal does") {
  IndexState state{planned()};
  note_unanswered(state, {ErrorKind::transient, "no answer"});
  CHECK(blockers({state}).empty());
  CHECK(warnings({state}).size() == 1);
  note_unanswered(state, {ErrorKind::publish, "HTTP 401"});
  CHECK(messages(blockers({state})) == Texts{"HTTP 401"});
}

TEST_CASE("as JSON, what is unknown is null") {
  const Error busy{ErrorKind::transient, "no answer"};
  const nlohmann::json list =
      state_json({judged({held("demo_ops-1.0.tar.gz", "2026-08-20T01:00:00Z")}),
                  state_of(planned(), fail(busy), kToday)});
  CHECK(list[0] == nlohmann::json{{"target", "pypi"},
                                  {"project", "Demo-Ops"},
                                  {"version", "1.0"},
                                  {"files", 2},
                                  {"known", true},
                                  {"newest", "1.0"},
                                  {"bytes", 1000},
                                  {"release", "open"},
                                  {"present", 1},
                                  {"opened", "2026-08-20"}});
  CHECK(list[1]["known"].is_null());
  CHECK(list[1]["bytes"].is_null());
  CHECK(list[1]["release"] == "unknown");
}

}  // namespace
}  // namespace pinwheel::publish
