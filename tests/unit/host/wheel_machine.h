#pragma once
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <vector>

#include "env/commands.h"
#include "fakes/forwarded_files.h"
#include "host/machine/env_machine.h"
#include "host/provision/interpreters.h"
#include "host/system/clock.h"
#include "host/system/process.h"
#include "unit/catch.h"

namespace pinwheel {

/// A directory for a test, removed at its end.
struct Place {
  Place() {
    std::string name = (std::filesystem::temp_directory_path() / "pinwheel-env-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~Place() { std::filesystem::remove_all(path); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  std::filesystem::path path;
};

/// The directory of pinwheel's own pip, which takes seconds to make: the tests of a program share
/// it.
inline std::filesystem::path shared_tools() {
  static const Place place;
  return place.path;
}

/// Writes pure-Python wheels: directory, name, version, Requires-Dist (or empty).
inline constexpr const char* kWriteWheel = R"(import sys, zipfile
where, name, version, needs = sys.argv[1:]
info = name + "-" + version + ".dist-info/"
with zipfile.ZipFile(where + "/" + name + "-" + version + "-py3-none-any.whl", "w") as wheel:
    wheel.writestr(name + ".py", "version = '" + version + "'\n")
    wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\nName: " + name + "\nVersion: " + version
                   + "\n" + ("Requires-Dist: " + needs + "\n" if needs else ""))
    wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    wheel.writestr(info + "RECORD", name + ".py,,\n" + info + "METADATA,,\n" + info + "WHEEL,,\n"
                   + info + "RECORD,,\n"))";

/// A machine whose pip uses one directory of wheels and no network.
struct Machine {
  Machine() {
    std::filesystem::create_directories(place.path / "links");
    std::filesystem::create_directories(machine.cache);
    std::filesystem::create_directory_symlink(shared_tools(), machine.cache / "tools");
    for (const char* name : {"PATH", "HOME", "PYENV_ROOT", "UV_PYTHON_INSTALL_DIR"}) {
      if (const char* value = ::getenv(name)) machine.variables[name] = value;
    }
    machine.variables["PIP_NO_INDEX"] = "1";
    machine.variables["PIP_CONFIG_FILE"] = "/dev/null";
    machine.variables["PIP_FIND_LINKS"] = (place.path / "links").string();
    const auto found = host::find_interpreter(files, process, machine.variables, "3.11");
    REQUIRE(found.has_value());
    interpreter = *found;
  }
  void add_wheel(const std::string& name, const std::string& version, const std::string& needs) {
    run({interpreter.path, "-I", "-c", kWriteWheel, (place.path / "links").string(), name, version,
         needs});
  }
  std::string run(std::vector<std::string> argv) {
    ports::Command command;
    command.argv = std::move(argv);
    command.environment = env::pip_variables(machine.variables);
    const auto ran = process.capture(command);
    REQUIRE(ran.has_value());
    INFO(ran->err);
    REQUIRE(ran->exit.ok());
    return ran->out;
  }

  Place place;
  FilesOfDisk files;
  host::ChildProcesses process;
  host::SystemClock clock;
  host::EnvMachine machine{files, process, clock, {}, place.path / "cache", place.path / "state"};
  env::Interpreter interpreter;
};

template <class T>
T value_of(Result<T> result) {
  if (!result) FAIL(render(result.error()));
  return *std::move(result);
}

}  // namespace pinwheel
