#include "matrix/settings.h"

#include "unit/matrix/parsed.h"

using namespace pinwheel;
using namespace pinwheel::matrix;
using testing::parsed;
using testing::value_of;

namespace {

using Names = std::vector<std::string>;

Settings settings(const std::string& body, const std::string& id) {
  const Matrix matrix = parsed(body);
  return value_of(settings_for(matrix, testing::variant_named(value_of(expand(matrix)), id)));
}

const std::string kSettingsBody =
    "axes: {python: ['3.11'], compute: [cpu, cuda/13.0], torch: ['2.13', nightly]}\n"
    "environment:\n"
    "  tools: ['cmake>=3.26']\n"
    "  pip: [build]\n"
    "  torch:\n"
    "    spec: {default: 'torch~={torch}.0', nightly: '--pre torch'}\n"
    "    index: {'cuda/*': 'https://example.org/{label}'}\n"
    "  toolkit: pypi\n"
    "  python: auto\n"
    "  variables: {TORCH: '{torch}'}\n"
    "build:\n"
    "  command: [make, '{dest_dir}', 'CUDA={compute.version}', '{{raw}}']\n"
    "  arch-list: ['9.0']\n"
    "  memory-per-job: 4 GiB\n"
    "  timeout: 90 min\n"
    "  checkpoint: {before: 5 min}\n"
    "  retry: {transient: 2, backoff: 1s..1m}\n"
    "checks:\n"
    "  before: [compiler, {header: a.h}]\n"
    "  after: [{size: 10 MB}, {operators: ['a::b', 'a::c']}]\n"
    "  accept: [torch-requirement]\n"
    "test:\n"
    "  pip: [pytest]\n"
    "  command: [pytest, '{package}/tests']\n"
    "  hardware: {'cuda/*': gpu}\n"
    "  without-gpu: [pytest, '{package}/tests', '{torch}']\n"
    "  timeout: 5 min\n"
    "overrides:\n"
    "  - when: {compute: 'cuda/*'}\n"
    "    build: {+arch-list: ['10.0']}\n"
    "    checks: {+before: [toolkit]}\n"
    "    environment: {variables: {EXTRA: x}}\n"
    "  - when: {torch: nightly}\n"
    "    build: {arch-list: ['12.0+PTX'], timeout: 2 h}\n";

}  // namespace

TEST_CASE("settings apply to one variant: values selected, templates expanded") {
  const Settings cuda = settings(kSettingsBody, "cp311-cu130-torch2.13");
  CHECK(cuda.environment.tools == Names{"cmake>=3.26"});
  CHECK(cuda.environment.pip == Names{"build"});
  CHECK(cuda.environment.torch == TorchSettings{"torch~=2.13.0", "https://example.org/cu130"});
  CHECK(cuda.environment.toolkit == ToolkitFrom::pypi);
  CHECK(cuda.environment.python == PythonFrom::automatic);
  CHECK(cuda.environment.variables ==
        std::map<std::string, std::string>{{"TORCH", "2.13"}, {"EXTRA", "x"}});
  CHECK(cuda.build.command == Names{"make", "{dest_dir}", "CUDA=13.0", "{{raw}}"});
  CHECK(cuda.build.memory_per_job == 4ULL << 30);
  CHECK(cuda.build.timeout == std::chrono::minutes(90));
  CHECK(cuda.build.checkpoint ==
        CheckpointSettings{std::chrono::minutes(30), std::chrono::minutes(5)});
  CHECK(cuda.build.retry.transient == 2);
  CHECK(cuda.build.retry.backoff_min == std::chrono::seconds(1));
  CHECK(cuda.build.retry.backoff_max == std::chrono::minutes(1));
  CHECK(cuda.test.pip == Names{"pytest"});
  CHECK(cuda.test.command == Names{"pytest", "{package}/tests"});
  CHECK(cuda.test.hardware == Hardware::gpu);
  CHECK(cuda.test.without_gpu == Names{"pytest", "{package}/tests", "2.13"});
  CHECK(cuda.test.timeout == std::chrono::minutes(5));

  const Settings cpu = settings(kSettingsBody, "cp311-cpu-torchnightly");
  CHECK(cpu.environment.torch == TorchSettings{"--pre torch", ""});
  CHECK(cpu.test.hardware == Hardware::none);
}

TEST_CASE("containers, mirrors and image tests are read, templates expanded") {
  const Settings read = settings(
      "axes: {python: ['3.11'], compute: [cpu]}\n"
      "environment:\n"
      "  container: {dockerfile: b.Dockerfile, target: {cpu: base, default: other}, base: 'x:1'}\n"
      "  mirrors: {'debian:*': 'm/{compute}', '*': last}\n"
      "test:\n"
      "  images: [debian:bookworm, 'img:{python}']\n"
      "  python: provided\n"
      "  dockerfile: {default: t.Dockerfile}\n"
      "  arguments: {PYTHON_SOURCE: 'https://example.org/{python}'}\n",
      "cp311-cpu");
  CHECK(read.environment.container.dockerfile == "b.Dockerfile");
  CHECK(read.environment.container.base == "x:1");
  CHECK(read.environment.container.target == "base");
  CHECK(read.environment.mirrors ==
        std::vector<std::pair<std::string, std::string>>{{"debian:*", "m/cpu"}, {"*", "last"}});
  CHECK(read.test.images.names == Names{"debian:bookworm", "img:3.11"});
  CHECK(read.test.images.python == TestPython::provided);
  CHECK(read.test.images.dockerfile == "t.Dockerfile");
  CHECK(read.test.images.arguments.at("PYTHON_SOURCE") == "https://example.org/3.11");
  const Settings none = settings("axes: {python: ['3.11'], compute: [cpu]}\n", "cp311-cpu");
  CHECK(none.test.images.names.empty());
  CHECK(none.test.images.python == TestPython::image);
}

TEST_CASE("a toolkit from PyPI may have more parts, and other packages") {
  const std::string start =
      "axes: {python: ['3.11'], compute: [cuda/13.0]}\nenvironment: {toolkit: ";
  const auto read = [&start](const std::string& toolkit) {
    return settings(start + toolkit + "}\n", "cp311-cu130").environment;
  };
  CHECK(read("pypi").toolkit_packages.empty());
  const EnvironmentSettings more = read("{pypi: [nvtx, cublas, 'nvidia-cudnn-cu{python.nodot}']}");
  CHECK(more.toolkit == ToolkitFrom::pypi);
  CHECK(more.toolkit_packages == Names{"cublas", "nvidia-cudnn-cu311", "nvtx"});
  const Matrix matrix = parsed(start + "{pypi: [cubla]}}\n");
  const auto unknown =
      settings_for(matrix, testing::variant_named(value_of(expand(matrix)), "cp311-cu130"));
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().message == "PyPI's CUDA toolkit has no part `cubla`");
  CHECK(unknown.error().hint == "did you mean `cublas`?");
  CHECK(unknown.error().at);
}

TEST_CASE("a build has no network unless the matrix allows it") {
  const std::string axes = "axes: {python: ['3.11']}\n";
  CHECK(settings(axes, "cp311").build.network == BuildNetwork::none);
  CHECK(settings(axes + "build: {network: false}\n", "cp311").build.network == BuildNetwork::none);
  CHECK(settings(axes + "build: {network: true}\n", "cp311").build.network == BuildNetwork::whole);
}

TEST_CASE("the mode of repair is auto, none or a command") {
  const std::string axes = "axes: {python: ['3.11']}\nbuild: {repair: ";
  CHECK(settings("axes: {python: ['3.11']}\n", "cp311").build.repair == RepairSettings{});
  CHECK(settings(axes + "auto}\n", "cp311").build.repair == RepairSettings{});
  CHECK(settings(axes + "none}\n", "cp311").build.repair == RepairSettings{RepairMode::none});
  CHECK(settings(axes + "[fix, '{python}', '{wheel}', '{dest_dir}']}\n", "cp311").build.repair ==
        RepairSettings{RepairMode::command, {"fix", "3.11", "{wheel}", "{dest_dir}"}});
  const Matrix matrix = parsed(axes + "auditwheel}\n");
  const Result<Settings> refused =
      settings_for(matrix, testing::variant_named(value_of(expand(matrix)), "cp311"));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "`build.repair` cannot be `auditwheel`");
}

TEST_CASE("secrets are names of variables, once each") {
  const std::string axes = "axes: {python: ['3.11']}\n";
  CHECK(settings(axes, "cp311").environment.secrets.empty());
  const std::string body =
      axes +
      "environment: {secrets: [ONE_TOKEN]}\n"
      "overrides: [{when: {python: '3.11'}, environment: {+secrets: [TWO, ONE_TOKEN]}}]\n";
  CHECK(settings(body, "cp311").environment.secrets == Names{"ONE_TOKEN", "TWO"});
  for (const auto& [environment, message] :
       {std::pair{"{secrets: [PATH]}", "the secret `PATH` is set by pinwheel itself"},
        {"{secrets: ['a b']}", "the secret `a b` is not the name of a variable"},
        {"{secrets: [1A]}", "the secret `1A` is not the name of a variable"},
        {"{secrets: [PINWHEEL_TOKEN_PYPI]}",
         "the secret `PINWHEEL_TOKEN_PYPI` is for pinwheel, not for builds"},
        {"{secrets: [DOCKER_AUTH]}",
         "the secret `DOCKER_AUTH` is read by container engines themselves"},
        {"{secrets: [KEY], variables: {KEY: x}}",
         "the secret `KEY` has a value in `environment.variables`, which is not secret"}}) {
    const Matrix matrix = parsed(axes + "environment: " + environment + "\n");
    const Result<Settings> refused =
        settings_for(matrix, testing::variant_named(value_of(expand(matrix)), "cp311"));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::config);
    CHECK(refused.error().message == message);
    CHECK(refused.error().at->line > 0);
  }
}

TEST_CASE("overrides apply in order, the later wins") {
  CHECK(settings(kSettingsBody, "cp311-cpu-torch2.13").build.timeout == std::chrono::minutes(90));
  CHECK(settings(kSettingsBody, "cp311-cu130-torch2.13").build.arch_list == Names{"9.0", "10.0"});
  const Settings nightly = settings(kSettingsBody, "cp311-cu130-torchnightly");
  CHECK(nightly.build.arch_list == Names{"12.0+PTX"});
  CHECK(nightly.build.timeout == std::chrono::hours(2));
}

TEST_CASE("architectures are those of a variant with a GPU") {
  const std::string body =
      "axes: {python: ['3.11'], compute: [cpu, cuda/13.0, rocm/6.4]}\n"
      "build: {arch-list: ['9.0']}\n";
  CHECK(settings(body, "cp311-cpu").build.arch_list.empty());
  CHECK(settings(body, "cp311-cu130").build.arch_list == Names{"9.0"});
  const Matrix matrix = parsed(body);
  const Result<Settings> of_amd =
      settings_for(matrix, testing::variant_named(value_of(expand(matrix)), "cp311-rocm6.4"));
  REQUIRE_FALSE(of_amd);
  CHECK(of_amd.error().message ==
        "`9.0` is an architecture of NVIDIA, which `rocm` has no code for");
  CHECK(of_amd.error().at->line == 4);
  const std::string amd =
      body + "overrides: [{when: {compute: 'rocm/*'}, build: {arch-list: [gfx942]}}]\n";
  CHECK(settings(amd, "cp311-rocm6.4").build.arch_list == Names{"gfx942"});
  const std::string plain = "axes: {python: ['3.11']}\nbuild: {arch-list: ['9.0']}\n";
  CHECK(settings(plain, "cp311").build.arch_list == Names{"9.0"});
}

TEST_CASE("findings are accepted by the name of their rule, which is not required as well") {
  CHECK(settings(kSettingsBody, "cp311-cpu-torch2.13").checks.accept == Names{"torch-requirement"});
  const Matrix matrix =
      parsed("axes: {python: ['3.11']}\nchecks: {after: [relro], accept: [relro]}\n");
  const Result<Settings> refused =
      settings_for(matrix, testing::variant_named(value_of(expand(matrix)), "cp311"));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "`checks` both requires and accepts `relro`");
  CHECK(refused.error().at->line > 0);
}

TEST_CASE("checks keep their order and their arguments") {
  const CheckSettings checks = settings(kSettingsBody, "cp311-cu130-torch2.13").checks;
  REQUIRE(checks.before.size() == 3);
  CHECK(checks.before[0].rule == "compiler");
  CHECK(checks.before[0].arguments.empty());
  CHECK(checks.before[1].rule == "header");
  CHECK(checks.before[1].arguments == Names{"a.h"});
  CHECK(checks.before[2].rule == "toolkit");
  REQUIRE(checks.after.size() == 2);
  CHECK(checks.after[0].rule == "size");
  CHECK(checks.after[0].arguments == Names{"10 MB"});
  CHECK(checks.after[1].arguments == Names{"a::b", "a::c"});
}

TEST_CASE("libraries that others provide may depend on the variant") {
  const std::string axes = "axes: {python: ['3.11']}\nbuild: {external: ";
  CHECK(settings("axes: {python: ['3.11']}\n", "cp311").build.external.empty());
  CHECK(settings(axes + "['libodbc.so.*', 'libpy{python}.so']}\n", "cp311").build.external ==
        Names{"libodbc.so.*", "libpy3.11.so"});
}

TEST_CASE("a matrix without sections has the default settings") {
  const Settings plain = settings("axes: {python: ['3.11']}\n", "cp311");
  CHECK(plain.environment.toolkit == ToolkitFrom::automatic);
  CHECK(plain.environment.python == PythonFrom::found);
  CHECK(plain.environment.torch == TorchSettings{});
  CHECK(plain.build.command.front() == "python");
  CHECK(plain.build.timeout == std::chrono::hours(3));
  CHECK_FALSE(plain.build.checkpoint);
  CHECK(plain.build.retry.transient == 4);
  CHECK(plain.checks.before.empty());
  CHECK(plain.test.hardware == Hardware::none);
  CHECK(plain.test.without_gpu.empty());
}

TEST_CASE("only a build for several architectures of CUDA can be split") {
  const std::string axes = "axes: {python: ['3.11'], compute: [cpu, cuda/13.0, rocm/6.4]}\n";
  const auto outcome = [&axes](const std::string& build, const std::string& id) {
    const Matrix matrix = parsed(axes + build);
    return settings_for(matrix, testing::variant_named(value_of(expand(matrix)), id));
  };
  const std::string both = "build: {split: architectures, arch-list: ['8.0', '9.0+PTX']}\n";
  CHECK(value_of(outcome(both, "cp311-cu130")).build.split == BuildSplit::architectures);
  CHECK(value_of(outcome("build: {split: none}\n", "cp311-cpu")).build.split == BuildSplit::none);
  CHECK(value_of(outcome("", "cp311-cu130")).build.split == BuildSplit::none);
  const std::string one = "build: {split: architectures, arch-list: ['8.0', '8.0']}\n";
  for (const auto& [build, id, message] :
       {std::tuple(both, "cp311-cpu",
                   "`build.split` needs device code of CUDA, but `cp311-cpu` is for `cpu`"),
        std::tuple(one, "cp311-cu130",
                   "`build.split` needs several architectures, but `build.arch-list` of "
                   "`cp311-cu130` has one")}) {
    const Result<Settings> refused = outcome(build, id);
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().message == message);
    CHECK(refused.error().kind == ErrorKind::config);
    CHECK(refused.error().at.has_value());
  }
}

TEST_CASE("a placeholder of an attribute that the variant lacks is an error with its place") {
  const Matrix matrix = parsed(
      "axes: {python: ['3.11', '3.12']}\n"
      "attributes: [image]\n"
      "include: [{python: '3.11', image: a}]\n"
      "environment: {variables: {IMAGE: '{image}'}}\n");
  const Expansion expansion = value_of(expand(matrix));
  CHECK(value_of(settings_for(matrix, expansion.variants[0])).environment.variables.at("IMAGE") ==
        "a");
  const Result<Settings> second = settings_for(matrix, expansion.variants[1]);
  REQUIRE_FALSE(second.has_value());
  CHECK(second.error().message == "unknown placeholder `{image}`");
  CHECK(second.error().at->line == 6);
}

TEST_CASE("settings that the matrix omits are the project's") {
  const std::string axes = "axes: {python: ['3.11']}\n";
  Matrix matrix = parsed(axes + "environment: {pip: ['setuptools<81']}\n");
  matrix.build_requires[matrix.package.name] = {"setuptools>=61", "numpy", "torch"};
  const Variant variant = value_of(expand(matrix)).variants.at(0);
  const Settings found = value_of(settings_for(matrix, variant));
  CHECK(found.build.command == Names{"python", "-m", "build", "--wheel", "--no-isolation",
                                     "--outdir", "{dest_dir}", "{package}"});
  CHECK(found.environment.pip == Names{"setuptools<81", "numpy", "build"});
  CHECK(value_of(own_environment(matrix, variant)).pip == Names{"setuptools<81"});

  Matrix alone = parsed(
      axes +
      "environment: {pip: [x], build-requires: none}\nbuild: {command: [make, '{dest_dir}']}\n");
  alone.build_requires = matrix.build_requires;
  const Settings own = value_of(settings_for(alone, value_of(expand(alone)).variants.at(0)));
  CHECK(own.environment.pip == Names{"x"});
  CHECK(own.build.command == Names{"make", "{dest_dir}"});
  alone.package.sdist = true;
  CHECK(value_of(settings_for(alone, variant)).environment.pip == Names{"x", "build"});
}

TEST_CASE("the answer of a backend applies only to its variant's build") {
  Matrix matrix = parsed("axes: {python: ['3.11', '3.12']}\nenvironment: {pip: [ninja]}\n");
  matrix.build_requires[matrix.package.name] = {"setuptools>=61"};
  const std::vector<Variant> variants = value_of(expand(matrix)).variants;
  matrix.backend_answers[variants.at(0).id] = {"question", {"cffi", "ninja>=9", "setuptools>=70"}};
  CHECK(value_of(settings_for(matrix, variants.at(0))).environment.pip ==
        Names{"ninja", "setuptools>=61", "cffi", "setuptools>=70", "build"});
  CHECK(value_of(settings_for(matrix, variants.at(1))).environment.pip ==
        Names{"ninja", "setuptools>=61", "build"});
}
