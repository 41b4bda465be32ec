#include "publish/recut.h"

#include "unit/catch.h"

namespace pinwheel::publish {
namespace {

IndexFile on_page(const std::string& filename, const std::string& sha256 = "aa") {
  IndexFile file;
  file.filename = filename;
  if (!sha256.empty()) file.hashes = {{"sha256", sha256}};
  return file;
}

Artifact to_publish(const std::string& project, const std::string& filename,
                    const std::string& version = "1.0") {
  Artifact file;
  file.filename = filename;
  file.name = project;
  file.version = version;
  file.sha256 = "aa";
  return file;
}

constexpr const char* kFirst = "demo-1.0-py3-none-any.whl";
constexpr const char* kRecut = "demo-1.0-1-py3-none-any.whl";

/// The error of a re-cut with the build number 1; empty: there is none.
std::string refusal(const std::vector<Artifact>& files, const std::vector<IndexFile>& page) {
  const Done checked =
      check_recut(TargetRecut{"index", 1}, files, [&](const std::string&) { return page; });
  if (checked) return {};
  CHECK(checked.error().kind == ErrorKind::publish);
  CHECK_FALSE(checked.error().hint.empty());
  return checked.error().message;
}

TEST_CASE("the files of a version are counted by build number") {
  const std::vector<IndexFile> page = {on_page(kFirst),
                                       on_page("demo-1.0.tar.gz"),
                                       on_page(kRecut),
                                       on_page("demo-1.0-12-py3-none-any.whl"),
                                       on_page("demo-1.0-1a-py3-none-any.whl"),
                                       on_page("demo-1.1-3-py3-none-any.whl"),
                                       on_page("notes.txt")};
  CHECK(recut_state({"demo", "1.0.0", 1}, page) == RecutState{1, 4, 12});
  CHECK(recut_state({"demo", "1.1", 3}, page) == RecutState{1, 0, 3});
  CHECK(recut_state({"demo", "2.0", 1}, page) == RecutState{});
  CHECK(recut_state({"demo", "no version", 1}, page) == RecutState{});
}

TEST_CASE("a version is published with any local part, and a re-cut has its own") {
  const std::vector<IndexFile> page = {on_page("demo-1.0+cpu-py3-none-any.whl"),
                                       on_page("demo-1.0+cpu-1-py3-none-any.whl"),
                                       on_page("demo-1.0+cu130-1-py3-none-any.whl")};
  CHECK(recut_state({"demo", "1.0+cu130", 1}, page) == RecutState{1, 1, 1});
  CHECK(recut_state({"demo", "1.0+rocm7", 1}, page) == RecutState{0, 1, 1});
}

TEST_CASE("a re-cut needs another file of each project in its version") {
  const Artifact file = to_publish("Demo", kRecut);
  const std::string nothing =
      "`index` has no file of `demo` 1.0, so there is nothing to re-cut with build number 1";
  CHECK(refusal({file}, {}) == nothing);
  CHECK(refusal({file}, {on_page("demo-0.9-py3-none-any.whl")}) == nothing);
  // Its own files do not make it published.
  CHECK(refusal({file}, {on_page(kRecut)}) == nothing);
  CHECK(refusal({file}, {on_page(kFirst)}).empty());
  CHECK(refusal({file}, {on_page("demo-1.0.tar.gz")}).empty());
  CHECK(nothing_to_recut("index", {"demo", "1.0+cpu", 1}).message == nothing);
}

TEST_CASE("a build number is used once, and the same bytes are no fault") {
  const Artifact file = to_publish("demo", kRecut);
  const IndexFile first = on_page(kFirst, "bb");
  CHECK(refusal({file}, {first, on_page(kRecut, "aa")}).empty());
  // An upload reads the file if the page has no hash.
  CHECK(refusal({file}, {first, on_page(kRecut, "")}).empty());
  CHECK(refusal({file}, {first, on_page(kRecut, "bb")}) ==
        "`index` already has different files with build number 1; nothing was sent");
}

TEST_CASE("a release without a build number is not compared") {
  CHECK(check_recut(TargetRecut{"index", 0}, {to_publish("demo", kFirst)}, Catalog{}));
}

TEST_CASE("the files of a directory index are those of all its places") {
  Catalog catalog;
  catalog.places["cpu"]["demo"]["demo-1.0+cpu-py3-none-any.whl"] = {"cpu/demo/x.whl", "bb"};
  const std::vector<Artifact> files = {
      to_publish("demo", "demo-1.0+cu130-2-py3-none-any.whl", "1.0+cu130")};
  CHECK(check_recut(TargetRecut{"index", 2}, files, catalog));
  CHECK_FALSE(check_recut(TargetRecut{"index", 2}, files, Catalog{}));
}

}  // namespace
}  // namespace pinwheel::publish
