#include "host/provision/toolkit.h"

#include <filesystem>
#include <string>

#include "host/provision/environment_list.h"
#include "toolkits/pypi_toolkit.h"
#include "unit/catch.h"
#include "unit/host/wheel_machine.h"

using namespace pinwheel;
namespace fs = std::filesystem;

namespace {

/// Writes small versions of PyPI's CUDA 13 packages: directory, version of the meta-package and of
/// nvcc, and the output of its nvcc.
constexpr const char* kWriteToolkit = R"(import sys, zipfile
where, toolkit, nvcc, says = sys.argv[1:]
def wheel(name, version, needs, files):
    info = name + "-" + version + ".dist-info/"
    with zipfile.ZipFile(where + "/" + name + "-" + version + "-py3-none-any.whl", "w") as out:
        def add(path, text, mode=0o644):
            member = zipfile.ZipInfo(path)
            member.external_attr = (0o100000 | mode) << 16
            out.writestr(member, text)
        for path, text in files.items():
            add(path, text, 0o755 if "/bin/" in path else 0o644)
        add(info + "METADATA", "Metadata-Version: 2.1\nName: " + name + "\nVersion: " + version + "\n"
            + "".join("Provides-Extra: " + e + "\nRequires-Dist: " + n + "; extra == '" + e + "'\n"
                      for e, n in needs.items()))
        add(info + "WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        add(info + "RECORD", "")
wheel("cuda_toolkit", toolkit, {e: "nvidia-cuda-nvcc==" + nvcc for e in
                                ("cccl", "crt", "cudart", "nvcc", "nvvm")}, {})
wheel("nvidia_cuda_nvcc", nvcc, {}, {
    "nvidia/cu13/bin/nvcc": "#!/bin/sh\necho 'Cuda compilation tools, release 13, V" + says + "'\n",
    "nvidia/cu13/lib/libcudart.so.13": "ELF"}))";

void add_toolkit(Machine& m, const std::string& toolkit, const std::string& nvcc,
                 const std::string& says) {
  m.run({m.interpreter.path, "-I", "-c", kWriteToolkit, (m.place.path / "links").string(), toolkit,
         nvcc, says});
}

env::Request from_pypi(const std::string& compute) {
  return {.python = "3.11", .toolkit = compute, .toolkit_from = matrix::ToolkitFrom::pypi};
}

}  // namespace

TEST_CASE("two toolkits from PyPI can be installed side by side, each exactly as resolved",
          "[pip]") {
  Machine m;
  add_toolkit(m, "13.0.2", "13.0.88", "13.0.88");
  add_toolkit(m, "13.2.1", "13.2.51", "13.2.51");
  const host::Resolved resolved = value_of(
      host::resolve_toolkit(m.machine, from_pypi("cuda/13.0"), toolkits::ToolkitSource::pypi));
  CHECK(resolved.resolution.packages.size() == 2);
  value_of(host::resolve_toolkit(m.machine, from_pypi("cuda/13.2"), toolkits::ToolkitSource::pypi));
  // A newer file changes nothing until a refresh.
  add_toolkit(m, "13.0.3", "13.0.99", "13.0.99");

  const env::Toolkit older = value_of(host::find_toolkit(m.machine, from_pypi("cuda/13.0")));
  const env::Toolkit newer = value_of(host::find_toolkit(m.machine, from_pypi("cuda/13.2.1")));
  CHECK(older.name == "cuda/13.0");
  CHECK(older.release == "13.0.88");
  CHECK(newer.release == "13.2.51");
  CHECK(older.prefix != newer.prefix);
  CHECK(fs::read_symlink(fs::path(older.prefix) / "lib64") == "lib");
  CHECK(fs::exists(fs::path(older.prefix) / "lib64" / "libcudart.so"));

  const std::vector<host::EnvironmentEntry> rows = value_of(host::list_environments(m.machine));
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].id == toolkits::pypi_toolkit_id("cuda/13.0", resolved.resolution));
  CHECK(rows[0].toolkit == "cuda/13.0.88");
  CHECK(rows[0].python.empty());
  CHECK(rows[0].bytes > 0);
  REQUIRE(host::remove_environment(m.machine, "cuda-13.0"));
  CHECK_FALSE(fs::exists(older.prefix));
  CHECK(fs::exists(newer.prefix));

  // Recreated from the record: the same release, regardless of newer ones on PyPI.
  CHECK(value_of(host::find_toolkit(m.machine, from_pypi("cuda/13.0"))) == older);
}

TEST_CASE("a toolkit without its marker, or with an nvcc that does not start, is not complete",
          "[pip]") {
  Machine m;
  add_toolkit(m, "13.0.2", "13.0.88", "12.9.0");
  const auto unresolved = host::find_toolkit(m.machine, from_pypi("cuda/13.0"));
  REQUIRE_FALSE(unresolved.has_value());
  CHECK(unresolved.error().kind == ErrorKind::environment);

  value_of(host::resolve_toolkit(m.machine, from_pypi("cuda/13.0"), toolkits::ToolkitSource::pypi));
  const auto broken = host::find_toolkit(m.machine, from_pypi("cuda/13.0"));
  REQUIRE_FALSE(broken.has_value());
  CHECK(broken.error().kind == ErrorKind::environment);
  CHECK(broken.error().message.find("no working nvcc 13.0.88") != std::string::npos);
  const std::vector<host::EnvironmentEntry> rows = value_of(host::list_environments(m.machine));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].completeness == host::Completeness::partial);
}
