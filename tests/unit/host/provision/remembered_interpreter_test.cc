#include "host/provision/remembered_interpreter.h"

#include "host/provision/interpreters.h"
#include "host/system/files.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"

using namespace pinwheel;

namespace {

namespace fs = std::filesystem;

constexpr const char* kElf = "\177ELF and the rest";

std::string describes(const std::string& headers = "true", const std::string& venv = "true") {
  return R"({"path": "/usr/bin/python3.11", "version": "3.11.7", "implementation": "cpython",
             "free_threaded": false, "platform": "linux-x86_64", "soabi": "cpython-311",
             "include_directory": "/i", "has_headers": )" +
         headers + R"(, "makes_environments": )" + venv + "}";
}

/// Prints a description for every program and counts its runs.
class CountingProcess final : public ports::Process {
 public:
  Result<ports::Captured> capture(const ports::Command&) override {
    ++asked;
    ports::Captured result;
    result.out = prints;
    return result;
  }
  Result<ports::Exit> log(const ports::Command&, const fs::path&) override { return ports::Exit{}; }
  int asked = 0;
  std::string prints = describes();
};

struct RememberingMachine {
  Scratch scratch;
  host::LocalFiles files;
  CountingProcess process;
  fs::path bin = scratch.path() / "v" / "bin";
  fs::path cache = scratch.path() / "cache";

  explicit RememberingMachine(const std::string& program = kElf) {
    scratch.write("real/python", program);
    fs::create_directories(bin);
    fs::create_symlink(scratch.path() / "real" / "python", bin / "python3.11");
  }
  Result<env::Interpreter> find() {
    return host::find_interpreter(files, process, {{"PATH", bin.string()}}, "3.11", cache);
  }
  /// The number of runs of the program in the second search.
  int asked_again() {
    process.asked = 0;
    REQUIRE(find().has_value());
    return process.asked;
  }
};

}  // namespace

TEST_CASE("an unchanged Python is probed once") {
  RememberingMachine machine;
  const Result<env::Interpreter> first = machine.find();
  REQUIRE(first.has_value());
  CHECK(machine.process.asked == 1);
  const Result<env::Interpreter> second = machine.find();
  REQUIRE(second.has_value());
  CHECK(*second == *first);
  CHECK(machine.process.asked == 1);
}

TEST_CASE("without a cache directory, Python is probed each time") {
  RememberingMachine machine;
  machine.cache.clear();
  REQUIRE(machine.find().has_value());
  CHECK(machine.asked_again() == 1);
}

TEST_CASE("a Python whose file changed is probed again") {
  RememberingMachine machine;
  REQUIRE(machine.find().has_value());
  SECTION("another size") {
    machine.scratch.write("real/python", std::string(kElf) + "!");
    CHECK(machine.asked_again() == 1);
  }
  SECTION("another file of the same size under the same name") {
    machine.scratch.write("real/other", kElf);
    fs::rename(machine.scratch.path() / "real" / "other",
               machine.scratch.path() / "real" / "python");
    CHECK(machine.asked_again() == 1);
  }
  SECTION("another file behind the link") {
    machine.scratch.write("real/other", kElf);
    fs::remove(machine.bin / "python3.11");
    fs::create_symlink(machine.scratch.path() / "real" / "other", machine.bin / "python3.11");
    CHECK(machine.asked_again() == 1);
  }
  SECTION("a virtual environment around it") {
    machine.scratch.write("v/pyvenv.cfg", "home = /elsewhere\n");
    CHECK(machine.asked_again() == 1);
  }
}

TEST_CASE("a script that starts a Python is probed each time") {
  RememberingMachine machine("#!/bin/sh\nexec pyenv exec python3.11 \"$@\"\n");
  CHECK(host::program_identity(machine.bin / "python3.11").empty());
  REQUIRE(machine.find().has_value());
  CHECK(machine.asked_again() == 1);
}

TEST_CASE("a Python without headers is probed again, because they may be installed later") {
  RememberingMachine machine;
  machine.process.prints = describes("false");
  REQUIRE(machine.find().has_value());
  machine.process.prints = describes("true");
  CHECK(machine.asked_again() == 1);
  CHECK(machine.asked_again() == 0);
}

TEST_CASE("a corrupt record is recreated") {
  RememberingMachine machine;
  REQUIRE(machine.find().has_value());
  for (const fs::directory_entry& record : fs::directory_iterator(machine.cache / "interpreters")) {
    std::ofstream(record.path()) << "{";
  }
  CHECK(machine.asked_again() == 1);
  CHECK(machine.asked_again() == 0);
}
