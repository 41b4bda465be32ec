#include "prepare/checkout_state.h"

#include <string>
#include <vector>

#include "unit/prepare/matrix_world.h"

namespace pinwheel::prepare {
namespace {

constexpr const char* kLfsAttributes = "*.bin filter=lfs diff=lfs merge=lfs -text\n";
constexpr const char* kLfsPointer =
    "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 1\n";

/// A checkout of `/repo`, whose package is at its top.
struct FilesWorld {
  fakes::FakeHost fake;

  FilesWorld() {
    fake.files.make(".git");
    fake.git.known = checkout_facts();
  }
  /// A file that git tracks.
  void track(const std::string& name, const std::string& text) {
    fake.files.put(name, text);
    fake.git.tracked.tracked.push_back(name);
  }
  RepositoryTraits traits(const std::string& directory = "/repo") {
    return repository_traits(fake.git, fake.files, directory);
  }
  std::vector<std::string> warnings(const std::string& yaml = kPlainYaml) {
    warn_of_missing_files(fake.host, loaded_from(fake, yaml), fake.notices);
    return fake.notices.warnings;
  }
  Error no_repository() {
    const Result<ports::GitFacts> facts = own_repository(fake.git, "/repo/sub");
    REQUIRE_FALSE(facts);
    return facts.error();
  }
};

TEST_CASE("submodules come from git, and LFS files from the attributes") {
  FilesWorld world;
  CHECK_FALSE(world.traits().submodules);
  CHECK_FALSE(world.traits().lfs);
  world.fake.git.tracked.submodules = {"third/pybind11"};
  world.track("data/.gitattributes", "*.txt text\n");
  CHECK(world.traits().submodules);
  CHECK_FALSE(world.traits().lfs);
  world.track("data/.gitattributes", kLfsAttributes);
  CHECK(world.traits().lfs);
  world.fake.git.listed = fail(ErrorKind::environment, "no repository");
  CHECK_FALSE(world.traits().submodules);
  CHECK_FALSE(world.traits().lfs);
}

TEST_CASE("attributes count from the package up to the top of its repository, and not above") {
  FilesWorld world;
  world.fake.files.make("sub");
  world.fake.files.put("/.gitattributes", kLfsAttributes);
  CHECK_FALSE(world.traits("/repo/sub").lfs);
  world.fake.files.put("/repo/.gitattributes", kLfsAttributes);
  CHECK(world.traits("/repo/sub").lfs);
}

TEST_CASE("each submodule that is not checked out is warned of") {
  FilesWorld world;
  world.fake.git.tracked.absent_submodules = {"third/a", "third/b"};
  CHECK(world.warnings() == std::vector<std::string>{"submodule `third/a` is not checked out",
                                                     "submodule `third/b` is not checked out"});
}

TEST_CASE("files that LFS did not fetch are warned of together") {
  FilesWorld world;
  world.track("whole.bin", "contents");
  world.track("a.bin", kLfsPointer);
  CHECK(world.warnings().empty());
  world.track(".gitattributes", kLfsAttributes);
  REQUIRE(world.warnings().size() == 1);
  CHECK(world.fake.notices.warnings.back() ==
        "`a.bin` is not fetched: Git LFS left a pointer in its place");
  for (const char* const name : {"b.bin", "c.bin", "d.bin", "e.bin", "f.bin"}) {
    world.track(name, kLfsPointer);
  }
  REQUIRE(world.warnings().size() == 2);
  CHECK(world.fake.notices.warnings.back() ==
        "`a.bin`, `b.bin`, `c.bin`, `d.bin`, `e.bin` and 1 more are not fetched: Git LFS left "
        "pointers in its place");
}

TEST_CASE("a file that is too large for a pointer is none, whatever it begins with") {
  FilesWorld world;
  world.track(".gitattributes", kLfsAttributes);
  world.track("a.bin", kLfsPointer + std::string(2000, 'x'));
  CHECK(world.warnings().empty());
}

TEST_CASE("a package from an index and a missing source lack no files") {
  FilesWorld world;
  world.fake.git.tracked.absent_submodules = {"third/a"};
  CHECK(world
            .warnings("schema: pinwheel/1\npackage: {name: demo, requirement: \"demo==1.0\"}\n"
                      "axes: {python: [\"3.11\"]}\n")
            .empty());
  CHECK(world
            .warnings("schema: pinwheel/1\npackage: {name: demo, source: nowhere}\n"
                      "axes: {python: [\"3.11\"]}\n")
            .empty());
  world.fake.git.listed = fail(ErrorKind::environment, "no repository");
  CHECK(world.warnings().empty());
}

TEST_CASE("the repository of a package is the one that tracks its files") {
  FilesWorld world;
  const Result<ports::GitFacts> facts = own_repository(world.fake.git, "/repo/sub");
  REQUIRE(facts);
  CHECK(facts->commit == std::string(40, 'a'));
  world.fake.git.known = fail(ErrorKind::environment, "no repository");
  CHECK(world.no_repository().message == "no repository");
}

TEST_CASE("a repository that ignores a package or does not track it is another's") {
  FilesWorld world;
  world.fake.git.known->tracks_directory = false;
  const Error ignored = world.no_repository();
  CHECK(ignored.kind == ErrorKind::config);
  CHECK(ignored.message ==
        "`/repo/sub` is ignored by the repository `/repo` around it, so none of its files would "
        "be built");
  CHECK(ignored.hint.find("remove it from `/repo/.gitignore`") == 0);
  world.fake.git.tracked.untracked = {"setup.py"};
  const Error untracked = world.no_repository();
  CHECK(untracked.kind == ErrorKind::environment);
  CHECK(untracked.message ==
        "the repository `/repo` tracks no file of `/repo/sub`, so its tags do not give it a "
        "version");
  // A file that git cannot list may be tracked.
  world.fake.git.tracked = {};
  world.fake.git.listed = fail(ErrorKind::environment, "a broken index");
  CHECK(world.no_repository().kind == ErrorKind::environment);
}

}  // namespace
}  // namespace pinwheel::prepare
