#include "unit/host/fake_index.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "host/net/http.h"
#include "unit/catch.h"
#include "unit/source_tree_path.h"

extern char** environ;

namespace pinwheel {

namespace {

/// The child's command line in the form that exec needs.
std::vector<char*> pointers(std::vector<std::string>& arguments) {
  std::vector<char*> out;
  for (std::string& argument : arguments) out.push_back(argument.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

FakeIndex::FakeIndex(std::vector<std::string> arguments, const std::string& script) {
  std::vector<std::string> argv = {"python3", in_source_tree("tests/fakes/" + script).string()};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  int to_child[2] = {-1, -1};
  int from_child[2] = {-1, -1};
  REQUIRE(pipe2(to_child, O_CLOEXEC) == 0);
  REQUIRE(pipe2(from_child, O_CLOEXEC) == 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to_child[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, from_child[1], STDOUT_FILENO);
  REQUIRE(posix_spawnp(&pid_, "python3", &actions, nullptr, pointers(argv).data(), environ) == 0);
  posix_spawn_file_actions_destroy(&actions);
  close(to_child[0]);
  close(from_child[1]);
  stdin_ = to_child[1];
  FILE* out = fdopen(from_child[0], "r");
  REQUIRE(out != nullptr);
  REQUIRE(fscanf(out, "PORT %d", &port_) == 1);
  fclose(out);
}

FakeIndex::~FakeIndex() {
  close(stdin_);
  waitpid(pid_, nullptr, 0);
}

std::string FakeIndex::url() const {
  return "http://127.0.0.1:" + std::to_string(port_);
}

TEST_CASE("the fake index answers and ends with its owner") {
  std::string url;
  {
    const FakeIndex index;
    url = index.url();
    const auto reply = host::CurlHttp().send({.url = url + "/simple/nothing/"});
    REQUIRE(reply);
    CHECK(reply->status == 404);
  }
  CHECK_FALSE(host::CurlHttp().send({.url = url + "/simple/nothing/"}));
}

}  // namespace pinwheel
