#include "host/system/open_regular.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "host/system/digest_file.h"
#include "host/system/file_source.h"
#include "host/system/files.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"

using namespace pinwheel;

namespace {

namespace fs = std::filesystem;

constexpr ByteLimit kTen{"a small file", 10};

std::string message_of(const fs::path& path) {
  const Result<std::string> text = host::read_regular_file(path, kTen);
  return text ? "read " + *text : text.error().message;
}

void make_socket(const fs::path& path) {
  const host::UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strncpy(static_cast<char*>(address.sun_path), path.c_str(), sizeof address.sun_path - 1);
  REQUIRE(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
}

}  // namespace

TEST_CASE("only a regular file is read, and links to one") {
  const Scratch scratch;
  const fs::path plain = scratch.write("plain", "contents");
  fs::create_symlink(plain, scratch.path() / "link");
  CHECK(message_of(plain) == "read contents");
  CHECK(message_of(scratch.path() / "link") == "read contents");
  CHECK(message_of("/dev/null") == "read ");
  CHECK(host::first_bytes(plain, 3) == "con");
  const fs::path fifo = scratch.path() / "fifo";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  make_socket(scratch.path() / "socket");
  fs::create_symlink("/dev/zero", scratch.path() / "device");
  for (const char* const name : {"fifo", "socket", "device"}) {
    const fs::path path = scratch.path() / name;
    const std::string expected = "`" + path.string() + "` is not a regular file";
    CHECK(message_of(path) == expected);
    CHECK(host::digest_file(path).error().message == expected);
    CHECK(host::FileSource::open(path).error().message == expected);
    const Result<std::string> text = host::LocalFiles().read(path);
    REQUIRE(!text);
    CHECK(text.error().message == expected);
    CHECK(text.error().kind == ErrorKind::config);
    CHECK(host::first_bytes(path, 3).empty());
  }
  CHECK(message_of(scratch.path()).find("cannot be read") != std::string::npos);
  CHECK(message_of(scratch.path() / "none").find("cannot be read") != std::string::npos);
}

TEST_CASE("no more than the limit is read, also of a file that says it is empty") {
  const Scratch scratch;
  CHECK(message_of(scratch.write("ten", "0123456789")) == "read 0123456789");
  const fs::path more = scratch.write("more", "0123456789a");
  CHECK(message_of(more) ==
        "`" + more.string() + "` is larger than the limit of 10 B for a small file");
  CHECK(message_of("/proc/self/status").find("is larger than the limit") != std::string::npos);
  fs::resize_file(more, 40ULL << 30U);
  CHECK(message_of(more).find("is larger than the limit") != std::string::npos);
}

TEST_CASE("a pipe that the caller opened is read by the name of its descriptor") {
  std::array<int, 2> ends = {-1, -1};
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  const host::UniqueFd read(ends[0]);
  host::UniqueFd write(ends[1]);
  REQUIRE(::write(write.get(), "token", 5) == 5);
  write.reset();
  CHECK(message_of("/dev/fd/" + std::to_string(read.get())) == "read token");
}

TEST_CASE("a file of a build below a descriptor must be a plain one") {
  const Scratch scratch;
  const fs::path plain = scratch.write("plain", "contents");
  fs::create_symlink(plain, scratch.path() / "link");
  REQUIRE(::mkfifo((scratch.path() / "fifo").c_str(), 0600) == 0);
  // A FIFO with a writer would be waited for.
  const host::UniqueFd writer(::open((scratch.path() / "fifo").c_str(), O_RDWR | O_CLOEXEC));
  const host::UniqueFd directory(::open(scratch.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const fs::path below = "/proc/self/fd/" + std::to_string(directory.get());
  CHECK(host::read_plain_file(below / "plain", kTen).value_or("none") == "contents");
  for (const char* const name : {"link", "fifo", "", "missing"}) {
    CAPTURE(name);
    CHECK_FALSE(host::read_plain_file(below / name, kTen));
  }
  CHECK_FALSE(host::read_plain_file("/dev/null", kTen));
  const fs::path fifo = below / "fifo";
  CHECK(message_of(fifo) == "`" + fifo.string() + "` is not a regular file");
}
