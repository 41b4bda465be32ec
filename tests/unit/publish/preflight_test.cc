#include "publish/preflight.h"

#include "unit/catch.h"

using namespace pinwheel;
using publish::Artifact;
using publish::FileKind;
using publish::IndexKind;

namespace {

Artifact file(const std::string& filename, const std::string& version = "1.0",
              FileKind kind = FileKind::wheel) {
  Artifact out;
  out.filename = filename;
  out.kind = kind;
  out.size = 1000;
  out.name = "Demo.Ops";
  out.version = version;
  return out;
}

Artifact sdist(const std::string& filename = "demo_ops-1.0.tar.gz") {
  return file(filename, "1.0", FileKind::sdist);
}

std::vector<std::string> preflight_messages(const std::vector<Artifact>& files,
                                            publish::PreflightRules rules = {IndexKind::pypi}) {
  std::vector<std::string> out;
  for (const Error& error : publish::preflight(files, rules)) {
    CHECK(error.kind == ErrorKind::check);
    out.push_back(error.message);
  }
  return out;
}

const char* const kWheel = "demo_ops-1.0-cp312-abi3-manylinux_2_28_x86_64.whl";

}  // namespace

TEST_CASE("a valid release has no findings") {
  CHECK(preflight_messages({file(kWheel), file("demo_ops-1.0-py3-none-any.whl"), sdist()}).empty());
}

TEST_CASE("a file name must agree with the metadata") {
  Artifact wheel = file(kWheel, "1.0.post1");
  wheel.name = "other";
  CHECK(preflight_messages({wheel}) ==
        std::vector<std::string>{
            std::string("`") + kWheel + "` has the name `other` in its metadata",
            std::string("`") + kWheel + "` has version `1.0.post1` in its metadata"});
  CHECK(preflight_messages({file("demo_ops-1.0-py3-none-any.whl", "1.0.0")}).empty());
  CHECK(preflight_messages({file("demo.whl")}) ==
        std::vector<std::string>{"`demo.whl` is not a wheel or sdist file name"});
}

TEST_CASE("local versions and foreign platform tags are for other indexes only") {
  const Artifact local = file("demo_ops-1.0+cu130-py3-none-linux_x86_64.whl", "1.0+cu130");
  CHECK(preflight_messages({local}, {IndexKind::other}).empty());
  CHECK(preflight_messages({local}, {IndexKind::testpypi}) ==
        std::vector<std::string>{
            "`demo_ops-1.0+cu130-py3-none-linux_x86_64.whl` has a local version, which PyPI does "
            "not accept",
            "`demo_ops-1.0+cu130-py3-none-linux_x86_64.whl` has the platform tag `linux_x86_64`, "
            "which PyPI does not accept"});
}

TEST_CASE("PyPI has a size limit that can be raised, another index only a configured one") {
  Artifact wheel = file(kWheel);
  wheel.size = (100ULL << 20U) + 1;
  CHECK(preflight_messages({wheel}) ==
        std::vector<std::string>{std::string("`") + kWheel +
                                 "` has 104857601 bytes, more than the limit of 104857600"});
  CHECK(preflight_messages({wheel}, {IndexKind::pypi, 200ULL << 20U}).empty());
  CHECK(preflight_messages({wheel}, {IndexKind::other}).empty());
  CHECK(preflight_messages({wheel}, {IndexKind::other, wheel.size - 1}).size() == 1);
  CHECK(preflight_messages({wheel}, {IndexKind::other, wheel.size}).empty());
}

TEST_CASE("PyPI's metadata rules apply to PyPI only") {
  Artifact wheel = file(kWheel);
  wheel.fields = {{"metadata_version", "2.0"}};
  CHECK(preflight_messages({wheel}).size() == 1);
  CHECK(preflight_messages({wheel}, {IndexKind::other}).empty());
}

TEST_CASE("PyPI's archive rules apply to PyPI only") {
  Artifact wheel = file(kWheel);
  wheel.archive_findings = {Error{ErrorKind::check, "trailing data"}};
  CHECK(preflight_messages({wheel}) == std::vector<std::string>{"trailing data"});
  CHECK(preflight_messages({wheel}, {IndexKind::other}).empty());
}

TEST_CASE("a release has one version, one sdist and some wheel, each file once") {
  CHECK(preflight_messages({file(kWheel), file("demo_ops-1.1-py3-none-any.whl", "1.1")}) ==
        std::vector<std::string>{std::string("one release of `demo-ops` has one version, not "
                                             "`1.0` (`") +
                                 kWheel + "`), `1.1` (`demo_ops-1.1-py3-none-any.whl`)"});
  CHECK(preflight_messages({file(kWheel), file(kWheel)}) ==
        std::vector<std::string>{std::string("`") + kWheel + "` is given twice"});
  CHECK(preflight_messages({file(kWheel), sdist(), sdist("Demo.Ops-1.0.tar.gz")},
                           {IndexKind::other}) ==
        std::vector<std::string>{"one release of `demo-ops` has one sdist, not "
                                 "`demo_ops-1.0.tar.gz`, `Demo.Ops-1.0.tar.gz`"});
  CHECK(preflight_messages({sdist()}) ==
        std::vector<std::string>{"there is no wheel of `demo-ops` to publish"});
  CHECK(preflight_messages({}) == std::vector<std::string>{"there is no file to publish"});
}

TEST_CASE("files of several projects are separate releases, each checked on its own") {
  Artifact other = file("demo_ops_cpu-1.1-py3-none-any.whl", "1.1");
  other.name = "demo-ops-cpu";
  CHECK(preflight_messages({file(kWheel), sdist(), other}).empty());
  Artifact lone = file("demo_ops_cpu-1.1.tar.gz", "1.1", FileKind::sdist);
  lone.name = "demo_ops_cpu";
  CHECK(preflight_messages({file(kWheel), sdist(), lone}) ==
        std::vector<std::string>{"there is no wheel of `demo-ops-cpu` to publish"});
  Artifact older = file("demo_ops_cpu-1.0-py3-none-any.whl");
  older.name = "Demo.Ops-CPU";
  CHECK(preflight_messages({file(kWheel), other, older}).size() == 1);
}

TEST_CASE("PyPI's platform tags are known") {
  for (const char* tag :
       {"any", "win_amd64", "manylinux1_x86_64", "manylinux2014_aarch64", "manylinux_2_28_x86_64",
        "musllinux_1_2_aarch64", "macosx_10_9_x86_64", "macosx_14_0_arm64", "linux_armv7l",
        "manylinux2014_ppc64", "manylinux2014_ppc64le", "manylinux_2_17_ppc64",
        "manylinux_2_39_riscv64", "musllinux_1_2_riscv64", "macosx_26_0_universal2",
        "ios_13_0_arm64_iphonesimulator", "android_24_arm64_v8a", "pyemscripten_2026_0_wasm32"}) {
    INFO(tag);
    CHECK(publish::is_pypi_platform(tag));
  }
  for (const char* tag :
       {"linux_x86_64", "macosx_14_1_arm64", "macosx_9_0_x86_64", "manylinux_2_28",
        "manylinux_2_28_sparc", "", "freebsd_13_amd64", "manylinux1_aarch64",
        "manylinux2010_ppc64le", "manylinux2014_riscv64", "musllinux_1_2_ppc64",
        "manylinux_2_x_x86_64", "macosx_14_0_sparc", "ios_13_0_arm64", "android_24_mips",
        "pyemscripten_2026_0", "win_amd64_extra"}) {
    INFO(tag);
    CHECK_FALSE(publish::is_pypi_platform(tag));
  }
}
