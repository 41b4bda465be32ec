#include "host/git/source_tree.h"

#include <sys/stat.h>

#include <map>
#include <set>
#include <utility>

#include "unit/catch.h"
#include "unit/host/scratch.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// A git with these files, or one that fails.
class FakeGit final : public ports::Git {
 public:
  explicit FakeGit(Result<ports::GitFiles> files) : files_(std::move(files)) {}
  explicit FakeGit(std::vector<std::string> tracked)
      : files_(ports::GitFiles{std::move(tracked)}) {}

  Result<ports::GitFacts> facts(const fs::path& /*directory*/,
                                ports::WorkTree /*work_tree*/) override {
    return fail(ErrorKind::internal, "the history is not asked for");
  }
  Result<ports::GitFiles> files(const fs::path& /*directory*/,
                                const std::vector<fs::path>& /*made*/) override {
    return files_;
  }
  Result<ports::GitChange> last_change(
      const fs::path& /*directory*/,
      const std::function<bool(std::string_view name)>& counts) override {
    // The "commit" lists the files that count, of these.
    ports::GitChange change;
    for (const char* name : {"a.py", "README.md", "plans/plan.json"}) {
      if (counts(name)) change.commit += std::string(name) + " ";
    }
    return change;
  }

 private:
  Result<ports::GitFiles> files_;
};

FakeGit refusing() {
  return FakeGit(Result<ports::GitFiles>(fail(ErrorKind::environment, "not readable")));
}

std::string digest_of(const fs::path& directory, std::vector<std::string> names) {
  FakeGit git(std::move(names));
  const Result<plan::Source> source = read_source(git, directory, {});
  REQUIRE(source);
  return source->digest;
}

TEST_CASE("the digest of a source covers contents, names and the executable bit") {
  const Scratch scratch;
  const fs::path file = scratch.write("a.py", "one");
  scratch.write("b.py", "one");
  const std::string first = digest_of(scratch.path(), {"a.py"});
  CHECK(digest_of(scratch.path(), {"a.py"}) == first);
  CHECK(digest_of(scratch.path(), {"b.py"}) != first);
  CHECK(digest_of(scratch.path(), {"a.py", "b.py"}) != first);

  REQUIRE(chmod(file.c_str(), 0640) == 0);
  CHECK(digest_of(scratch.path(), {"a.py"}) == first);
  REQUIRE(chmod(file.c_str(), 0755) == 0);
  CHECK(digest_of(scratch.path(), {"a.py"}) != first);

  scratch.write("a.py", "two");
  REQUIRE(chmod(file.c_str(), 0644) == 0);
  CHECK(digest_of(scratch.path(), {"a.py"}) != first);
}

TEST_CASE("a tracked but deleted file is not part of the source") {
  const Scratch scratch;
  scratch.write("a.py", "one");
  CHECK(digest_of(scratch.path(), {"a.py", "gone.py"}) == digest_of(scratch.path(), {"a.py"}));
}

TEST_CASE(
    "all files of a directory outside git are included, but not of a checkout that git rejects") {
  const Scratch scratch;
  scratch.write("project/a.py", "one");
  scratch.write("project/sub/b.py", "two");
  const fs::path project = scratch.path() / "project";
  FakeGit git = refusing();
  const Result<plan::Source> whole = read_source(git, project, {});
  REQUIRE(whole);
  CHECK(whole->digest == digest_of(project, {"a.py", "sub/b.py"}));

  fs::create_directories(scratch.path() / ".git");
  const Result<plan::Source> refused = read_source(git, project, {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "not readable");
}

TEST_CASE("what runs make in a directory outside git is not part of it") {
  const Scratch scratch;
  scratch.write("a.py", "one");
  scratch.write("dist/a.whl", "two");
  FakeGit git = refusing();
  const Result<plan::Source> source = read_source(git, scratch.path(), {{scratch.path() / "dist"}});
  REQUIRE(source);
  CHECK(source->digest == digest_of(scratch.path(), {"a.py"}));
  CHECK(export_source(git, *source, {{scratch.path() / "dist"}}, scratch.path() / "copy", 0));
  CHECK_FALSE(fs::exists(scratch.path() / "copy/dist"));
}

TEST_CASE("a plan that the command line names is no part of a source, even if it is tracked") {
  const Scratch scratch;
  scratch.write("a.py", "one");
  scratch.write("plan.json", "{}");
  FakeGit git(std::vector<std::string>{"a.py", "plan.json"});
  const ports::NotSource others{.named = {scratch.path() / "plan.json"}};
  const Result<plan::Source> source = read_source(git, scratch.path(), others);
  REQUIRE(source);
  CHECK(source->digest == digest_of(scratch.path(), {"a.py"}));
  CHECK(export_source(git, *source, others, scratch.path() / "copy", 0));
  CHECK_FALSE(fs::exists(scratch.path() / "copy/plan.json"));
}

TEST_CASE("only files of the source count as its changes") {
  const Scratch scratch;
  scratch.write("a.py", "");
  scratch.write("README.md", "");
  FakeGit git(std::vector<std::string>{"a.py", "README.md"});
  const plan::Source whole = read_source(git, scratch.path(), {}).value();
  const plan::Source wheels = read_wheel_source(whole, {"demo"}).value();
  const ports::NotSource named{{}, {scratch.path() / "plans"}};
  CHECK(last_change(git, whole, {})->commit == "a.py README.md plans/plan.json ");
  CHECK(last_change(git, wheels, {})->commit == "a.py plans/plan.json ");
  CHECK(last_change(git, wheels, named)->commit == "a.py ");
}

TEST_CASE("a missing or empty source is a config error") {
  const Scratch scratch;
  FakeGit git = refusing();
  const Result<plan::Source> missing = read_source(git, scratch.path() / "none", {});
  REQUIRE_FALSE(missing);
  CHECK(missing.error().kind == ErrorKind::config);
  const Result<plan::Source> empty = read_source(git, scratch.path(), {});
  REQUIRE_FALSE(empty);
  CHECK(empty.error().kind == ErrorKind::config);
}

TEST_CASE("an export has fixed modes and times, and links stay links") {
  const Scratch scratch;
  chmod(scratch.write("in/run.sh", "#!/bin/sh\n").c_str(), 0700);
  chmod(scratch.write("in/sub/data", "x").c_str(), 0600);
  fs::create_symlink("sub/data", scratch.path() / "in/link");
  FakeGit git(std::vector<std::string>{"link", "run.sh", "sub/data"});
  const Result<plan::Source> source = read_source(git, scratch.path() / "in", {});
  REQUIRE(source);
  const fs::path out = scratch.path() / "out";
  REQUIRE(export_source(git, *source, {}, out, 1700000000));

  const std::map<std::string, mode_t> modes = {{"run.sh", 0755}, {"sub/data", 0644}};
  for (const auto& [name, mode] : modes) {
    struct stat status = {};
    REQUIRE(lstat((out / name).c_str(), &status) == 0);
    CHECK((status.st_mode & 07777U) == mode);
    CHECK(status.st_mtime == 1700000000);
  }
  CHECK(fs::read_symlink(out / "link") == "sub/data");
  CHECK(digest_of(out, {"link", "run.sh", "sub/data"}) == source->digest);
}

TEST_CASE("an export of a source that was edited in the meantime fails") {
  const Scratch scratch;
  scratch.write("in/a.py", "one");
  scratch.write("in/b.py", "one");
  scratch.write("in/gone.py", "one");
  FakeGit git(std::vector<std::string>{"a.py", "b.py", "gone.py", "new.py"});
  const Result<plan::Source> source = read_source(git, scratch.path() / "in", {});
  REQUIRE(source);
  scratch.write("in/a.py", "two");
  scratch.write("in/new.py", "two");
  fs::remove(scratch.path() / "in/gone.py");
  const Done exported = export_source(git, *source, {}, scratch.path() / "out", 0);
  REQUIRE_FALSE(exported);
  CHECK(exported.error().kind == ErrorKind::step);
  CHECK_THAT(exported.error().message,
             Catch::Matchers::StartsWith("`a.py`, `gone.py` (gone), `new.py` (new) in `"));

  plan::Source elsewhere = *source;
  elsewhere.files = nullptr;
  const Done unnamed = export_source(git, elsewhere, {}, scratch.path() / "out2", 0);
  REQUIRE_FALSE(unnamed);
  CHECK_THAT(unnamed.error().message, Catch::Matchers::EndsWith("/in` changed during the run"));
}

TEST_CASE("a log that git does not track may grow during a run") {
  const Scratch scratch;
  scratch.write("setup.py", "one");
  scratch.write("demo/new.py", "one");
  scratch.write("out.txt", "");
  FakeGit git(ports::GitFiles{{"setup.py"}, {"demo/new.py", "out.txt"}});
  const Result<plan::Source> source = read_source(git, scratch.path(), {});
  REQUIRE(source);
  CHECK(source->digest == digest_of(scratch.path(), {"demo/new.py", "setup.py"}));
  REQUIRE(source->files != nullptr);
  CHECK(source->files->digests.contains("demo/new.py"));
  scratch.write("out.txt", "more");
  CHECK(export_source(git, *source, {}, scratch.path() / "copy", 0));
  CHECK_FALSE(fs::exists(scratch.path() / "copy/out.txt"));
}

}  // namespace
}  // namespace pinwheel::host
