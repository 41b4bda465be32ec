#include "init/decide.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "init/from_cibuildwheel.h"
#include "init/identity.h"
#include "init/python_abi.h"
#include "init/pythons.h"
#include "init/system_libraries.h"
#include "init/torch_choice.h"

namespace pinwheel::init {
namespace {

using Texts = std::vector<std::string>;

constexpr std::string_view kMuslImage = "musllinux-x86_64-image";
constexpr std::string_view kUsualImage = "musllinux_1_2";

bool names_musl(const std::string& glob) {
  return glob.find("musllinux") != std::string::npos;
}

/// The options that name musl, "`build` (pyproject.toml)".
Texts options_for_musl(const ProjectFacts& facts) {
  Texts names;
  for (const auto& [name, value] : facts.cibuildwheel.options) {
    const bool named =
        name == "build" &&
        std::ranges::any_of(project::words_of_option(facts.cibuildwheel, name), names_musl);
    if (named || name.starts_with("musllinux-")) {
      names.push_back(fmt::format("{} ({})", quoted(name), value.file));
    }
  }
  return names;
}

bool skips_musl(const ProjectFacts& facts, const Texts& pythons) {
  const Texts globs = project::words_of_option(facts.cibuildwheel, "skip");
  return std::ranges::all_of(pythons, [&](const std::string& python) {
    const std::string id = "cp" + replace_all(python, ".", "") + "-musllinux_x86_64";
    return std::ranges::any_of(globs, [&](const auto& glob) { return glob_match(glob, id); });
  });
}

/// The full name of the image; a short name of cibuildwheel's refers to PyPA's image.
std::string musl_image(const ProjectFacts& facts) {
  std::string image(kUsualImage);
  const auto found = facts.cibuildwheel.options.find(std::string(kMuslImage));
  if (found != facts.cibuildwheel.options.end() && !found->second.items.empty()) {
    image = found->second.items[0];
  }
  return image.find('/') == std::string::npos ? fmt::format("quay.io/pypa/{}_x86_64", image)
                                              : image;
}

bool is_threaded(const std::string& python) {
  return python.ends_with('t');
}

/// Whether cibuildwheel's `enable` has the group, by its name or by `all`.
bool enables(const ProjectFacts& facts, std::string_view group) {
  return std::ranges::any_of(
      project::words_of_option(facts.cibuildwheel, "enable"),
      [&](const std::string& word) { return word == group || word == "all"; });
}

/// An implementation of Python that cibuildwheel builds for and pinwheel does not.
struct OtherPython {
  std::string_view name;
  std::string_view prefix;  ///< of its build identifiers
  std::array<std::string_view, 2> groups;
  std::array<std::string_view, 5> builds;  ///< identifiers without their platform
};
constexpr std::array kOtherPythons = {
    OtherPython{"PyPy", "pp", {"pypy", "pypy-eol"}, {"pp37", "pp38", "pp39", "pp310", "pp311"}},
    OtherPython{"GraalPy", "gp", {"graalpy"}, {"gp242", "gp311_242", "gp250", "gp312_250"}}};

/// Whether cibuildwheel builds `build` ("pp310") for Linux: `build` selects it, and `skip` does not
/// exclude it.
bool is_built(const ProjectFacts& facts, std::string_view build) {
  const auto selects_build = [&](const Texts& globs) {
    return std::ranges::any_of(globs, [&](const std::string& glob) {
      return glob_match(glob, std::string(build) + "-manylinux_x86_64") ||
             glob_match(glob, std::string(build) + "-manylinux_aarch64");
    });
  };
  const Texts globs = project::words_of_option(facts.cibuildwheel, "build");
  return (globs.empty() || selects_build(globs)) &&
         !selects_build(project::words_of_option(facts.cibuildwheel, "skip"));
}

/// The option that selects builds for the implementation: "build", "enable", or empty.
std::string option_for(const ProjectFacts& facts, const OtherPython& other) {
  Texts builds(other.builds.begin(), other.builds.end());
  bool named = false;
  for (const std::string& glob : project::words_of_option(facts.cibuildwheel, "build")) {
    if (!glob.starts_with(other.prefix) &&
        glob.find(fmt::format("{{{}", other.prefix)) == glob.npos) {
      continue;
    }
    named = true;
    builds.push_back(glob.substr(0, glob.find('-')));
  }
  const bool enabled = std::ranges::any_of(other.groups, [&](std::string_view group) {
    return !group.empty() && enables(facts, group);
  });
  const bool built = std::ranges::any_of(
      builds, [&](const std::string& build) { return !build.empty() && is_built(facts, build); });
  if (!built || (!named && !enabled)) return {};
  return named ? "build" : "enable";
}

std::string by_option(const ProjectFacts& facts, const std::string& option) {
  return fmt::format("by cibuildwheel's {} ({})", quoted(option),
                     facts.cibuildwheel.options.at(option).file);
}

}  // namespace

std::vector<LeftOut> other_pythons(const ProjectFacts& facts) {
  std::vector<LeftOut> left_out;
  for (const OtherPython& other : kOtherPythons) {
    const std::string option = option_for(facts, other);
    if (option.empty()) continue;
    left_out.push_back({fmt::format("wheels for {}, {}", other.name, by_option(facts, option)),
                        "pinwheel builds for CPython"});
  }
  const Texts builds = project::words_of_option(facts.cibuildwheel, "build");
  if (std::ranges::any_of(builds,
                          [](const auto& glob) { return glob.find("pyodide") != glob.npos; })) {
    left_out.push_back(
        {"wheels for Pyodide, " + by_option(facts, "build"), "pinwheel builds for Linux"});
  }
  if (enables(facts, "cpython-prerelease")) {
    left_out.push_back({"pre-releases of CPython, " + by_option(facts, "enable"),
                        "`axes.python` takes them by their version, such as `3.16`"});
  }
  return left_out;
}

std::vector<LeftOut> musl_builds(const ProjectFacts& facts, const Texts& pythons) {
  const Texts options = options_for_musl(facts);
  if (options.empty() || skips_musl(facts, pythons)) return {};
  const std::string what = "wheels for musl, by cibuildwheel's " + join(options, ", ");
  if (!choose_torch(facts).needed_because.empty()) return {{what, "torch has no builds for musl"}};
  return {{what, fmt::format("built only in containers, by `--engine docker` or `podman`; these "
                             "lines make them, too:\n"
                             "axes:\n"
                             "  libc: [glibc, musl]\n"
                             "overrides:\n"
                             "  - when: {{libc: musl}}\n"
                             "    environment: {{container: {{base: {}}}}}",
                             musl_image(facts))}};
}

std::vector<LeftOut> threaded_builds(const ProjectFacts& facts, const Texts& named,
                                     const Texts& pythons) {
  Texts missing;
  for (const std::string& python : named) {
    if (is_threaded(python) && std::ranges::find(pythons, python) == pythons.end()) {
      missing.push_back(python);
    }
  }
  if (!missing.empty()) {
    return {{"free-threaded Pythons that the project names: " + quoted_list(missing),
             "they have no limited API, and not every torch; if the project builds for them, write "
             "them into `axes.python`, and `python: limited(X.Y) else version` into `abi`"}};
  }
  if (!enables(facts, "cpython-freethreading") || std::ranges::any_of(pythons, is_threaded)) {
    return {};
  }
  return {
      {fmt::format("cibuildwheel's `enable` ({})", facts.cibuildwheel.options.at("enable").file),
       "free-threaded Pythons are values of `axes.python`, `3.13t` and `3.14t`, with "
       "`environment: {python: auto}`"}};
}

std::vector<MatrixLine> threaded_lines(const Texts& pythons) {
  const auto found = std::ranges::find_if(pythons, is_threaded);
  if (found == pythons.end()) return {};
  return {{"environment.python", "auto",
           fmt::format("few machines have {}: a run fetches it", *found)}};
}

namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

constexpr const char* kTarget = "index";

/// The keys of PyPI and TestPyPI, which reject labels: there the names distinguish the variants.
std::string keys_of_index(const std::string& kind, const Texts& computes) {
  if (computes.size() < 2) return fmt::format("{0}: {{kind: {0}}}", kind);
  return fmt::format("{0}: {{kind: {0}, default: {1}, others: name-suffix}}", kind, computes[0]);
}

std::string other_targets(const std::string& indent, const Texts& computes, const Texts& torches) {
  std::string text =
      fmt::format("{0}Other targets, which `channels` can name:\n{0}{1}\n{0}{2}", indent,
                  keys_of_index("pypi", computes), keys_of_index("testpypi", computes));
  if (torches.size() > 1) {
    text += "\n" + indent +
            "They take no labels: one name there has wheels for one value of `axes.torch`.";
  }
  return text;
}

/// The index of a wheel for each compute: it accepts their labels, or each compute has its own
/// name.
std::string choice_of_index(const ProjectFacts& facts, const Texts& computes,
                            const Texts& torches) {
  return fmt::format(
      "Releases need an index, and you must choose one. A directory accepts all labels of wheels, "
      "and\npip can use it as an index:\n"
      "channels: {{ci: {{publish: [{0}]}}, test: {{publish: [{0}]}}, release: {{publish: "
      "[{0}]}}}}\n"
      "publish:\n"
      "  require: loaded\n"
      "  {0}: {{kind: directory, path: {1}, label: local}}\n"
      "{2}",
      kTarget, facts.published, other_targets("  ", computes, torches));
}

/// `channels` and `publish`. Without the axis `compute`, the first release needs no edit: a
/// directory is the target of every commit and tag, and other indexes are comments. With it, all
/// lines are comments, because the project must choose: an index accepts labels or needs a name for
/// each compute. `computes` and `torches` are the values of these axes, none without the axis.
std::vector<MatrixLine> publication_lines(const ProjectFacts& facts, const Texts& computes,
                                          const Texts& torches) {
  if (!computes.empty()) return {{"publish", {}, choice_of_index(facts, computes, torches)}};
  const Texts targets = {kTarget};
  return {
      {"channels.ci.publish", targets, "commits without a tag"},
      {"channels.test.publish", targets, "tags of pre-releases"},
      {"channels.release.publish", targets, "tags of releases"},
      {"publish.require", "loaded", "an import shows this; use `ran` if `test.command` runs tests"},
      {fmt::format("publish.{}", kTarget),
       Entries{{"kind", "directory"}, {"path", facts.published}, {"label", "local"}},
       "pip can use this directory as an index"},
      {"publish", {}, other_targets({}, computes, torches)}};
}

using project::SourceMark;

constexpr const char* kTorchIndex = "https://download.pytorch.org/whl";

void append(MatrixDraft& draft, std::vector<LeftOut> left_out) {
  draft.left_out.insert(draft.left_out.end(), left_out.begin(), left_out.end());
}

bool has_cuda_in_cmake(const ProjectFacts& facts) {
  return facts.cmake &&
         std::ranges::find(facts.cmake->languages, "CUDA") != facts.cmake->languages.end();
}

/// Whether builds may differ by the GPUs that they are for.
bool has_gpu_code(const ProjectFacts& facts) {
  return source_with(facts, SourceMark::cuda) != nullptr ||
         source_with(facts, SourceMark::hip) != nullptr || has_cuda_in_cmake(facts) ||
         (facts.setup_py && facts.setup_py->cuda_only);
}

/// Why nothing can be built without CUDA; empty if something can.
std::string needs_cuda_because(const ProjectFacts& facts) {
  if (facts.cmake && facts.cmake->needs_cuda) {
    return "CUDA is a language of `project` in CMakeLists.txt";
  }
  if (facts.setup_py && facts.setup_py->cuda_only) return "setup.py has a `CUDAExtension` alone";
  return {};
}

/// The compute axis, and the reason for its values.
MatrixLine compute_line(const ProjectFacts& facts) {
  if (!facts.wanted_computes.empty()) {
    return {"axes.compute", facts.wanted_computes, "`--compute`"};
  }
  Texts compute = {"cpu"};
  const project::ScannedSource* const cuda = source_with(facts, SourceMark::cuda);
  const std::string needed = needs_cuda_because(facts);
  if (cuda == nullptr && needed.empty() && !has_cuda_in_cmake(facts)) {
    const project::ScannedSource* const hip = source_with(facts, SourceMark::hip);
    if (hip == nullptr) return {"axes.compute", compute, "no sources for GPUs"};
    return {"axes.compute", compute,
            fmt::format("for {}, add `rocm/7.1` or the version that you need", quoted(hip->path))};
  }
  const std::string shown = quoted(cuda == nullptr ? "CMakeLists.txt" : cuda->path);
  if (!needed.empty()) compute.clear();
  for (const std::string& version : facts.workflow.cudas) compute.push_back("cuda/" + version);
  if (compute.empty()) {
    return {"axes.compute", Texts{"cuda/13.0"}, needed + "; write the version that you need"};
  }
  if (!facts.workflow.cudas.empty()) {
    return {"axes.compute", compute,
            fmt::format("{}, and CUDA of the workflows' matrix", needed.empty() ? shown : needed)};
  }
  return {"axes.compute", compute,
          fmt::format("for {}, add `cuda/13.0` or the version that you need", shown)};
}

/// The values of the compute axis; none if the matrix has no such axis.
Texts computes_of(const ProjectFacts& facts, const TorchChoice& torch) {
  // Without the axis, versions have no label `+cpu`, which would be redundant and which PyPI
  // rejects.
  if (torch.needed_because.empty() && !has_gpu_code(facts)) return {};
  return std::get<Texts>(compute_line(facts).value);
}

void add_axes(const ProjectFacts& facts, const PythonChoice& pythons, const TorchChoice& torch,
              MatrixDraft& draft) {
  draft.lines.push_back({"axes.python", pythons.values, pythons.because});
  if (!computes_of(facts, torch).empty()) draft.lines.push_back(compute_line(facts));
  if (torch.needed_because.empty()) return;
  draft.lines.push_back({"axes.torch", torch.releases,
                         fmt::format("{}; {}", torch.needed_because, torch.releases_because)});
}

void add_abi(const PythonAbiChoice& python, const TorchChoice& torch, MatrixDraft& draft) {
  draft.lines.push_back({"abi.python", python.value, python.because});
  if (torch.needed_because.empty()) return;
  draft.lines.push_back({"abi.torch", torch.abi, torch.abi_because});
}

/// Packages that setup.py imports and that are missing from the build requirements.
Texts imported_packages(const ProjectFacts& facts) {
  struct Module {
    std::string_view name;
    std::string_view package;
  };
  constexpr std::array kModules = {Module{"numpy", "numpy"},
                                   Module{"Cython", "Cython"},
                                   Module{"pybind11", "pybind11"},
                                   Module{"cffi", "cffi"},
                                   Module{"skbuild", "scikit-build"},
                                   Module{"setuptools_rust", "setuptools-rust"},
                                   Module{"setuptools_scm", "setuptools-scm"},
                                   Module{"pkgconfig", "pkgconfig"},
                                   Module{"nanobind", "nanobind"},
                                   Module{"packaging", "packaging"},
                                   Module{"mypyc", "mypy"},
                                   Module{"jinja2", "jinja2"},
                                   Module{"yaml", "pyyaml"},
                                   Module{"wheel", "wheel"}};
  Texts packages;
  if (!facts.setup_py || backend(facts) != project::Backend::setuptools) return packages;
  for (const Module& module : kModules) {
    const Texts& imports = facts.setup_py->imports;
    const std::string package(module.package);
    const bool imported = std::ranges::find(imports, module.name) != imports.end();
    const bool own = std::ranges::find(facts.top_level, module.name) != facts.top_level.end();
    if (imported && !own && requirements_on(build_requires(facts), package).empty()) {
      packages.push_back(package);
    }
  }
  return packages;
}

void add_packages(const ProjectFacts& facts, const FromCibuildwheel& cibw, MatrixDraft& draft) {
  if (facts.setup_py && facts.setup_py->ninja) {
    draft.lines.push_back(
        {"environment.tools", Texts{"ninja"}, "torch's extensions compile in parallel with it"});
  }
  Texts packages = imported_packages(facts);
  Texts reasons;
  if (!packages.empty())
    reasons.emplace_back("setup.py imports it, and no build requirement says so");
  if (!cibw.build_requires.empty()) {
    packages.insert(packages.end(), cibw.build_requires.begin(), cibw.build_requires.end());
    reasons.push_back(fmt::format("cibuildwheel's `before-build` ({})", cibw.build_requires_from));
  }
  if (!cibw.config_settings.empty()) {
    packages.emplace_back("build");
    reasons.emplace_back("for `build.command`");
  }
  if (packages.empty()) return;
  draft.lines.push_back({"environment.pip", packages, join(reasons, "; ")});
}

/// Whether setup.py reads `FORCE_CUDA`, and everything is built for CUDA. Without a GPU and without
/// the variable, such a project omits its CUDA code.
bool forces_cuda(const ProjectFacts& facts) {
  const Texts computes = std::get<Texts>(compute_line(facts).value);
  const Texts& read = facts.setup_py ? facts.setup_py->environment : Texts{};
  return std::ranges::find(read, "FORCE_CUDA") != read.end() &&
         std::ranges::all_of(computes, [](const auto& each) { return each.starts_with("cuda/"); });
}

void add_variables(const ProjectFacts& facts, const FromCibuildwheel& cibw, MatrixDraft& draft) {
  Entries variables = cibw.variables;
  Texts reasons;
  if (!variables.empty()) {
    reasons.push_back(fmt::format("cibuildwheel's `environment` ({})", cibw.variables_from));
  }
  if (forces_cuda(facts)) {
    variables.emplace_back("FORCE_CUDA", "1");
    reasons.emplace_back("setup.py compiles for CUDA where there is no GPU");
  }
  if (variables.empty()) return;
  draft.lines.push_back({"environment.variables", variables, join(reasons, "; ")});
}

void add_environment(const ProjectFacts& facts, const PythonChoice& pythons,
                     const TorchChoice& torch, const FromCibuildwheel& cibw, MatrixDraft& draft) {
  for (MatrixLine& line : threaded_lines(pythons.values)) draft.lines.push_back(std::move(line));
  if (!cibw.image.empty()) {
    draft.lines.push_back(
        {"environment.container.base", cibw.image,
         fmt::format("with `--engine docker`: cibuildwheel's image ({})", cibw.image_from)});
  }
  add_packages(facts, cibw, draft);
  if (!torch.needed_because.empty()) {
    const MatrixLine compute = compute_line(facts);
    const bool cuda = std::get<Texts>(compute.value).back() != "cpu";
    draft.lines.push_back({"environment.torch.spec", "torch~={torch}.0", ""});
    draft.lines.push_back({"environment.torch.index",
                           cuda ? LineValue(fmt::format("{}/{{label}}", kTorchIndex))
                                : LineValue(Entries{{"cpu", fmt::format("{}/cpu", kTorchIndex)}}),
                           "its wheels for each compute"});
  }
  add_variables(facts, cibw, draft);
}

/// Braces in a value are not placeholders.
std::string escaped(const std::string& text) {
  return replace_all(replace_all(text, "{", "{{"), "}", "}}");
}

void add_repair(const FromCibuildwheel& cibw, MatrixDraft& draft) {
  const std::string from =
      fmt::format("cibuildwheel's `repair-wheel-command` ({})", cibw.repair_from);
  if (cibw.repairs_nothing) draft.lines.push_back({"build.repair", "none", from + " is empty"});
  if (!cibw.external.empty()) {
    draft.lines.push_back({"build.external", cibw.external, from + " excludes them"});
  }
}

/// Without a list, torch compiles for the GPUs of the machine, and for none if there is no GPU.
void add_architectures(const ProjectFacts& facts, MatrixDraft& draft) {
  if (!facts.setup_py || !facts.setup_py->cuda_extension) return;
  const MatrixLine compute = compute_line(facts);
  const bool cuda = std::ranges::any_of(std::get<Texts>(compute.value),
                                        [](const auto& each) { return each.starts_with("cuda/"); });
  if (!cuda || facts.setup_py->gpu_architectures) return;
  draft.lines.push_back({"build.arch-list", Texts{"8.0", "9.0+PTX"},
                         "the GPUs to compile for, and with +PTX the newer ones"});
}

void add_command(const FromCibuildwheel& cibw, MatrixDraft& draft) {
  if (cibw.config_settings.empty()) return;
  Texts command = {"python", "-m", "build", "--wheel", "--no-isolation", "--outdir", "{dest_dir}"};
  for (const auto& [key, value] : cibw.config_settings) {
    command.push_back(fmt::format("-C{}={}", escaped(key), escaped(value)));
  }
  command.emplace_back("{package}");
  draft.lines.push_back({"build.command", command,
                         fmt::format("the default with cibuildwheel's `config-settings` ({})",
                                     cibw.config_settings_from)});
}

void add_test(const ProjectFacts& facts, const FromCibuildwheel& cibw, MatrixDraft& draft) {
  if (!cibw.test_requires.empty()) {
    draft.lines.push_back({"test.pip", cibw.test_requires,
                           fmt::format("cibuildwheel ({})", cibw.test_requires_from)});
  }
  if (!cibw.test_command.empty()) {
    draft.lines.push_back({"test.command", cibw.test_command,
                           fmt::format("cibuildwheel ({})", cibw.test_command_from)});
    return;
  }
  for (const std::string name : {"tests", "test"}) {
    if (std::ranges::find(facts.top_level, name) == facts.top_level.end()) continue;
    draft.lines.push_back({"test",
                           {},
                           fmt::format("Tests import the package. To run {}:\n"
                                       "test:\n"
                                       "  pip: [pytest]\n"
                                       "  command: [python, -m, pytest, \"{{package}}/{}\"]",
                                       quoted(name + "/"), name)});
    return;
  }
  draft.lines.push_back({"test", {}, "Tests import the package; `test.command` runs more."});
}

bool takes_rust(const ProjectFacts& facts) {
  return backend(facts) == project::Backend::maturin || facts.tools.setuptools_rust ||
         !requirements_on(build_requires(facts), "setuptools-rust").empty();
}

/// The settings that setup.py reads from its environment.
std::vector<LeftOut> variables_of_setup(const ProjectFacts& facts) {
  if (!facts.setup_py) return {};
  Texts variables = facts.setup_py->environment;
  std::erase_if(variables, [](const std::string& name) {
    constexpr std::array<std::string_view, 11> kUsual = {"PATH",
                                                         "HOME",
                                                         "CC",
                                                         "CXX",
                                                         "CFLAGS",
                                                         "CXXFLAGS",
                                                         "LDFLAGS",
                                                         "READTHEDOCS",
                                                         "CUDA_HOME",
                                                         "CIBUILDWHEEL",
                                                         "SETUPTOOLS_USE_DISTUTILS"};
    const bool computed =
        std::ranges::any_of(name, [](char c) { return c != '_' && !is_alphanumeric(c); });
    return computed || std::ranges::find(kUsual, name) != kUsual.end();
  });
  if (forces_cuda(facts)) std::erase(variables, "FORCE_CUDA");
  if (variables.empty()) return {};
  const bool force = std::ranges::find(variables, "FORCE_CUDA") != variables.end();
  return {{fmt::format("variables that setup.py reads: {}", quoted_list(variables)),
           force ? "`environment.variables` sets them; without a GPU, CUDA builds need "
                   "`FORCE_CUDA: \"1\"`, for which an override with `when: {compute: \"cuda/*\"}` "
                   "is the place"
                 : "`environment.variables` sets them"}};
}

}  // namespace

Decision decide(const ProjectFacts& facts, const std::optional<Proof>& proof) {
  Identity identity = choose_identity(facts);
  TorchChoice torch = choose_torch(facts);
  if (proof) torch = with_proven_abi(facts, std::move(torch), *proof);
  const PythonChoice named = choose_pythons(facts);
  PythonChoice pythons = with_torch(named, facts.torches, torch.releases);
  PythonAbiChoice abi = choose_python_abi(facts, pythons.values);
  if (proof) {
    const PythonAbiChoice::OwnBuilds own = abi.own;
    abi = proof->python;
    abi.own = own;
  }
  if (!abi.limit.empty()) {
    pythons = with_limited_api(std::move(pythons), abi.limit, abi.own);
    abi = with_own_builds(std::move(abi), pythons.values);
  }
  const FromCibuildwheel cibw = translate_cibuildwheel(facts, pythons.values);
  Decision decision{std::move(identity.name), {std::move(identity.lines), {}}};
  if (proof) decision.draft.proven_by = proof->wheel;
  MatrixDraft& draft = decision.draft;
  if (torch.abi != "none") {
    draft.lines.push_back({"package.requires", Entries{{"torch", "auto"}},
                           "wheels require the torch that loads them"});
  }
  add_axes(facts, pythons, torch, draft);
  add_abi(abi, torch, draft);
  add_environment(facts, pythons, torch, cibw, draft);
  add_architectures(facts, draft);
  add_command(cibw, draft);
  add_repair(cibw, draft);
  if (takes_rust(facts)) {
    draft.lines.push_back({"build.network", YesOrNo::yes, "crates come from their registry"});
  }
  add_test(facts, cibw, draft);
  for (MatrixLine& line : publication_lines(facts, computes_of(facts, torch), torch.releases)) {
    draft.lines.push_back(std::move(line));
  }
  append(draft, std::move(identity.left_out));
  append(draft, pythons.left_out);
  append(draft, abi.left_out);
  append(draft, torch.left_out);
  append(draft, system_libraries(facts));
  append(draft, variables_of_setup(facts));
  if (takes_rust(facts)) {
    draft.left_out.push_back(
        {"Rust (Cargo.toml)", "builds take `cargo` from PATH, and crates from their registry"});
  }
  append(draft, musl_builds(facts, pythons.values));
  append(draft, threaded_builds(facts, named.values, pythons.values));
  append(draft, other_pythons(facts));
  append(draft, cibw.left_out);
  append(draft, facts.unread);
  return decision;
}

}  // namespace pinwheel::init
