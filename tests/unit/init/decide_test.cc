#include "init/decide.h"

#include <fmt/format.h>

#include "init/matrix_text.h"
#include "matrix/parse.h"
#include "unit/catch.h"

namespace pinwheel::init {
namespace {

using Texts = std::vector<std::string>;
using Entries = std::vector<std::pair<std::string, std::string>>;

/// The value of a key; `monostate` if it is not in the draft.
LineValue value_of(const ProjectFacts& facts, const std::string& key) {
  const Decision decision = decide(facts);
  // Whatever is decided is a matrix.
  const auto parsed = matrix::parse(matrix_text(decision.draft), "m.yaml");
  INFO((parsed ? "" : parsed.error().message));
  REQUIRE(parsed);
  for (const MatrixLine& line : decision.draft.lines) {
    if (line.key == key) return line.value;
  }
  return {};
}

ProjectFacts project_named(const std::string& name) {
  ProjectFacts facts;
  facts.pyproject = project::Pyproject{.name = name, .version = "1.0"};
  return facts;
}

TEST_CASE("a pure project: one wheel, no environment, no build") {
  const ProjectFacts facts = project_named("demo");
  CHECK(value_of(facts, "abi.python") == LineValue("none"));
  CHECK(value_of(facts, "axes.compute") == LineValue());
  CHECK(value_of(facts, "axes.torch") == LineValue());
  for (const MatrixLine& line : decide(facts).draft.lines) {
    CHECK_FALSE(line.key.starts_with("environment"));
    CHECK_FALSE(line.key.starts_with("build"));
  }
}

TEST_CASE("a torch extension with CUDA says for which GPUs it compiles, or its matrix does") {
  ProjectFacts facts = project_named("ops");
  facts.setup_py = project::SetupPy{.imports = {"torch"},
                                    .extensions = true,
                                    .torch_extension = true,
                                    .cuda_extension = true,
                                    .ninja = true};
  facts.sources = {{"k.cu", {project::SourceMark::cuda}}};
  facts.torches = {{"2.14", {"3.11", "3.12"}}};
  facts.wanted_computes = {"cpu", "cuda/13.0"};
  CHECK(value_of(facts, "build.arch-list") == LineValue(Texts{"8.0", "9.0+PTX"}));
  facts.setup_py->gpu_architectures = true;
  CHECK(value_of(facts, "build.arch-list") == LineValue());
  facts.setup_py->gpu_architectures = false;
  facts.wanted_computes = {"cpu"};
  CHECK(value_of(facts, "build.arch-list") == LineValue());
}

TEST_CASE("a torch extension with CUDA in its workflows") {
  ProjectFacts facts = project_named("ops");
  facts.setup_py = project::SetupPy{.imports = {"torch", "numpy"},
                                    .environment = {"FORCE_CUDA"},
                                    .extensions = true,
                                    .torch_extension = true,
                                    .ninja = true};
  facts.sources = {{"k.cu", {project::SourceMark::cuda}}};
  facts.torches = {{"2.14", {"3.11", "3.12"}}, {"2.15", {"3.12"}}};
  CHECK(value_of(facts, "axes.python") == LineValue(Texts{"3.12"}));
  CHECK(value_of(facts, "axes.compute") == LineValue(Texts{"cpu"}));
  CHECK(value_of(facts, "environment.torch.index") ==
        LineValue(Entries{{"cpu", "https://download.pytorch.org/whl/cpu"}}));
  facts.wanted_computes = {"cuda/12.9"};
  CHECK(value_of(facts, "axes.compute") == LineValue(Texts{"cuda/12.9"}));
  CHECK(value_of(facts, "environment.torch.index") ==
        LineValue("https://download.pytorch.org/whl/{label}"));
  CHECK(value_of(facts, "environment.variables") == LineValue(Entries{{"FORCE_CUDA", "1"}}));
  facts.wanted_computes = {"cpu", "cuda/12.9"};
  CHECK(value_of(facts, "environment.variables") == LineValue());
  facts.wanted_computes.clear();
  facts.workflow.cudas = {"13.0"};
  CHECK(value_of(facts, "axes.compute") == LineValue(Texts{"cpu", "cuda/13.0"}));
  CHECK(value_of(facts, "environment.torch.index") ==
        LineValue("https://download.pytorch.org/whl/{label}"));
  CHECK(value_of(facts, "environment.tools") == LineValue(Texts{"ninja"}));
  CHECK(value_of(facts, "environment.pip") == LineValue(Texts{"numpy"}));
  CHECK(value_of(facts, "abi.torch") == LineValue("minor"));
  const std::vector<LeftOut> left_out = decide(facts).draft.left_out;
  REQUIRE(left_out.size() == 2);
  CHECK(left_out[0].why == "there are no builds of torch 2.14 and 2.15 for it");
  CHECK(left_out[1].why.find("FORCE_CUDA") != std::string::npos);
}

TEST_CASE("only what may be built for GPUs, or for a torch, has an axis of computes") {
  ProjectFacts facts = project_named("demo");
  facts.sources = {{"k.cc", {project::SourceMark::python_h}}};
  CHECK(value_of(facts, "axes.compute") == LineValue());
  facts.sources = {{"k.hip", {project::SourceMark::hip}}};
  CHECK(value_of(facts, "axes.compute") == LineValue(Texts{"cpu"}));
  facts.sources.clear();
  facts.cmake = project::CMakeLists{.languages = {"CXX", "CUDA"}};
  CHECK(value_of(facts, "axes.compute") == LineValue(Texts{"cpu"}));
  facts.cmake.reset();
  facts.setup_py = project::SetupPy{.torch_extension = true};
  facts.torches = {{"2.14", {"3.12"}}};
  CHECK(value_of(facts, "axes.compute") == LineValue(Texts{"cpu"}));
}

TEST_CASE("a project whose CMakeLists.txt always compiles CUDA has no build for CPUs") {
  ProjectFacts facts = project_named("demo");
  facts.cmake = project::CMakeLists{.languages = {"CXX", "CUDA"}, .needs_cuda = true};
  facts.sources = {{"k.cu", {project::SourceMark::cuda}}};
  CHECK(value_of(facts, "axes.compute") == LineValue(Texts{"cuda/13.0"}));
  facts.workflow.cudas = {"12.8", "13.1"};
  CHECK(value_of(facts, "axes.compute") == LineValue(Texts{"cuda/12.8", "cuda/13.1"}));
}

TEST_CASE("a project with a `CUDAExtension` alone has no build for CPUs") {
  ProjectFacts facts = project_named("demo");
  facts.setup_py = project::SetupPy{.environment = {"FORCE_CUDA"},
                                    .extensions = true,
                                    .torch_extension = true,
                                    .cuda_extension = true,
                                    .cuda_only = true};
  facts.torches = {{"2.14", {"3.12"}}};
  CHECK(value_of(facts, "axes.compute") == LineValue(Texts{"cuda/13.0"}));
  CHECK(value_of(facts, "environment.torch.index") ==
        LineValue("https://download.pytorch.org/whl/{label}"));
  CHECK(value_of(facts, "environment.variables") == LineValue(Entries{{"FORCE_CUDA", "1"}}));
  facts.workflow.cudas = {"12.8"};
  CHECK(value_of(facts, "axes.compute") == LineValue(Texts{"cuda/12.8"}));
}

TEST_CASE("wheels of an extension for torch require the torch that loads them") {
  ProjectFacts facts = project_named("demo");
  facts.torches = {{"2.14", {"3.12"}}};
  facts.pyproject->dependencies = {"torch"};
  CHECK(value_of(facts, "package.requires") == LineValue());
  facts.setup_py = project::SetupPy{.extensions = true, .torch_extension = true};
  CHECK(value_of(facts, "package.requires") == LineValue(Entries{{"torch", "auto"}}));
}

TEST_CASE("a release needs no edit: a directory is the target of each channel") {
  ProjectFacts facts = project_named("demo");
  for (const char* channel : {"ci", "test", "release"}) {
    CHECK(value_of(facts, fmt::format("channels.{}.publish", channel)) ==
          LineValue(Texts{"index"}));
  }
  CHECK(value_of(facts, "publish.require") == LineValue("loaded"));
  CHECK(value_of(facts, "publish.index") ==
        LineValue(Entries{{"kind", "directory"}, {"path", "../dist/index"}, {"label", "local"}}));
  const auto comment = [&facts] { return decide(facts).draft.lines.back().because; };
  CHECK(comment().find("\npypi: {kind: pypi}\n") != std::string::npos);
  facts.wanted_computes = {"cpu", "cuda/13.0"};
  facts.sources = {{"k.cu", {project::SourceMark::cuda}}};
  // Indexes for several computes are a choice.
  CHECK(value_of(facts, "publish.index") == LineValue());
  CHECK(value_of(facts, "channels.ci.publish") == LineValue());
  CHECK(comment().find("\nchannels: {ci: {publish: [index]}, ") != std::string::npos);
  CHECK(comment().find("\n  index: {kind: directory, path: ../dist/index, label: local}\n") !=
        std::string::npos);
  CHECK(comment().find("\n  pypi: {kind: pypi, default: cpu, others: name-suffix}\n") !=
        std::string::npos);
}

TEST_CASE("a limited API leaves the Pythons that have it") {
  ProjectFacts facts = project_named("demo");
  facts.pyproject->build_system = {{"scikit-build-core"}, "scikit_build_core.build", {}};
  facts.tools.scikit_build.base.py_api = "cp312";
  facts.pyproject->requires_python = ">=3.12";
  CHECK(value_of(facts, "axes.python") == LineValue(Texts{"3.12", "3.13", "3.14", "3.15"}));
  CHECK(value_of(facts, "abi.python") == LineValue("limited(3.12)"));
  facts.pyproject->build_system = {{"maturin"}, "maturin", {}};
  facts.pyproject->requires_python = ">=3.11";
  facts.cargo = {{.pyo3 = true, .pyo3_features = {"abi3-py312"}}};
  CHECK(value_of(facts, "axes.python") == LineValue(Texts{"3.12", "3.13", "3.14", "3.15"}));
  CHECK(decide(facts).draft.left_out.at(0).why == "older than the limited API of 3.12");
}

TEST_CASE("Pythons before the limited API get builds of their own where the project makes them") {
  ProjectFacts facts = project_named("demo");
  facts.pyproject->build_system = {{"scikit-build-core"}, "scikit_build_core.build", {}};
  facts.pyproject->requires_python = ">=3.11";
  facts.tools.scikit_build.base.py_api = "cp312";
  CHECK(value_of(facts, "axes.python") == LineValue(Texts{"3.11", "3.12", "3.13", "3.14", "3.15"}));
  CHECK(value_of(facts, "abi.python") == LineValue("limited(3.12) else version"));
  facts.wanted_pythons = {"3.11"};
  CHECK(value_of(facts, "abi.python") == LineValue("version"));
  facts.wanted_pythons = {"3.13", "3.14t"};
  CHECK(value_of(facts, "abi.python") == LineValue("limited(3.12) else version"));
  facts.wanted_pythons.clear();
  facts.pyproject->build_system = {{"setuptools"}, "setuptools.build_meta", {}};
  facts.tools.scikit_build = {};
  facts.setup_py = project::SetupPy{.extensions = true, .py_limited_api = "cp312"};
  CHECK(value_of(facts, "abi.python") == LineValue("limited(3.12)"));
  facts.setup_py->asked_python = "3.12";
  CHECK(value_of(facts, "abi.python") == LineValue("limited(3.12) else version"));
}

TEST_CASE("settings of cibuildwheel become a command") {
  ProjectFacts facts = project_named("demo");
  facts.cibuildwheel.options["config-settings"] = {{}, {{"a", "{b}"}}, "pyproject.toml"};
  CHECK(std::get<Texts>(value_of(facts, "build.command")).at(7) == "-Ca={{b}}");
  CHECK(value_of(facts, "environment.pip") == LineValue(Texts{"build"}));
}

TEST_CASE("a project with Rust says where its crates come from") {
  const auto left_out = [](const ProjectFacts& facts) {
    Texts what;
    for (const LeftOut& one : decide(facts).draft.left_out) what.push_back(one.what);
    return what;
  };
  ProjectFacts facts = project_named("demo");
  CHECK(left_out(facts).empty());
  facts.tools.setuptools_rust = true;
  CHECK(left_out(facts) == Texts{"Rust (Cargo.toml)"});
  CHECK(value_of(facts, "build.network") == LineValue(YesOrNo::yes));
  facts.tools.setuptools_rust = false;
  facts.pyproject->build_system.requires_ = {"setuptools", "setuptools_rust>=1.5"};
  CHECK(left_out(facts) == Texts{"Rust (Cargo.toml)"});
}

}  // namespace
}  // namespace pinwheel::init
