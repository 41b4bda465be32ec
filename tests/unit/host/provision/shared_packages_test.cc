#include "host/provision/python_environments.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>

#include "host/provision/env_resolve.h"
#include "host/provision/environment_list.h"
#include "unit/catch.h"
#include "unit/host/wheel_machine.h"

using namespace pinwheel;
namespace fs = std::filesystem;

namespace {

/// Writes a wheel with a library of 9 MB, a module, a program and a console script.
constexpr const char* kWriteBigWheel = R"(import base64, hashlib, sys, zipfile
where, name, version = sys.argv[1:]
info = name + "-" + version + ".dist-info/"
files = {"common/__init__.py": "", name + "/__init__.py": "def main(): print('" + name + " runs')\n", name + "/lib.so": name * 3000000,
         name + "-" + version + ".data/scripts/" + name + "-tool": "#!python\nprint('tool')\n",
         info + "entry_points.txt": "[console_scripts]\n" + name + " = " + name + ":main\n",
         info + "METADATA": "Metadata-Version: 2.1\nName: " + name + "\nVersion: " + version + "\n",
         info + "WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
record = info + "RECORD,,\n"
with zipfile.ZipFile(where + "/" + name + "-" + version + "-py3-none-any.whl", "w") as wheel:
    for path, text in files.items():
        member = zipfile.ZipInfo(path)
        member.external_attr = (0o100755 if "scripts" in path else 0o100644) << 16
        wheel.writestr(member, text)
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")
        record += path + ",sha256=" + digest + "," + str(len(text)) + "\n"
    wheel.writestr(info + "RECORD", record))";

struct BigMachine : Machine {
  BigMachine() {
    for (const char* const name : {"torch", "big"}) {
      run({interpreter.path, "-I", "-c", kWriteBigWheel, (place.path / "links").string(), name,
           "1.0"});
    }
    add_wheel("tiny_base", "1.0", "");
    add_wheel("tiny_tool", "1.0", "");
  }
  env::Resolution resolve(std::vector<std::string> requirements) {
    request.requirements = std::move(requirements);
    return value_of(host::resolve(machine, request)).resolution;
  }
  host::BaseEnvironment make(const env::Resolution& resolution) {
    return value_of(host::create_environment(machine, request, resolution));
  }
  env::Request request{.python = "3.11"};
};

fs::path library(const host::BaseEnvironment& base, const std::string& name) {
  return fs::path(base.site_packages) / name / "lib.so";
}

ino_t inode(const fs::path& path) {
  struct stat status = {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_ino;
}

/// The contents and permissions of everything in an environment but its marker.
std::map<std::string, std::string> contents(const fs::path& root) {
  std::map<std::string, std::string> all;
  host::LocalFiles files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root)) {
    const std::string path = entry.path().lexically_relative(root).string();
    if (path == "pinwheel-complete.json") continue;
    const std::string mode = std::to_string(static_cast<int>(entry.symlink_status().permissions()));
    all[path] = entry.is_symlink()        ? fs::read_symlink(entry.path()).string()
                : entry.is_regular_file() ? mode + *files.read(entry.path())
                                          : mode;
  }
  return all;
}

}  // namespace

TEST_CASE("an environment shares the files of large packages, as if pip had installed them",
          "[shared]") {
  BigMachine m;
  const host::BaseEnvironment first = m.make(m.resolve({"torch", "big", "tiny_base"}));
  const env::Resolution other = m.resolve({"torch", "big", "tiny_tool"});
  const host::BaseEnvironment second = m.make(other);
  CHECK(inode(library(first, "torch")) == inode(library(second, "torch")));
  CHECK(inode(library(first, "big")) == inode(library(second, "big")));
  CHECK(m.run({second.directory / "bin" / "torch"}) == "torch runs\n");
  CHECK(m.run({second.directory / "bin" / "big-tool"}) == "tool\n");
  CHECK(m.run({second.python, "-B", "-c",
               "import sys, torch; print(torch.main.__code__.co_filename)"}) ==
        fs::path(second.site_packages) / "torch" / "__init__.py\n");

  const auto shared = contents(second.directory);
  REQUIRE(host::remove_environment(m.machine, second.id));
  REQUIRE(host::remove_environment(m.machine, first.id));
  const host::BaseEnvironment installed = m.make(other);
  const auto alone = contents(installed.directory);
  for (const auto& [path, text] : alone) {
    INFO(path);
    CHECK((shared.contains(path) && shared.at(path) == text));
  }
  CHECK(shared.size() == alone.size());

  // pip knows what it has, and removes it without the other environment noticing.
  const host::BaseEnvironment again = m.make(m.resolve({"torch", "big", "tiny_base"}));
  REQUIRE(inode(library(again, "torch")) == inode(library(installed, "torch")));
  m.run({again.python, "-m", "pip", "check"});
  m.run({again.python, "-m", "pip", "uninstall", "-y", "torch"});
  CHECK_FALSE(fs::exists(fs::path(again.site_packages) / "torch"));
  CHECK_FALSE(fs::exists(again.directory / "bin" / "torch"));
  m.run({installed.python, "-B", "-c", "import torch"});
}

TEST_CASE("what is damaged, incomplete or another file is installed by pip", "[damaged]") {
  BigMachine m;
  const host::BaseEnvironment first = m.make(m.resolve({"torch", "tiny_base"}));
  const env::Resolution other = m.resolve({"torch", "tiny_tool"});
  const std::string good = *m.files.read(library(first, "torch"));

  SECTION("a file with other contents") {
    std::fstream(library(first, "torch")) << "damaged";
  }
  SECTION("a missing file") {
    fs::remove(library(first, "torch"));
  }
  SECTION("a link in place of a file") {
    fs::rename(library(first, "torch"), m.place.path / "outside");
    fs::create_symlink(m.place.path / "outside", library(first, "torch"));
  }
  SECTION("an environment without its marker") {
    fs::remove(first.directory / "pinwheel-complete.json");
  }
  SECTION("a RECORD that names a file outside") {
    const fs::path record = fs::path(first.site_packages) / "torch-1.0.dist-info" / "RECORD";
    REQUIRE(
        m.files.write(record, *m.files.read(record) + "../../../../../outside,sha256=aa,1\r\n"));
  }
  SECTION("the same version from another file") {
    m.run({m.interpreter.path, "-I", "-c", kWriteBigWheel, (m.place.path / "links").string(),
           "torch", "2.0"});
    m.run({first.python, "-m", "pip", "install", "torch==2.0"});
  }
  const host::BaseEnvironment second = m.make(other);
  CHECK(*m.files.read(library(second, "torch")) == good);
  CHECK(m.run({second.directory / "bin" / "torch"}) == "torch runs\n");
  struct stat status = {};
  REQUIRE(::stat(library(second, "torch").c_str(), &status) == 0);
  CHECK(status.st_nlink == 1);
}

TEST_CASE("two environments that are made at the same time share their torch", "[together]") {
  BigMachine m;
  const env::Resolution one = m.resolve({"torch", "tiny_base"});
  const env::Resolution two = m.resolve({"torch", "tiny_tool"});
  std::optional<host::BaseEnvironment> first;
  {
    std::jthread concurrent([&] {
      host::ChildProcesses process;
      host::EnvMachine machine{m.files,         process,        m.clock, m.machine.variables,
                               m.machine.cache, m.machine.state};
      first = value_of(host::create_environment(machine, m.request, one));
    });
    const host::BaseEnvironment second = m.make(two);
    concurrent.join();
    CHECK(inode(library(*first, "torch")) == inode(library(second, "torch")));
  }
}
