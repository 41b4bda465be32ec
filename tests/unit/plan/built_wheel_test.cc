#include "plan/built_wheel.h"

#include "unit/catch.h"

namespace pinwheel::plan {
namespace {

using project::Backend;

pep::WheelName wheel(const std::string& tags) {
  const auto name = pep::parse_wheel_name("my_ops-1.0-" + tags + ".whl");
  REQUIRE(name);
  return *name;
}

BuildWheel build(const WheelTags& tags) {
  BuildWheel action;
  action.package_name = "my-ops";
  action.environment.python = "3.10";
  action.version = "1.0";
  action.tags = tags;
  action.namings = {{"my-ops", "1.0", {}}};
  return action;
}

TagFit fit(const std::string& built, const WheelTags& planned) {
  return tag_fit(wheel(built + "-any").tags, planned, "3.10");
}

TEST_CASE("outputs that the plan does not have are strange") {
  BuildWheel action = build({"cp310", "cp310", "x86_64"});
  action.arch = "x86_64";
  action.namings = {{"my-ops", "1.0+cpu", {}}, {"my-ops-cpu", "1.0", {}}};
  const NamedFile plain{"my_ops-1.0+cpu-cp310-cp310-manylinux_2_28_x86_64.whl", 10};
  const NamedFile suffixed{"my_ops_cpu-1.0-cp310-cp310-manylinux_2_28_x86_64.whl", 10};
  CHECK(unexpected_outputs(action, {plain, suffixed}).empty());
  CHECK(unexpected_outputs(action, {plain}) == std::vector<std::string>{"it has 1 file"});
  CHECK(unexpected_outputs(action, {plain, plain}).size() == 1);
  for (const char* name :
       {"my_ops-1.0-cp310-cp310-manylinux_2_28_x86_64.whl",
        "my_ops-6.6.6+cpu-cp310-cp310-manylinux_2_28_x86_64.whl",
        "evil-1.0+cpu-cp310-cp310-manylinux_2_28_x86_64.whl",
        "my_ops-1.0+cpu-cp311-cp311-manylinux_2_28_x86_64.whl",
        "my_ops-1.0+cpu-cp310-cp310-manylinux_2_28_aarch64.whl",
        "my_ops-1.0+cpu-1-cp310-cp310-manylinux_2_28_x86_64.whl",
        "my-ops-1.0+cpu-cp310-cp310-manylinux_2_28_x86_64.whl", "index.html", "",
        "a/my_ops-1.0+cpu-cp310-cp310-manylinux_2_28_x86_64.whl", "my_ops-1.0.tar.gz"}) {
    CHECK(unexpected_outputs(action, {suffixed, {name, 1}}) ==
          std::vector<std::string>{"`" + std::string(name) + "` is not an output of the plan"});
  }
  const NamedFile huge{plain.name, 64ULL << 30U};
  CHECK(unexpected_outputs(action, {huge, suffixed}) ==
        std::vector<std::string>{"`" + plain.name +
                                 "` should have 69 GB, but a wheel has at most 20 GB"});
}

TEST_CASE("the outputs of a re-cut have its build number") {
  BuildWheel action = build({"py3", "none", "x86_64"});
  const auto expected = [&action](const std::string& name) {
    return unexpected_outputs(action, {{name, 10}}).empty();
  };
  CHECK(expected("my_ops-1.0-py3-none-any.whl"));
  CHECK_FALSE(expected("my_ops-1.0-1-py3-none-any.whl"));
  action.namings[0].build = 1;
  CHECK(expected("my_ops-1.0-1-py3-none-any.whl"));
  for (const char* name : {"my_ops-1.0-py3-none-any.whl", "my_ops-1.0-2-py3-none-any.whl",
                           "my_ops-1.0-1a-py3-none-any.whl", "my_ops-1.0-01-py3-none-any.whl"}) {
    INFO(name);
    CHECK_FALSE(expected(name));
  }
}

TEST_CASE("a wheel variant is an output only with a planned label") {
  BuildWheel action = build({"cp310", "cp310", "x86_64"});
  action.namings = {{"my-ops", "1.0", {"a"}, 0, {}, {"", "null", "cu130"}},
                    {"my-ops", "1.0", {"b"}}};
  const std::string stem = "my_ops-1.0-cp310-cp310-manylinux_2_28_x86_64";
  const NamedFile plain{stem + ".whl", 10};
  const NamedFile null{stem + "-null.whl", 10};
  const NamedFile labeled{stem + "-cu130.whl", 10};
  CHECK(unexpected_outputs(action, {plain, null, labeled}).empty());
  CHECK(unexpected_outputs(action, {plain, labeled}) == std::vector<std::string>{"it has 2 files"});
  CHECK(unexpected_outputs(action, {plain, null, {stem + "-cu126.whl", 10}}) ==
        std::vector<std::string>{"`" + stem + "-cu126.whl` is not an output of the plan"});
  const auto judged = judge_built_wheel(action, *pep::parse_wheel_name(stem + "-cu130.whl"),
                                        "my-ops", Backend::scikit_build_core, PythonUse::unknown);
  REQUIRE_FALSE(judged);
  CHECK(judged.error().message == "the build made the wheel variant `cu130`");
}

TEST_CASE("the first publication of a release leaves a record for each project") {
  Publish action;
  action.role = PublishRole::first;
  action.names = {{"build:cpu", {"my-ops", "1.0"}},
                  {"build:abi3", {"My_Ops", "1.0"}},
                  {"build:cu13", {"my-ops-cu13", "1.0"}}};
  const NamedFile own{"pinwheel-release.json", 10};
  const NamedFile other{"pinwheel-release-my-ops-cu13.json", 10};
  CHECK(unexpected_outputs(action, {own, other}).empty());
  CHECK(unexpected_outputs(action, {own}) == std::vector<std::string>{"it has 1 file"});
  for (const char* name :
       {"a/pinwheel-release.json", "my_ops-1.0-py3-none-any.whl", "pinwheel-release.json"}) {
    CHECK(unexpected_outputs(action, {own, {name, 1}}) ==
          std::vector<std::string>{"`" + std::string(name) + "` is not an output of the plan"});
  }
  CHECK_FALSE(unexpected_outputs(action, {own, {other.name, 64ULL << 20U}}).empty());
  // Another publication leaves none.
  CHECK_FALSE(unexpected_outputs(Publish{}, {own}).empty());
}

TEST_CASE("an sdist has its name, and a test leaves no file") {
  BuildSdist sdist;
  sdist.distribution = "my-ops";
  sdist.version = "1.0";
  CHECK(unexpected_outputs(sdist, {{"my_ops-1.0.tar.gz", 1}}).empty());
  CHECK(unexpected_outputs(sdist, {{"my_ops-1.1.tar.gz", 1}}).size() == 1);
  CHECK(unexpected_outputs(sdist, {{"my_ops-1.0.tar.gz", 2'000'000'000}}).size() == 1);
  CHECK(unexpected_outputs(sdist, {}) == std::vector<std::string>{"it has 0 files"});
  CHECK(unexpected_outputs(TestWheel{}, {}).empty());
  CHECK(unexpected_outputs(TestWheel{}, {{"my_ops-1.0.tar.gz", 1}}).size() == 2);
}

TEST_CASE("a wheel for the other C library is not the planned one") {
  const BuildWheel musl = build({"cp313", "cp313t", "x86_64", "musl"});
  CHECK(judge_platform(musl, wheel("cp313-cp313t-musllinux_1_2_x86_64")));
  CHECK(judge_platform(musl, wheel("py3-none-any")));
  const Done done = judge_platform(musl, wheel("cp313-cp313t-manylinux_2_28_x86_64"));
  REQUIRE_FALSE(done);
  CHECK(done.error().kind == ErrorKind::unplanned_wheel);
  CHECK(done.error().message ==
        "the build made a wheel for `manylinux_2_28_x86_64`, but its variants are for musl");
  const WheelTags any{"cp313", "cp313t", "x86_64"};
  CHECK(judge_platform(build(any), wheel("cp313-cp313t-musllinux_1_2_x86_64")));
}

TEST_CASE("tags are compared by the Pythons that install them") {
  const WheelTags none{"py3", "none", "x86_64"};
  const WheelTags limited{"cp310", "abi3", "x86_64"};
  const WheelTags version{"cp310", "cp310", "x86_64"};
  const WheelTags free_threaded{"cp313", "cp313t", "x86_64"};
  struct Case {
    const char* built;
    WheelTags planned;
    TagFit fit;
  };
  for (const Case& each : {Case{"py3-none", none, TagFit::exact},
                           Case{"py2.py3-none", none, TagFit::exact},
                           Case{"py310-none", none, TagFit::exact},
                           Case{"py311-none", none, TagFit::narrower},
                           Case{"cp38-abi3", none, TagFit::narrower},
                           Case{"cp310-cp310", none, TagFit::narrower},
                           Case{"cp310-abi3", limited, TagFit::exact},
                           Case{"cp39-abi3", limited, TagFit::wider},
                           Case{"py3-none", limited, TagFit::wider},
                           Case{"cp311-abi3", limited, TagFit::narrower},
                           Case{"cp310-cp310", limited, TagFit::narrower},
                           Case{"cp310-cp310", version, TagFit::exact},
                           Case{"cp310.cp311-cp310.cp311", version, TagFit::wider},
                           Case{"cp310-abi3", version, TagFit::wider},
                           Case{"py3-none", version, TagFit::wider},
                           Case{"cp311-cp311", version, TagFit::narrower},
                           Case{"pp310-pypy310_pp73", version, TagFit::narrower},
                           Case{"cp313-cp313t", free_threaded, TagFit::exact},
                           Case{"cp313-cp313", free_threaded, TagFit::narrower},
                           Case{"cp310-abi3", free_threaded, TagFit::narrower}}) {
    INFO(each.built << " for " << each.planned.python << "-" << each.planned.abi);
    CHECK(fit(each.built, each.planned) == each.fit);
  }
}

TEST_CASE("the `abi` that describes a wheel") {
  const auto abi = [](const std::string& tags) { return python_abi_of(wheel(tags + "-any").tags); };
  CHECK(abi("py3-none") == "none");
  CHECK(abi("py2.py3-none") == "none");
  CHECK(abi("cp311-abi3") == "limited(3.11)");
  CHECK(abi("cp39.cp310-abi3") == "limited(3.9)");
  CHECK(abi("cp312-cp312") == "version");
  CHECK(abi("cp312-none") == "version");
}

TEST_CASE("a promise that is broken has the fix and the other `abi`") {
  const auto judged =
      judge_built_wheel(build({"cp310", "abi3", "x86_64"}), wheel("cp311-cp311-linux_x86_64"),
                        "my_ops", Backend::scikit_build_core);
  REQUIRE_FALSE(judged);
  CHECK(judged.error().kind == ErrorKind::unplanned_wheel);
  CHECK(judged.error().message ==
        "the build made a wheel for `cp311-cp311`, but `abi.python` promises `cp310-abi3`");
  CHECK(judged.error().hint ==
        "set `wheel.py-api = \"cp310\"` in `[tool.scikit-build]`, and build the module with "
        "`USE_SABI 3.10`; or write `abi: {python: version}`");
  const auto other = judge_built_wheel(build({"cp310", "cp310", "x86_64"}),
                                       wheel("cp311-cp311-linux_x86_64"), "my_ops", Backend::other);
  REQUIRE_FALSE(other);
  CHECK(other.error().hint == "make `build.command` use the Python of its environment");
}

TEST_CASE("a wheel that takes symbols of CPython cannot be for every Python") {
  const auto hint = [](PythonUse use) {
    return judge_built_wheel(build({"py3", "none", "x86_64"}), wheel("cp311-cp311-linux_x86_64"),
                             "my_ops", Backend::scikit_build_core, use)
        .error()
        .hint;
  };
  CHECK(hint(PythonUse::some) ==
        "write `abi: {python: version}`: its libraries use symbols of CPython");
  CHECK(hint(PythonUse::none) ==
        "set `wheel.py-api = \"py3\"` in `[tool.scikit-build]`; or write `abi: {python: version}`");
  CHECK(hint(PythonUse::unknown) ==
        "write `abi: {python: version}`; if its libraries use no symbol of CPython, set "
        "`wheel.py-api = \"py3\"` in `[tool.scikit-build]` instead");
}

TEST_CASE("a wheel for more Pythons is an error only where two builds would write it") {
  BuildWheel action = build({"cp310", "cp310", "x86_64"});
  const pep::WheelName pure = wheel("py3-none-any");
  const auto alone = judge_built_wheel(action, pure, "my-ops", Backend::setuptools);
  REQUIRE(alone);
  CHECK(*alone == std::vector<std::string>{
                      "the wheel is for `py3-none`, more than the planned `cp310-cp310`; `abi: "
                      "{python: none}` makes one build serve them all"});
  action.siblings = {{"build:cp311", {"cp311", "cp311", "x86_64"}}};
  const auto both = judge_built_wheel(action, pure, "my-ops", Backend::setuptools);
  REQUIRE_FALSE(both);
  CHECK(both.error().message ==
        "the build made a wheel for `py3-none-any`; `build:cp311` would write the same file");
  CHECK(both.error().hint == "write `abi: {python: none}`: one build then serves them all");
}

TEST_CASE("a warning names an axis `arch` on which the wheel does not depend") {
  BuildWheel action = build({"py3", "none", "x86_64"});
  action.siblings = {{"build:aarch64", {"py3", "none", "aarch64"}}};
  CHECK(judge_built_wheel(action, wheel("py3-none-linux_x86_64"), "my-ops", Backend::other));
  const auto same = judge_built_wheel(action, wheel("py3-none-any"), "my-ops", Backend::other);
  REQUIRE_FALSE(same);
  CHECK(same.error().hint == "remove the axis `arch` or `libc`: the wheel does not depend on it");
}

TEST_CASE("another name or version than planned is an error") {
  BuildWheel action = build({"py3", "none", "x86_64"});
  const pep::WheelName pure = wheel("py3-none-any");
  CHECK(judge_built_wheel(action, pure, "My_Ops", Backend::other));
  const auto other = judge_built_wheel(action, pure, "my-op", Backend::other);
  REQUIRE_FALSE(other);
  CHECK(other.error().message ==
        "the project calls itself `my-op`, but `package.name` is `my-ops`");
  action.namings = {{"my-op", "1.0", {}}};
  CHECK(judge_built_wheel(action, pure, "my-op", Backend::other));
  action.namings.clear();
  action.package_name.clear();
  CHECK(judge_built_wheel(action, pure, "my-op", Backend::other));
  action.version = "1.0.0";
  CHECK(judge_built_wheel(action, pure, "my-op", Backend::other));
  action.version = "1.1";
  const auto version = judge_built_wheel(action, pure, "my-op", Backend::other);
  REQUIRE_FALSE(version);
  CHECK(version.error().kind == ErrorKind::check);
}

}  // namespace
}  // namespace pinwheel::plan
