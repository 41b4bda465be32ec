#include "cli/streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "unit/catch.h"

namespace pinwheel::cli {
namespace {

/// Replaces stdout by a descriptor while it exists.
class Redirected {
 public:
  explicit Redirected(int fd) {
    std::fflush(stdout);
    saved_ = dup(STDOUT_FILENO);
    dup2(fd, STDOUT_FILENO);
    close(fd);
  }
  ~Redirected() {
    dup2(saved_, STDOUT_FILENO);
    close(saved_);
    std::clearerr(stdout);
  }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;

 private:
  int saved_ = -1;
};

TEST_CASE("secrets are in no output") {
  Streams streams{prepare::GlobalOptions{}};
  streams.hide(Secret("s3cr3t-value"));
  char path[] = "/tmp/pinwheel-streams-XXXXXX";
  const int file = mkstemp(path);
  REQUIRE(file >= 0);
  {
    const Redirected to_file(dup(file));
    streams.data("data s3cr3t-value\n");
    streams.json("{\"a\": \"s3cr3t-value\"}\n");
    streams.file("file s3cr3t-value\n");
    streams.output("output czNjcjN0LXZhbHVl\n");
  }
  std::string text(200, '\0');
  text.resize(static_cast<size_t>(pread(file, text.data(), text.size(), 0)));
  close(file);
  unlink(path);
  CHECK(text == "data ***\n{\"a\": \"***\"}\nfile ***\noutput ***\n");
}

TEST_CASE("data that cannot be written to a full disk is an error") {
  Streams streams{prepare::GlobalOptions{}};
  {
    const Redirected full(open("/dev/full", O_WRONLY));
    streams.data("lost\n");
  }
  const std::optional<Error> lost = streams.lost_data();
  REQUIRE(lost);
  CHECK(lost->kind == ErrorKind::environment);
  CHECK(lost->message == "`standard output` cannot be written: no space left on device");
}

TEST_CASE("a closed pipe is not an error, nor is a successful write") {
  Streams streams{prepare::GlobalOptions{}};
  {
    const Redirected null(open("/dev/null", O_WRONLY));
    streams.data("kept\n");
  }
  CHECK_FALSE(streams.lost_data());

  const auto before = std::signal(SIGPIPE, SIG_IGN);
  int ends[2] = {-1, -1};
  REQUIRE(pipe(ends) == 0);
  close(ends[0]);
  {
    const Redirected closed(ends[1]);
    streams.data("unread\n");
  }
  std::signal(SIGPIPE, before);
  CHECK_FALSE(streams.lost_data());
}

}  // namespace
}  // namespace pinwheel::cli
