#include "init/decide.h"

#include "init/matrix_text.h"
#include "matrix/parse.h"
#include "unit/catch.h"

namespace pinwheel::init {
namespace {

using Texts = std::vector<std::string>;

ProjectFacts project_with(const std::string& toml) {
  ProjectFacts facts;
  facts.pyproject = project::Pyproject{.name = "demo", .version = "1.0"};
  facts.cibuildwheel =
      *project::parse_cibuildwheel("[tool.cibuildwheel]\n" + toml, "pyproject.toml");
  return facts;
}

std::string text_of(const ProjectFacts& facts) {
  const std::string text = matrix_text(decide(facts).draft);
  const auto parsed = matrix::parse(text, "m.yaml");
  INFO((parsed ? "" : parsed.error().message));
  REQUIRE(parsed);
  return text;
}

TEST_CASE("musl is listed with its lines where an option names it") {
  for (const char* options : {"build = 'cp312-musllinux_x86_64 cp312-manylinux_x86_64'\n",
                              "musllinux-x86_64-image = 'musllinux_1_2'\n"}) {
    INFO(options);
    const std::vector<LeftOut> got = musl_builds(project_with(options), {"3.12"});
    REQUIRE(got.size() == 1);
    CHECK(got[0].why.ends_with(
        "axes:\n  libc: [glibc, musl]\noverrides:\n  - when: {libc: musl}\n"
        "    environment: {container: {base: quay.io/pypa/musllinux_1_2_x86_64}}"));
  }
  CHECK(
      musl_builds(project_with("musllinux-x86_64-image = 'r.example/m:1'\n"), {"3.12"})[0].why.find(
          "base: r.example/m:1}") != std::string::npos);
}

TEST_CASE("musl is not listed where nothing names it, or skip takes it back") {
  for (const char* options :
       {"", "build = 'cp312-*'\n", "skip = '*-musllinux*'\nmusllinux-x86_64-image = 'm'\n",
        "build = 'cp312-*'\nskip = '*-musllinux_*'\n"}) {
    INFO(options);
    CHECK(musl_builds(project_with(options), {"3.12"}).empty());
  }
  CHECK(musl_builds(project_with("build = '*-musllinux*'\nskip = 'cp312-musllinux*'\n"),
                    {"3.12", "3.13"})
            .size() == 1);
}

TEST_CASE("torch has no builds for musl") {
  ProjectFacts facts = project_with("musllinux-x86_64-image = 'musllinux_1_2'\n");
  facts.pyproject->build_system.requires_ = Texts{"setuptools", "torch"};
  facts.torches = {{"2.14", {"3.12"}}};
  CHECK(musl_builds(facts, {"3.12"})[0].why == "torch has no builds for musl");
}

TEST_CASE("the lines for musl that init prints are a matrix") {
  const std::string text = text_of(project_with("musllinux-x86_64-image = 'musllinux_1_2'\n"));
  CHECK(text.find("#   axes:\n#     libc: [glibc, musl]\n#   overrides:\n"
                  "#     - when: {libc: musl}\n"
                  "#       environment: {container: {base: "
                  "quay.io/pypa/musllinux_1_2_x86_64}}\n") != std::string::npos);
}

TEST_CASE("free-threaded Pythons in the axis are fetched") {
  ProjectFacts facts = project_with("build = 'cp313-* cp313t-*'\n");
  facts.setup_py = project::SetupPy{.extensions = true};
  const std::string text = text_of(facts);
  CHECK(text.find("  python: [\"3.13\", \"3.13t\"]") != std::string::npos);
  CHECK(text.find("  python: auto  # few machines have 3.13t: a run fetches it\n") !=
        std::string::npos);
  CHECK(threaded_lines({"3.13", "3.14"}).empty());
}

TEST_CASE("free-threaded Pythons that the matrix cannot have are listed") {
  const ProjectFacts facts = project_with("build = 'cp312-* cp313t-*'\n");
  const std::vector<LeftOut> got = threaded_builds(facts, {"3.12", "3.13t"}, {"3.12"});
  REQUIRE(got.size() == 1);
  CHECK(got[0].what == "free-threaded Pythons that the project names: `3.13t`");
  CHECK(threaded_builds(facts, {"3.12", "3.13t"}, {"3.12", "3.13t"}).empty());
}

TEST_CASE("enabled free-threaded Pythons that no glob names are listed") {
  const ProjectFacts facts =
      project_with("enable = ['pypy', 'cpython-freethreading']\nbuild = 'cp31*'\n");
  const std::vector<LeftOut> got = threaded_builds(facts, {"3.12"}, {"3.12"});
  REQUIRE(got.size() == 1);
  CHECK(got[0].what == "cibuildwheel's `enable` (pyproject.toml)");
  CHECK(threaded_builds(project_with("enable = 'pypy'\n"), {"3.12"}, {"3.12"}).empty());
}

Texts whats(const std::vector<LeftOut>& list) {
  Texts texts;
  for (const LeftOut& one : list) texts.push_back(one.what);
  return texts;
}

TEST_CASE("builds for other Pythons are listed with the option that selects them") {
  const auto listed = [](const std::string& options) {
    return whats(other_pythons(project_with(options)));
  };
  const std::string pypy = "wheels for PyPy, by cibuildwheel's ";
  CHECK(listed("enable = ['pypy']\n") == Texts{pypy + "`enable` (pyproject.toml)"});
  CHECK(listed("build = 'cp312-* pp310-*'\n") == Texts{pypy + "`build` (pyproject.toml)"});
  CHECK(listed("build = '{pp,cp}31*'\nenable = 'pypy'\n") ==
        Texts{pypy + "`build` (pyproject.toml)"});
  CHECK(listed("build = 'pp312-manylinux_aarch64'\n") == Texts{pypy + "`build` (pyproject.toml)"});
  CHECK(listed("build = 'gp312_250-*'\n") ==
        Texts{"wheels for GraalPy, by cibuildwheel's `build` (pyproject.toml)"});
  CHECK(listed("build = 'cp313-pyodide_wasm32'\n") ==
        Texts{"wheels for Pyodide, by cibuildwheel's `build` (pyproject.toml)"});
  CHECK(listed("enable = 'cpython-prerelease'\n") ==
        Texts{"pre-releases of CPython, by cibuildwheel's `enable` (pyproject.toml)"});
  CHECK(listed("enable = 'all'\n").size() == 3);
}

TEST_CASE("builds for other Pythons that cibuildwheel does not make are not listed") {
  for (const char* options :
       {"", "build = '*'\n", "build = 'cp312-*'\nenable = ['pypy']\n",
        "enable = ['pypy', 'pypy-eol']\nskip = 'pp*'\n", "build = 'pp310-win_amd64'\n",
        "build = 'pp310-*'\nskip = 'pp*'\n", "enable = 'cpython-freethreading'\n"}) {
    INFO(options);
    CHECK(other_pythons(project_with(options)).empty());
  }
}

}  // namespace
}  // namespace pinwheel::init
