#include "prepare/init_facts.h"

#include <algorithm>
#include <string>
#include <vector>

#include "unit/prepare/matrix_world.h"

namespace pinwheel::prepare {
namespace {

using Names = std::vector<std::string>;

/// A project in the working directory.
struct InitWorld {
  fakes::FakeHost fake;

  InitWorld() {
    put("pyproject.toml",
        "[project]\nname = \"demo\"\nversion = \"1.0\"\n[build-system]\n"
        "requires = [\"scikit-build-core\"]\nbuild-backend = \"scikit_build_core.build\"\n");
  }
  void put(const std::string& name, const std::string& text) { fake.files.put(name, text); }
  init::ProjectFacts facts(const Result<init::ProjectFacts>& read) const {
    INFO((read ? std::string() : render(read.error())));
    REQUIRE(read);
    return *read;
  }
  init::ProjectFacts build_files() { return facts(read_build_files(fake.host, ".")); }
  init::ProjectFacts project() { return facts(read_project(fake.host, ".")); }
};

Names sources_of(const init::ProjectFacts& facts) {
  Names names;
  for (const project::ScannedSource& source : facts.sources) names.push_back(source.path);
  std::ranges::sort(names);
  return names;
}

TEST_CASE("a project is a directory with one of three files") {
  fakes::FakeHost fake;
  const auto missing = read_build_files(fake.host, "nowhere");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().kind == ErrorKind::usage);
  CHECK(missing.error().message == "`nowhere` is not a directory");
  const auto empty = read_build_files(fake.host, ".");
  REQUIRE_FALSE(empty);
  CHECK(empty.error().kind == ErrorKind::usage);
  CHECK(empty.error().message == "`.` contains no pyproject.toml, setup.py or setup.cfg");
  for (const char* const name : {"pyproject.toml", "setup.cfg", "setup.py"}) {
    fakes::FakeHost project;
    project.files.put(name, "");
    CHECK(read_build_files(project.host, "."));
  }
}

TEST_CASE("the build files of a project are read, and its directory is its name") {
  InitWorld world;
  world.put("setup.cfg", "[metadata]\nversion = 2.0\n");
  world.put("setup.py", "setup()\n");
  world.put("CMakeLists.txt", "project(demo)\n");
  world.put("meson.build", "project('demo', 'c')\n");
  world.put("Cargo.toml", "[package]\nname = \"demo\"\nversion = \"0.1.0\"\n");
  world.put("PKG-INFO",
            "Metadata-Version: 2.1\nName: demo\nVersion: 3.0\nRequires-Dist: numpy\n"
            "Requires-Dist: pytest; extra == \"test\"\n");
  const init::ProjectFacts facts = world.build_files();
  CHECK(facts.directory == "repo");
  CHECK(facts.pyproject->version == "1.0");
  CHECK(facts.setup_cfg->version == "2.0");
  CHECK(facts.setup_py);
  CHECK(facts.cmake);
  CHECK(facts.meson);
  CHECK(facts.cargo.size() == 1);
  CHECK(facts.package_info.version == "3.0");
  CHECK(facts.package_info.requires_dist == Names{"numpy"});
  CHECK(facts.top_level.size() == 7);
  CHECK(facts.unread.empty());
}

TEST_CASE("pyproject.toml has to be valid, and any other file is listed as unread") {
  InitWorld world;
  world.put("Cargo.toml", "[package\n");
  world.put("PKG-INFO", "no metadata");
  const init::ProjectFacts facts = world.build_files();
  Names unread;
  for (const init::LeftOut& each : facts.unread) unread.push_back(each.what);
  CHECK(unread == Names{"`PKG-INFO`", "`Cargo.toml`"});
  world.put("pyproject.toml", "[project\n");
  const auto invalid = read_build_files(world.fake.host, ".");
  REQUIRE_FALSE(invalid);
  CHECK(invalid.error().kind == ErrorKind::config);
}

TEST_CASE("scikit-build-core's settings locate CMake's file") {
  InitWorld world;
  world.put("CMakeLists.txt", "project(demo)\nadd_library(m MODULE m.cc)\n");
  CHECK(world.build_files().cmake);
  world.put("pyproject.toml", "[tool.scikit-build]\ncmake.source-dir = \"native\"\n");
  CHECK_FALSE(world.build_files().cmake);
  world.put("native/CMakeLists.txt", "project(demo)\n");
  CHECK(world.build_files().cmake);
}

TEST_CASE("a manifest of maturin's is read before the one at the top") {
  InitWorld world;
  world.put("pyproject.toml", "[tool.maturin]\nmanifest-path = \"rust/Cargo.toml\"\n");
  world.put("Cargo.toml", "[workspace]\n");
  CHECK(world.build_files().cargo.size() == 1);
  world.put("rust/Cargo.toml", "[package]\nname = \"demo\"\nversion = \"0.1.0\"\n");
  CHECK(world.build_files().cargo.size() == 2);
}

TEST_CASE("a dynamic version is the literal in the first file that a table names") {
  InitWorld world;
  world.put("pyproject.toml",
            "[project]\nname = \"demo\"\ndynamic = [\"version\"]\n[build-system]\n"
            "requires = [\"hatchling\"]\nbuild-backend = \"hatchling.build\"\n"
            "[tool.hatch.version]\npath = \"src/demo/__about__.py\"\n");
  CHECK_FALSE(world.build_files().written_version);
  world.put("src/demo/__about__.py", "__version__ = \"4.2\"\n");
  const auto written = world.build_files().written_version;
  REQUIRE(written);
  CHECK(written->version == "4.2");
  CHECK(written->file == "src/demo/__about__.py");
  world.put("src/demo/__about__.py", "__version__ = read()\n");
  CHECK_FALSE(world.build_files().written_version);
}

TEST_CASE("the sources of a project are those that git lists") {
  InitWorld world;
  for (const char* const name : {"src/a.cu", "src/b.cpp", "left.cu"}) world.put(name, "int x;\n");
  world.fake.git.tracked = {{"pyproject.toml", "src/a.cu"}, {"src/b.cpp"}};
  CHECK(sources_of(world.project()) == Names{"src/a.cu", "src/b.cpp"});
}

TEST_CASE("outside git every directory but hidden and foreign ones is looked through") {
  InitWorld world;
  for (const char* const name : {"src/a.cu", "tests/b.cu", "third_party/c.cu", ".hidden/d.cu",
                                 "build/e.cu", "demo.egg-info/f.cu", "g.cu"}) {
    world.put(name, "int x;\n");
  }
  world.put(".github/workflows/wheels.yml", "jobs: {}\n");
  world.fake.git.listed = fail(ErrorKind::environment, "no repository");
  CHECK(sources_of(world.project()) == Names{"g.cu", "src/a.cu"});
  CHECK_FALSE(world.project().tags);
}

TEST_CASE("a source that is too large or missing has no facts") {
  InitWorld world;
  world.put("large.cu", std::string((2 << 20) + 1, ' '));
  world.fake.git.tracked = {{"large.cu", "missing.cu"}};
  CHECK(world.project().sources.empty());
  CHECK(world.project().unread.empty());
}

TEST_CASE("headers of the project itself are no includes of others") {
  InitWorld world;
  world.put("src/a.cu", "#include <own/a.h>\n#include <other/b.h>\n#include \"c.h\"\n");
  world.put("include/own/a.h", "");
  world.put("third_party/x/c.h", "");
  world.fake.git.tracked = {{"include/own/a.h", "src/a.cu", "third_party/x/c.h"}};
  const init::ProjectFacts facts = world.project();
  const auto source = std::ranges::find_if(
      facts.sources, [](const project::ScannedSource& each) { return each.path == "src/a.cu"; });
  REQUIRE(source != facts.sources.end());
  CHECK(Names(source->includes.begin(), source->includes.end()) == Names{"other/b.h"});
}

TEST_CASE("workflows, further CMake files and tags belong to a project") {
  InitWorld world;
  world.fake.git.known = checkout_facts();
  world.put("CMakeLists.txt", "project(demo)\n");
  world.put("cmake/more.cmake", "find_package(Torch REQUIRED)\n");
  world.put(".github/workflows/wheels.yml",
            "on: push\njobs:\n  wheels:\n    runs-on: ubuntu-latest\n    env: {CIBW_BUILD: "
            "\"cp311-*\"}\n    steps: [{uses: pypa/cibuildwheel@v2}]\n");
  world.put(".github/workflows/broken.yaml", "jobs: [\n");
  world.fake.git.tracked = {{".github/workflows/broken.yaml", ".github/workflows/wheels.yml",
                             "CMakeLists.txt", "cmake/more.cmake"}};
  const init::ProjectFacts facts = world.project();
  CHECK(facts.tags == std::optional(Names{"v1.2.0"}));
  CHECK(facts.cibuildwheel.options.contains("build"));
  REQUIRE(facts.unread.size() == 1);
  CHECK(facts.unread.front().what == "`.github/workflows/broken.yaml`");
  world.fake.git.known->tracks_directory = false;
  CHECK_FALSE(world.project().tags);
}

TEST_CASE("the known releases of torch are ascending, with their Pythons") {
  fakes::FakeHost fake;
  const auto known = known_torches({}, fake.files);
  REQUIRE(known);
  REQUIRE(known->size() > 1);
  CHECK(std::ranges::is_sorted(*known, [](const init::KnownTorch& a, const init::KnownTorch& b) {
    return *pep::parse_version(a.release) < *pep::parse_version(b.release);
  }));
  CHECK(std::ranges::none_of(*known, [](const auto& each) { return each.pythons.empty(); }));
}

}  // namespace
}  // namespace pinwheel::prepare
