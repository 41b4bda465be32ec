#include "plan/names.h"

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::plan;

namespace {

matrix::Variant variant(const std::string& id, const std::string& python,
                        const std::string& compute, const std::string& torch) {
  matrix::Variant made;
  made.id = id;
  made.axes = {{"python", python}, {"compute", compute}, {"torch", torch}};
  return made;
}

matrix::PublishTarget target(const std::string& name, matrix::TargetKind kind) {
  matrix::PublishTarget made;
  made.name = name;
  made.kind = kind;
  return made;
}

/// A request with the classes and variants to which it refers.
struct OwnedRequest {
  std::vector<matrix::AbiClass> classes = {};
  std::vector<matrix::Variant> variants = {};
  std::vector<std::string> targets = {};
  ReleaseVersion version = {};
  std::string machine = {};

  operator NamingRequest() const {
    NamingRequest request{{}, variants, targets, version, machine};
    for (const matrix::AbiClass& cls : classes) request.classes.push_back(&cls);
    return request;
  }
};

/// A Stable-ABI package with a CPU and a CUDA class.
struct NamesExample {
  matrix::Matrix matrix;
  OwnedRequest request;

  NamesExample() {
    matrix.file = "m.yaml";
    matrix.package.name = "pinwheel-kernels";
    matrix.abi.python = matrix::PythonAbi::none;
    matrix.abi.torch = matrix::TorchAbi::stable;
    matrix.abi.compute = matrix::ComputeAbi::major;
    request.variants = {variant("a", "3.11", "cpu", "2.13"),
                        variant("b", "3.11", "cuda/13.0", "2.13")};
    request.classes = {{"cpu", {"a"}, "a"}, {"cu13", {"b"}, "b"}};
    request.version = {"1.2.0", ""};
    request.machine = "x86_64";
  }
};

/// The names of wheels, with the same errors as from the checks alone.
Result<Namings> checked_names(const matrix::Matrix& matrix, const NamingRequest& request) {
  Result<Namings> namings = name_wheels(matrix, request);
  const Done checked = check_wheel_names(matrix, request);
  REQUIRE(static_cast<bool>(checked) == static_cast<bool>(namings));
  if (!namings) CHECK(checked.error().message == namings.error().message);
  return namings;
}

}  // namespace

TEST_CASE("without a target every class has its own local label") {
  const NamesExample example;
  const Result<Namings> namings = checked_names(example.matrix, example.request);
  REQUIRE(namings);
  REQUIRE(namings->at("cpu").size() == 1);
  CHECK(namings->at("cpu")[0].version == "1.2.0+cpu");
  CHECK(namings->at("cu13")[0].version == "1.2.0+cu13");
  CHECK(namings->at("cu13")[0].distribution == "pinwheel-kernels");
}

TEST_CASE("the wheels of a re-cut have a build number") {
  NamesExample example;
  example.request.version.build = 2;
  const wheel::Naming naming = checked_names(example.matrix, example.request)->at("cpu")[0];
  CHECK(naming.build == 2);
  CHECK(wheel_pattern(naming, {"cp310", "abi3", "x86_64", "glibc"}) ==
        "pinwheel_kernels-1.2.0+cpu-2-cp310-abi3-manylinux_*_x86_64.whl");
  CHECK(wheel_pattern({"my-ops", "1.0"}, {"py3", "none", "x86_64"}) ==
        "my_ops-1.0-py3-none-*_x86_64.whl");
  CHECK(version_text("1.2.0", 2) == "1.2.0 build 2");
  CHECK(version_text("1.2.0", 0) == "1.2.0");
}

TEST_CASE("a release on GitHub is that of a tag, which a re-cut may not have") {
  NamesExample example;
  example.matrix.targets = {target("github", matrix::TargetKind::github_release)};
  example.matrix.targets[0].local_label = true;
  example.request.targets = {"github"};
  CHECK(checked_names(example.matrix, example.request));
  example.request.version.build = 1;
  const Result<Namings> refused = checked_names(example.matrix, example.request);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::config);
  CHECK(refused.error().message ==
        "target `github` cannot have a release of 1.2.0 build 1: the tag of the version has a "
        "release already");
  example.matrix.package.version.recut = true;
  CHECK(checked_names(example.matrix, example.request));
}

TEST_CASE("a declared compute has its label in versions and names") {
  NamesExample example;
  example.matrix.abi.compute = matrix::ComputeAbi::exact;
  example.matrix.computes = {{"mtia", {}, {}, {}}, {"gaudi/1.22", "hpu122", {}, {}}};
  example.request.variants = {
      variant("a", "3.11", "cuda/12.6", "2.13"), variant("b", "3.11", "mtia", "2.13"),
      variant("c", "3.11", "gaudi/1.22", "2.13"), variant("d", "3.11", "xpu/2025.1", "2.13")};
  example.request.classes = {
      {"cu126", {"a"}, "a"}, {"mtia", {"b"}, "b"}, {"hpu122", {"c"}, "c"}, {"xpu", {"d"}, "d"}};
  const Result<Namings> local = checked_names(example.matrix, example.request);
  REQUIRE(local);
  CHECK(local->at("mtia")[0].version == "1.2.0+mtia");
  CHECK(local->at("hpu122")[0].version == "1.2.0+hpu122");
  CHECK(local->at("xpu")[0].version == "1.2.0+xpu2025.1");

  matrix::PublishTarget pypi = target("pypi", matrix::TargetKind::pypi);
  pypi.name_suffix = true;
  pypi.default_compute = "cuda/12";
  example.matrix.targets = {pypi};
  example.request.targets = {"pypi"};
  const Result<Namings> there = checked_names(example.matrix, example.request);
  REQUIRE(there);
  CHECK(there->at("cu126")[0].distribution == "pinwheel-kernels");
  CHECK(there->at("mtia")[0].distribution == "pinwheel-kernels-mtia");
  CHECK(there->at("hpu122")[0].distribution == "pinwheel-kernels-hpu122");
  CHECK(there->at("xpu")[0].distribution == "pinwheel-kernels-xpu");
}

/// A target of wheel variants, and builds for the CPU and two CUDA releases.
struct VariantsExample : NamesExample {
  VariantsExample() {
    matrix.abi.compute = matrix::ComputeAbi::exact;
    request.variants = {variant("a", "3.11", "cpu", "2.13"),
                        variant("b", "3.11", "cuda/12.6", "2.13"),
                        variant("c", "3.11", "cuda/13.0", "2.13")};
    request.classes = {{"cpu", {"a"}, "a"}, {"cu126", {"b"}, "b"}, {"cu130", {"c"}, "c"}};
    matrix.targets = {variants_target("wheels", matrix::TargetKind::directory)};
    request.targets = {"wheels"};
  }

  static matrix::PublishTarget variants_target(const std::string& name, matrix::TargetKind kind) {
    matrix::PublishTarget made = target(name, kind);
    made.default_compute = "cpu";
    made.variants = pep::VariantDraft::pep850;
    return made;
  }
  std::string fault() const {
    const Result<Namings> namings = checked_names(matrix, request);
    REQUIRE_FALSE(namings);
    CHECK(namings.error().kind == ErrorKind::config);
    CHECK_FALSE(namings.error().hint.empty());
    return namings.error().message;
  }
};

using Labels = std::vector<std::string>;

TEST_CASE("wheel variants have one name and a label for each CUDA build") {
  VariantsExample example;
  Result<Namings> namings = checked_names(example.matrix, example.request);
  REQUIRE(namings);
  CHECK(namings->at("cpu")[0].variants == Labels{"", "null"});
  CHECK(namings->at("cu126")[0].variants == Labels{"cu126"});
  CHECK(namings->at("cu130")[0].version == "1.2.0");
  CHECK(namings->at("cu130")[0].distribution == "pinwheel-kernels");
  CHECK(wheel::labels_of(wheel::Naming{"a", "1"}) == Labels{""});

  example.matrix.targets[0].default_compute = "cuda/13.0";
  example.request.classes.erase(example.request.classes.begin());
  namings = checked_names(example.matrix, example.request);
  REQUIRE(namings);
  CHECK(namings->at("cu130")[0].variants == Labels{"", "null", "cu130"});
  const std::vector<wheel::Naming> files = each_file(namings->at("cu130"));
  REQUIRE(files.size() == 3);
  const WheelTags tags{"py3", "none", "x86_64", "glibc"};
  CHECK(wheel_pattern(files[0], tags) == "pinwheel_kernels-1.2.0-py3-none-manylinux_*_x86_64.whl");
  CHECK(wheel_pattern(files[2], tags) ==
        "pinwheel_kernels-1.2.0-py3-none-manylinux_*_x86_64-cu130.whl");
}

TEST_CASE("a target with variants has one plain wheel") {
  VariantsExample example;
  example.matrix.targets[0].default_compute = "cuda/*";
  example.request.classes.erase(example.request.classes.begin());
  CHECK(example.fault() ==
        "`build:cu126` and `build:cu130` are both the `default` of target `wheels`, which has one "
        "plain wheel");
}

TEST_CASE("a file that two targets share is finished once") {
  VariantsExample example;
  matrix::PublishTarget pypi = target("pypi", matrix::TargetKind::pypi);
  pypi.name_suffix = true;
  pypi.default_compute = "cpu";
  example.matrix.targets.push_back(pypi);
  example.request.targets = {"wheels", "pypi"};
  const Result<Namings> namings = checked_names(example.matrix, example.request);
  REQUIRE(namings);
  CHECK(namings->at("cpu").size() == 2);
  CHECK(each_file(namings->at("cpu")).size() == 2);
  CHECK(each_file(namings->at("cu130")).size() == 2);
  CHECK(name_on("wheels", namings->at("cpu")).variants == Labels{"", "null"});
  CHECK(name_on("pypi", namings->at("cpu")).variants.empty());
}

TEST_CASE("variants that installers could not choose are errors of the plan") {
  VariantsExample example;
  SECTION("a compute without properties") {
    example.matrix.targets[0].default_compute = "cuda/13.0";
    CHECK(example.fault() ==
          "target `wheels` makes wheel variants, and installers know no properties of `cpu`");
  }
  SECTION("a label that is too long") {
    example.matrix.computes = {{"cuda/13.0", "a_rather_long_label", {}, {}}};
    CHECK(example.fault() == "`a.rather.long.label` is not the label of a wheel variant");
  }
  SECTION("two torch releases") {
    example.matrix.abi.torch = matrix::TorchAbi::minor;
    example.request.variants.push_back(variant("d", "3.11", "cuda/13.0", "2.12"));
    example.request.classes.push_back({"old", {"d"}, "d"});
    CHECK(example.fault() ==
          "`build:cu130` and `build:old` would both be `pinwheel-kernels 1.2.0` on target "
          "`wheels`: the name lacks axis `torch`");
  }
  SECTION("two drafts") {
    example.matrix.targets.push_back(
        VariantsExample::variants_target("bucket", matrix::TargetKind::s3));
    example.matrix.targets[1].variants = pep::VariantDraft::pep825;
    example.request.targets = {"wheels", "bucket"};
    CHECK(example.fault() == "`wheels` and `bucket` get wheel variants of different drafts");
  }
}

TEST_CASE("an unreleased version carries its commit after the label, but not on PyPI kinds") {
  NamesExample example;
  example.request.version = {"1.3.0.dev4", "g1a2b3c4.dirty"};
  CHECK(checked_names(example.matrix, example.request)->at("cpu")[0].version ==
        "1.3.0.dev4+cpu.g1a2b3c4.dirty");
  matrix::PublishTarget pypi = target("testpypi", matrix::TargetKind::testpypi);
  pypi.name_suffix = true;
  pypi.default_compute = "cuda/13.0";
  example.matrix.targets = {pypi};
  example.request.targets = {"testpypi"};
  const Result<Namings> namings = checked_names(example.matrix, example.request);
  REQUIRE(namings);
  CHECK(namings->at("cu13")[0] == wheel::Naming{"pinwheel-kernels", "1.3.0.dev4", {"testpypi"}});
  CHECK(namings->at("cpu")[0] == wheel::Naming{"pinwheel-kernels-cpu", "1.3.0.dev4", {"testpypi"}});
}

TEST_CASE("two classes with the same file name on one target are rejected, and the axis is named") {
  NamesExample example;
  example.matrix.targets = {target("pypi", matrix::TargetKind::pypi)};
  example.request.targets = {"pypi"};
  const Result<Namings> namings = checked_names(example.matrix, example.request);
  REQUIRE_FALSE(namings);
  CHECK(namings.error().kind == ErrorKind::config);
  CHECK(namings.error().message ==
        "`build:cpu` and `build:cu13` would both be `pinwheel-kernels 1.2.0` on target `pypi`: the "
        "name "
        "lacks axis `compute`");
  CHECK(namings.error().hint.find("others: name-suffix") != std::string::npos);
}

TEST_CASE("a suffix has the values of the project's own axes, except the first of each") {
  NamesExample example;
  example.matrix.axes = {{"compute", {"cpu", "cuda/13.0"}, {}},
                         {"flavor", {"full", "Small+1"}, {}}};
  example.request.classes.clear();
  for (matrix::Variant& one : example.request.variants) {
    one.axes.emplace_back("flavor", "full");
    example.request.classes.push_back({one.id, {one.id}, one.id});
  }
  for (const std::string id : {"a", "b"}) {
    matrix::Variant small = variant("small-" + id, "3.11", id == "a" ? "cpu" : "cuda/13.0", "2.10");
    small.axes.emplace_back("flavor", "Small+1");
    example.request.variants.push_back(small);
    example.request.classes.push_back({small.id, {small.id}, small.id});
  }
  matrix::PublishTarget pypi = target("pypi", matrix::TargetKind::pypi);
  example.request.targets = {"pypi"};

  SECTION("with `others: name-suffix`") {
    pypi.name_suffix = true;
    pypi.default_compute = "cuda/13.0";
    example.matrix.targets = {pypi};
    const Result<Namings> namings = checked_names(example.matrix, example.request);
    REQUIRE(namings);
    CHECK(namings->at("a")[0].distribution == "pinwheel-kernels-cpu");
    CHECK(namings->at("b")[0].distribution == "pinwheel-kernels");
    CHECK(namings->at("small-a")[0].distribution == "pinwheel-kernels-cpu-small-1");
    CHECK(namings->at("small-b")[0].distribution == "pinwheel-kernels-small-1");
  }
  SECTION("without it the named axis is one of the binary, which torch is not") {
    example.matrix.targets = {pypi};
    example.request.classes.erase(example.request.classes.begin());  // `b` and the small ones
    example.request.classes.erase(example.request.classes.begin() + 1);
    const Result<Namings> namings = checked_names(example.matrix, example.request);
    REQUIRE_FALSE(namings);
    CHECK(namings.error().message.ends_with("the name lacks axis `flavor`"));
  }
}

TEST_CASE("a local label on PyPI is rejected before anything is built") {
  NamesExample example;
  matrix::PublishTarget pypi = target("pypi", matrix::TargetKind::pypi);
  pypi.local_label = true;
  example.matrix.targets = {pypi};
  example.request.targets = {"pypi"};
  const Result<Namings> namings = checked_names(example.matrix, example.request);
  REQUIRE_FALSE(namings);
  CHECK(namings.error().message.find("PyPI does not accept local versions") != std::string::npos);
}

TEST_CASE("a release on GitHub accepts labels, and no development version") {
  NamesExample example;
  matrix::PublishTarget github = target("github", matrix::TargetKind::github_release);
  github.local_label = true;
  example.matrix.targets = {github};
  example.request.targets = {"github"};
  const Result<Namings> namings = checked_names(example.matrix, example.request);
  REQUIRE(namings);
  CHECK(namings->at("cpu")[0].version == "1.2.0+cpu");
  for (const ReleaseVersion& version :
       {ReleaseVersion{"1.3.0.dev4", ""}, ReleaseVersion{"1.2.0", "g1a2b3c4"}}) {
    example.request.version = version;
    const Result<Namings> refused = checked_names(example.matrix, example.request);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::config);
    CHECK(refused.error().message.find("which is no release") != std::string::npos);
  }
}

TEST_CASE("targets with the same name for a wheel share one finished wheel") {
  NamesExample example;
  matrix::PublishTarget one = target("index", matrix::TargetKind::directory);
  matrix::PublishTarget two = target("mirror", matrix::TargetKind::directory);
  one.local_label = two.local_label = true;
  example.matrix.targets = {one, two};
  example.request.targets = {"index", "mirror"};
  const Result<Namings> namings = checked_names(example.matrix, example.request);
  REQUIRE(namings);
  REQUIRE(namings->at("cpu").size() == 1);
  CHECK(namings->at("cpu")[0].targets == std::vector<std::string>{"index", "mirror"});
}

TEST_CASE("two targets may not give one file name to different classes") {
  NamesExample example;
  matrix::PublishTarget one = target("pypi", matrix::TargetKind::pypi);
  matrix::PublishTarget two = target("wheels", matrix::TargetKind::directory);
  one.name_suffix = two.name_suffix = true;
  one.default_compute = "cpu";
  two.default_compute = "cuda/*";
  example.matrix.targets = {one, two};
  example.request.targets = {"pypi", "wheels"};
  const Result<Namings> namings = checked_names(example.matrix, example.request);
  REQUIRE_FALSE(namings);
  CHECK(namings.error().kind == ErrorKind::config);
  CHECK(namings.error().message ==
        "`pinwheel_kernels-1.2.0-py3-none-*_x86_64.whl` would be `build:cpu` on target `pypi` and "
        "`build:cu13` on target `wheels`");
  CHECK(namings.error().hint ==
        "write the same `default` in both targets, or give one of them a `name` template of its "
        "own");
  // Of one channel: another may have the other target.
  example.request.targets = {"wheels"};
  CHECK(checked_names(example.matrix, example.request));
  example.request.targets = {"pypi", "wheels"};
  example.matrix.targets[1].name_template = "{name}-nightly";
  CHECK(checked_names(example.matrix, example.request));
  example.matrix.targets[1].name_template.clear();
  example.matrix.targets[1].default_compute = "cpu";
  CHECK(checked_names(example.matrix, example.request)->at("cpu").size() == 1);
}

TEST_CASE("a wheel is named by its distribution, version, label and build number") {
  const wheel::Naming plain{"my-ops", "1.0+cu130"};
  CHECK(is_wheel_named("my_ops-1.0+cu130-py3-none-any.whl", plain));
  CHECK(is_wheel_named("my_ops-1.0+cu130-7-py3-none-any.whl", plain));
  CHECK_FALSE(is_wheel_named("my_ops-1.0-py3-none-any.whl", plain));
  CHECK_FALSE(is_wheel_named("other-1.0+cu130-py3-none-any.whl", plain));
  CHECK_FALSE(is_wheel_named("my_ops-1.0+cu130-py3-none-any-null.whl", plain));
  CHECK_FALSE(is_wheel_named("my_ops-1.0+cu130.tar.gz", plain));
  wheel::Naming recut{"my-ops", "1.0", {}, 2};
  recut.variants = {"null", ""};
  CHECK(is_wheel_named("my_ops-1.0-2-py3-none-any.whl", recut));
  CHECK(is_wheel_named("my_ops-1.0-2-py3-none-any-null.whl", recut));
  CHECK_FALSE(is_wheel_named("my_ops-1.0-py3-none-any.whl", recut));
  CHECK_FALSE(is_wheel_named("my_ops-1.0-1-py3-none-any.whl", recut));
  CHECK_FALSE(is_wheel_named("my_ops-1.0-2a-py3-none-any.whl", recut));
  CHECK_FALSE(is_wheel_named("my_ops-1.0-2-py3-none-any-cu130.whl", recut));
}

TEST_CASE("an unknown target is a usage error with the nearest name") {
  NamesExample example;
  example.matrix.targets = {target("testpypi", matrix::TargetKind::testpypi)};
  example.request.targets = {"testpipy"};
  const Result<Namings> namings = checked_names(example.matrix, example.request);
  REQUIRE_FALSE(namings);
  CHECK(namings.error().kind == ErrorKind::usage);
  CHECK(namings.error().hint == "did you mean `testpypi`?");
}

TEST_CASE("a label template may name axes that the default omits") {
  NamesExample example;
  matrix::PublishTarget index = target("index", matrix::TargetKind::directory);
  index.label_template = "pt{torch.nodot}{compute.label}";
  example.matrix.targets = {index};
  example.request.targets = {"index"};
  const Result<Namings> namings = checked_names(example.matrix, example.request);
  REQUIRE(namings);
  CHECK(namings->at("cu13")[0].version == "1.2.0+pt213cu130");
}

TEST_CASE("the classic C++ ABI puts torch and the exact compute into the label") {
  NamesExample example;
  example.matrix.abi = {matrix::PythonAbi::version, {}, false,
                        matrix::TorchAbi::minor,    {}, matrix::ComputeAbi::exact};
  CHECK(label_of(example.matrix, example.request.variants[1]) == "pt213cu130");
  CHECK(label_of(example.matrix, example.request.variants[0]) == "pt213cpu");
}

TEST_CASE("wheel tags follow the Python ABI") {
  matrix::Abi abi;
  const matrix::Variant threaded = variant("a", "3.13t", "cpu", "2.13");
  abi.python = matrix::PythonAbi::version;
  CHECK(tags_of(abi, threaded, "x86_64").python == "cp313");
  CHECK(tags_of(abi, threaded, "x86_64").abi == "cp313t");
  abi.python = matrix::PythonAbi::limited;
  abi.python_limited = "3.10";
  CHECK(tags_of(abi, threaded, "x86_64").python == "cp310");
  CHECK(tags_of(abi, threaded, "x86_64").abi == "abi3");
  abi.python_else_version = true;
  CHECK(tags_of(abi, threaded, "x86_64").abi == "cp313t");
  abi.python = matrix::PythonAbi::none;
  CHECK(tags_of(abi, threaded, "aarch64").python == "py3");
  CHECK(tags_of(abi, threaded, "aarch64").abi == "none");
  CHECK(tags_of(abi, threaded, "aarch64").arch == "aarch64");
}

TEST_CASE("wheels for glibc and musl have names of their own") {
  NamesExample example;
  example.matrix.axes = {{"libc", {"glibc", "musl"}, {}}};
  for (size_t i = 0; i < 2; ++i) {
    matrix::Variant& made = example.request.variants[i];
    made.axes = {{"python", "3.11"}, {"compute", "cpu"}, {"libc", i == 0 ? "glibc" : "musl"}};
  }
  CHECK(label_of(example.matrix, example.request.variants[1]) == "cpu");
  const Result<Namings> namings = checked_names(example.matrix, example.request);
  REQUIRE(namings);
  CHECK(namings->at("cpu")[0].version == namings->at("cu13")[0].version);
  const WheelTags tags = tags_of(example.matrix.abi, example.request.variants[1], "x86_64");
  CHECK(platform_pattern(tags) == "musllinux_*_x86_64");
  CHECK(platform_pattern({"py3", "none", "aarch64", "glibc"}) == "manylinux_*_aarch64");
  CHECK(platform_pattern({"py3", "none", "aarch64"}) == "*_aarch64");
}
