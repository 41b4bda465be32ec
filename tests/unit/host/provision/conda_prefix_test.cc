#include "host/provision/conda_prefix.h"

#include <algorithm>
#include <memory>

#include "base/digest.h"
#include "base/text.h"
#include "host/provision/complete_directory.h"
#include "host/provision/conda_solve.h"
#include "unit/catch.h"
#include "unit/host/scratch_machine.h"

using namespace pinwheel;
namespace fs = std::filesystem;

namespace {

/// A conda that "installs" the machine's Python and counts its installations.
constexpr const char* kClient = R"SHELL(#!/bin/sh
case "$*" in
  --version) echo conda 24.1.0 ;;
  *--dry-run*) cat "$HOME/solution"; exit "$(cat "$HOME/code")" ;;
  *) echo install >> "$HOME/calls"; cp "$7" "$HOME/list"; mkdir -p "$5/bin" "$5/conda-meta"
     ln -s "$(command -v python3)" "$5/bin/python" ;;
esac
)SHELL";

/// A conda that "downloads" archives of servers which its cache lacks or has with other contents.
constexpr const char* kFetchingClient = R"SHELL(#!/bin/sh
case "$*" in
  --version) echo conda 24.1.0 ;;
  *) for name in $(sed -n 's|^http.*/||p' "$7"); do
       cmp -s "$HOME/$name" "$CONDA_PKGS_DIRS/$name" || cp "$HOME/$name" "$CONDA_PKGS_DIRS/$name"
     done
     exit "$(cat "$HOME/code")" ;;
esac
)SHELL";

struct CondaMachine : ScratchMachine {
  std::string python;  ///< "3.11"

  CondaMachine() {
    use_conda(kClient);
    scratch.write("code", "0");
    const auto ran =
        process.capture({{"python3", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"},
                         "/",
                         machine.variables,
                         {}});
    REQUIRE(ran.has_value());
    python = trim(ran->out);
  }

  /// A package in the local file system.
  env::CondaPackage package(const std::string& name, const std::string& bytes) const {
    const fs::path file = scratch.write("channel/noarch/" + name + "-1-0.conda", bytes);
    return {.name = name,
            .version = "1",
            .build = "0",
            .subdir = "noarch",
            .url = "file://" + file.string(),
            .sha256 = sha256_hex(bytes)};
  }

  /// A package of a server, for `kFetchingClient`.
  env::CondaPackage remote_package(const std::string& name, const std::string& bytes) const {
    const std::string file = name + "-1-0.conda";
    scratch.write(file, bytes);
    return {.name = name,
            .version = "1",
            .build = "0",
            .subdir = "noarch",
            .url = "http://127.0.0.1/c/noarch/" + file,
            .sha256 = sha256_hex(bytes)};
  }
};

}  // namespace

TEST_CASE("a prefix is created once, from the exact list") {
  CondaMachine here;
  const std::vector<env::CondaPackage> packages = {here.package("a", "bytes of a")};
  const auto made = host::make_conda_prefix(here.machine, here.python, packages);
  REQUIRE(made.has_value());
  CHECK(made->directory.parent_path() == here.machine.cache / "conda");
  CHECK(host::is_complete(here.machine, made->directory).value());
  CHECK(env::fits(made->interpreter, here.python));
  CHECK(here.scratch.read("list") == "@EXPLICIT\n" + packages[0].url + "\n");
  REQUIRE(host::make_conda_prefix(here.machine, here.python, packages).has_value());
  CHECK(here.scratch.read("calls") == "install\n");
}

TEST_CASE("a file with a different hash than in the list leaves no prefix") {
  CondaMachine here;
  std::vector<env::CondaPackage> packages = {here.package("a", "bytes of a")};
  here.scratch.write("channel/noarch/a-1-0.conda", "other bytes");
  const auto made = host::make_conda_prefix(here.machine, here.python, packages);
  REQUIRE_FALSE(made.has_value());
  CHECK(made.error().kind == ErrorKind::environment);
  CHECK(made.error().message.find("has sha256 " + sha256_hex("other bytes") + ", not " +
                                  packages[0].sha256) != std::string::npos);
  CHECK(here.files.list(here.machine.cache / "conda")->size() == 1);  // the lock
}

TEST_CASE("the archives that a client fetched are those that its cache lacked") {
  CondaMachine here;
  here.use_conda(kFetchingClient);
  here.machine.installing = std::make_shared<host::Installing>();
  REQUIRE(here.files.make_directories(here.machine.cache).has_value());
  const env::PackageTraffic& traffic = here.machine.installing->conda;
  std::vector<env::CondaPackage> packages = {here.remote_package("a", "1234"),
                                             here.remote_package("b", "123456"),
                                             here.package("local", "not counted")};
  const auto install = [&here, &packages](const std::string& name) {
    return host::install_conda_packages(here.machine, packages, here.machine.cache / name);
  };
  REQUIRE(install("first").has_value());
  CHECK(traffic == env::PackageTraffic{.fetched = 10, .downloads = 2, .cached = 0});
  REQUIRE(install("second").has_value());
  CHECK(traffic == env::PackageTraffic{.fetched = 10, .downloads = 2, .cached = 2});
  here.scratch.write("cache/packages/conda/a-1-0.conda", "12");
  REQUIRE(install("third").has_value());
  CHECK(traffic == env::PackageTraffic{.fetched = 14, .downloads = 3, .cached = 3});
  packages.push_back(here.remote_package("d", "1"));
  here.scratch.write("code", "1");
  CHECK_FALSE(install("fourth").has_value());
  CHECK(traffic == env::PackageTraffic{.fetched = 15, .downloads = 4, .cached = 5});
  here.machine.installing = nullptr;
  here.scratch.write("code", "0");
  CHECK(install("unmeasured").has_value());
}

TEST_CASE("a prefix with the wrong Python is rejected, with a hint") {
  CondaMachine here;
  const auto made = host::make_conda_prefix(here.machine, "3.99", {here.package("a", "a")});
  REQUIRE_FALSE(made.has_value());
  CHECK(made.error().kind == ErrorKind::config);
  CHECK(made.error().message.ends_with("but the variant needs 3.99"));
}

TEST_CASE("solving leaves nothing behind and returns the client's result") {
  CondaMachine here;
  env::Request request{.python = "3.11"};
  request.conda = {{"channel"}, {"ninja"}};
  here.scratch.write("solution", R"({"actions": {"LINK": [{"name": "ninja", "version": "1",
    "url": "https://host/linux-64/ninja-1-0.conda", "sha256": ")" +
                                     std::string(64, 'a') + R"("}]}})");
  const auto solved = host::solve_conda(here.machine, request);
  REQUIRE(solved.has_value());
  CHECK(solved->at(0).name == "ninja");
  CHECK(here.files.list(here.machine.cache / "scratch")->empty());
  here.scratch.write("solution",
                     R"({"message": "ninja conflicts", "error": "UnsatisfiableError"})");
  here.scratch.write("code", "1");
  const auto refused = host::solve_conda(here.machine, request);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().kind == ErrorKind::config);
  CHECK(refused.error().message == "solving the conda packages failed: ninja conflicts");
}
