#include "host/system/files.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/digest.h"
#include "host/system/digest_file.h"
#include "host/system/file_source.h"
#include "host/system/process.h"
#include "host/system/system_error.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"

using namespace pinwheel;

TEST_CASE("a written file has its bytes and mode, and no temporary file stays") {
  const Scratch scratch;
  host::LocalFiles files;
  const auto path = scratch.path() / "a" / "b";
  REQUIRE(files.write(path, "one", 0640));
  REQUIRE(files.write(path, "two", 0755));
  CHECK(files.read(path).value() == "two");
  CHECK(files.status(path)->mode == 0755);
  CHECK(files.status(path)->size == 3);
  CHECK(files.list(path.parent_path()).value() == std::vector<std::string>{"b"});
}

TEST_CASE("a process that is killed while it writes leaves nothing") {
  const Scratch scratch;
  scratch.write("old/file", "old");
  for (const char* const name : {"new/file", "old/file"}) {
    std::filesystem::create_directories((scratch.path() / name).parent_path());
    const pid_t child = fork();
    if (child == 0) {
      std::signal(SIGXFSZ, SIG_DFL);
      const rlimit size{16, 16};
      ::setrlimit(RLIMIT_FSIZE, &size);
      static_cast<void>(host::LocalFiles().write(scratch.path() / name, std::string(4096, 'x')));
      ::_exit(0);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status));
  }
  CHECK(std::filesystem::is_empty(scratch.path() / "new"));
  CHECK(scratch.read("old/file") == "old");
  CHECK(host::LocalFiles().list(scratch.path() / "old").value() ==
        std::vector<std::string>{"file"});
}

TEST_CASE("a file that does not fit leaves the old one unchanged, and the error has its size") {
  const Scratch scratch;
  host::LocalFiles files;
  const auto path = scratch.path() / "file";
  REQUIRE(files.write(path, "old"));
  // A limit on the file size simulates a full disk: the write stops halfway.
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, SIG_IGN);
    const Done done = files.write(path, std::string(5000, 'x'));
    const bool named = !done && done.error().kind == ErrorKind::environment &&
                       done.error().message.find("`" + path.string() + "`") != std::string::npos &&
                       done.error().message.find("5.0 KB") != std::string::npos;
    _exit(named ? 0 : 1);
  }
  int status = 1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(files.read(path).value() == "old");
  CHECK(files.list(scratch.path()).value() == std::vector<std::string>{"file"});
}

TEST_CASE("errors for a full or read-only disk and for missing permissions have a hint") {
  for (const int number : {ENOSPC, EACCES, EROFS, EDQUOT}) {
    const Error error = host::system_error("written", "/data/x", number);
    CHECK(error.kind == ErrorKind::environment);
    CHECK(error.message.find("`/data/x` cannot be written: ") == 0);
    CHECK_FALSE(error.hint.empty());
  }
  CHECK(host::system_error("read", "/data/x", ENOENT).message ==
        "`/data/x` cannot be read: no such file or directory");
  CHECK(host::system_error("read", "/data/x", ENOENT).kind == ErrorKind::config);
}

TEST_CASE("files in /proc, which have no size, are read completely") {
  const Result<std::string> status = host::LocalFiles().read("/proc/self/status");
  REQUIRE(status);
  CHECK(status->find("Name:") == 0);
}

TEST_CASE("status distinguishes files, directories, links and missing paths") {
  const Scratch scratch;
  host::LocalFiles files;
  scratch.write("file", "x");
  std::filesystem::create_symlink("nowhere", scratch.path() / "link");
  CHECK(files.status(scratch.path() / "file")->type == ports::FileType::regular);
  CHECK(files.status(scratch.path())->type == ports::FileType::directory);
  CHECK(files.status(scratch.path() / "link")->type == ports::FileType::symlink);
  CHECK(files.status(scratch.path() / "none")->type == ports::FileType::missing);
  CHECK(files.status(scratch.path() / "file" / "below")->type == ports::FileType::missing);
}

TEST_CASE("removing a missing path succeeds, and trees are removed recursively") {
  const Scratch scratch;
  host::LocalFiles files;
  scratch.write("a/b/c", "x");
  CHECK(files.remove_all(scratch.path() / "a"));
  CHECK(files.remove_all(scratch.path() / "a"));
  CHECK(files.list(scratch.path())->empty());
  CHECK_FALSE(files.rename(scratch.path() / "a", scratch.path() / "b"));
  CHECK(files.free_bytes(scratch.path()).value() > 0);
}

TEST_CASE("a lock cannot be taken while it is held, and can be afterwards") {
  const Scratch scratch;
  host::LocalFiles files;
  const auto path = scratch.path() / "lock";
  auto first = files.lock(path, ports::IfLocked::fail);
  REQUIRE(first);
  CHECK(files.read(path).value() == std::to_string(getpid()) + "\n");
  const auto second = files.lock(path, ports::IfLocked::fail);
  REQUIRE_FALSE(second);
  CHECK(second.error().kind == ErrorKind::environment);
  CHECK(second.error().message ==
        "`" + path.string() + "` is locked by process " + std::to_string(getpid()));
  first->reset();
  CHECK(files.lock(path, ports::IfLocked::fail));
  CHECK(files.lock(path, ports::IfLocked::wait));
}

TEST_CASE("a lock is released when its process is killed") {
  const Scratch scratch;
  host::LocalFiles files;
  const auto path = scratch.path() / "lock";
  const pid_t child = fork();
  if (child == 0) {
    const auto held = files.lock(path, ports::IfLocked::fail);
    if (held) kill(getpid(), SIGKILL);
    _exit(1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
  CHECK(files.lock(path, ports::IfLocked::fail));
}

TEST_CASE("a file's digest is that of its bytes") {
  const Scratch scratch;
  const std::string bytes(3'000'000, 'q');
  const auto digest = host::digest_file(scratch.write("file", bytes));
  REQUIRE(digest);
  CHECK(digest->sha256 == sha256_hex(bytes));
  CHECK(digest->size == bytes.size());
  CHECK_FALSE(host::digest_file(scratch.path() / "none"));
}

TEST_CASE("a file source reads by position and rejects reads beyond the end") {
  const Scratch scratch;
  const auto source = host::FileSource::open(scratch.write("file", "0123456789"));
  REQUIRE(source);
  CHECK((*source)->size() == 10);
  CHECK((*source)->read(3, 4).value() == "3456");
  CHECK((*source)->read(10, 0).value().empty());
  for (const auto& [offset, length] : {std::pair<uint64_t, uint64_t>{8, 3}, {11, 0}, {0, ~0ULL}}) {
    const auto beyond = (*source)->read(offset, length);
    REQUIRE_FALSE(beyond);
    CHECK(beyond.error().kind == ErrorKind::check);
  }
  CHECK(host::FileSource::open(scratch.path() / "none").error().kind == ErrorKind::config);
  CHECK_FALSE(host::FileSource::open(scratch.path()));
}

TEST_CASE("a kill for lack of memory is distinguished from other exits") {
  const ports::Exit killed{.signal = SIGKILL};
  const ports::Exit failed{.code = 1};
  CHECK(host::killed_for_memory(killed, std::nullopt, std::nullopt));
  CHECK(host::killed_for_memory(failed, 3, 4));
  CHECK_FALSE(host::killed_for_memory(failed, 3, 3));
  CHECK_FALSE(host::killed_for_memory(failed, std::nullopt, 4));
  CHECK_FALSE(host::killed_for_memory(ports::Exit{}, 3, 4));
  CHECK_FALSE(host::killed_for_memory({.signal = SIGKILL, .timed_out = true}, 3, 4));
  CHECK_FALSE(host::killed_for_memory({.signal = SIGKILL, .canceled = true}, 3, 4));
  CHECK(host::oom_kills("low 0\noom 1\noom_kill 12\noom_group_kill 0\n") == 12);
  CHECK_FALSE(host::oom_kills("oom_kill x\n"));
  CHECK(host::cgroup_path("1:memory:/a\n0::/b/c\n") == "/b/c");
  CHECK_FALSE(host::cgroup_path("1:memory:/a\n"));
}
