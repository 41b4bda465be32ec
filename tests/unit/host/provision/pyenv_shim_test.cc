#include "host/provision/interpreters.h"

#include "host/system/files.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"

using namespace pinwheel;

namespace {

namespace fs = std::filesystem;

/// A pyenv with these versions, each with its own program, and shims for all of them.
struct Pyenv {
  Scratch scratch;
  host::LocalFiles files;
  std::map<std::string, std::string> variables = {};
  fs::path root = scratch.path() / "pyenv";
  fs::path project = scratch.path() / "work" / "project";

  Pyenv() {
    for (const char* const version : {"3.11.7", "3.12.9", "3.12.10", "3.13.0t"}) {
      const std::string minor = std::string(version).substr(0, 4);
      scratch.write(std::string("pyenv/versions/") + version + "/bin/python" + minor, version);
      fs::create_symlink("python" + minor, root / "versions" / version / "bin" / "python");
      scratch.write("pyenv/shims/python" + minor, "#!/usr/bin/env bash\n");
    }
    scratch.write("pyenv/shims/python", "#!/usr/bin/env bash\n");
    fs::create_directories(project);
  }

  /// The version behind a shim; empty if there is none.
  std::string behind(const std::string& name) {
    const auto found = host::behind_pyenv_shim(files, variables, root / "shims" / name, project);
    return found ? found->parent_path().parent_path().filename().string() : "";
  }
};

}  // namespace

TEST_CASE("shims are known by the versions beside them") {
  Pyenv pyenv;
  CHECK(host::has_pyenv_shims(pyenv.files, pyenv.root / "shims"));
  CHECK_FALSE(host::has_pyenv_shims(pyenv.files, pyenv.root / "versions"));
  CHECK_FALSE(host::has_pyenv_shims(pyenv.files, pyenv.project / "shims"));
}

TEST_CASE("a shim stands for the version that pyenv would choose") {
  Pyenv pyenv;
  CHECK(pyenv.behind("python").empty());
  pyenv.scratch.write("pyenv/version", "# ours\n\n3.12.9\n3.11.7 # older\n");
  CHECK(pyenv.behind("python") == "3.12.9");
  CHECK(pyenv.behind("python3.12") == "3.12.9");
  CHECK(pyenv.behind("python3.11") == "3.11.7");
  CHECK(pyenv.behind("python3.13").empty());

  pyenv.scratch.write("work/.python-version", "3.11.7\r\n");
  CHECK(pyenv.behind("python") == "3.11.7");
  CHECK(pyenv.behind("python3.12").empty());

  pyenv.scratch.write("elsewhere/.python-version", "3.12.10\n");
  pyenv.variables["PYENV_DIR"] = (pyenv.scratch.path() / "elsewhere").string();
  CHECK(pyenv.behind("python") == "3.12.10");

  pyenv.variables["PYENV_VERSION"] = "system:3.12.9";
  CHECK(pyenv.behind("python") == "3.12.9");
}

TEST_CASE("a version may be a prefix, and one that leaves the directory is ignored") {
  Pyenv pyenv;
  pyenv.variables["PYENV_VERSION"] = "3.12";
  CHECK(pyenv.behind("python") == "3.12.10");
  pyenv.variables["PYENV_VERSION"] = "python-3.12";
  CHECK(pyenv.behind("python") == "3.12.10");
  pyenv.variables["PYENV_VERSION"] = "3.13";
  CHECK(pyenv.behind("python").empty());
  pyenv.variables["PYENV_VERSION"] = "3.13t";
  CHECK(pyenv.behind("python") == "3.13.0t");
  pyenv.variables["PYENV_VERSION"] = "../versions/3.11.7";
  CHECK(pyenv.behind("python").empty());
}
