#include "matrix/parse.h"

#include "matrix/expand.h"
#include "matrix/settings.h"
#include "unit/catch.h"
#include "unit/golden.h"

using namespace pinwheel;
using namespace pinwheel::matrix;

namespace {

Result<Matrix> parse_file(const std::string& file) {
  return parse(testing::read_text(testing::source_path(file)), file);
}

const std::string kHead = "schema: pinwheel/1\npackage: {name: demo, source: .}\n";

}  // namespace

TEST_CASE("every valid file parses, expands and has settings for each variant") {
  const std::vector<std::string> files = testing::yaml_files("tests/data/matrix/valid");
  REQUIRE(files.size() == 46);
  for (const std::string& file : files) {
    INFO(file);
    const Result<Matrix> matrix = parse_file(file);
    if (!matrix) FAIL(render(matrix.error()));
    const Result<Expansion> expansion = expand(*matrix);
    if (!expansion) FAIL(render(expansion.error()));
    CHECK_FALSE(expansion->variants.empty());
    CHECK(expansion->warnings.empty());
    for (const Variant& variant : expansion->variants) {
      const Result<Settings> settings = settings_for(*matrix, variant);
      if (!settings) FAIL(render(settings.error()));
    }
    CHECK(abi_classes(*matrix, expansion->variants).has_value());
  }
}

TEST_CASE("every invalid file is a config error with a place and a message of its own") {
  std::vector<std::string> files = testing::yaml_files("tests/data/matrix/invalid");
  const std::vector<std::string> semantic =
      testing::yaml_files("tests/data/matrix/invalid/semantic");
  files.insert(files.end(), semantic.begin(), semantic.end());
  REQUIRE(files.size() >= 100);
  std::string messages;
  for (const std::string& file : files) {
    INFO(file);
    const Result<Matrix> matrix = parse_file(file);
    REQUIRE_FALSE(matrix.has_value());
    CHECK(matrix.error().kind == ErrorKind::config);
    REQUIRE(matrix.error().at.has_value());
    CHECK(matrix.error().at->file == file);
    const bool has_text = file.find("/empty.yaml") == std::string::npos &&
                          file.find("/only-a-comment.yaml") == std::string::npos;
    CHECK((matrix.error().at->line > 0 && matrix.error().at->column > 0) == has_text);
    messages += render(matrix.error()) + "\n";
  }
  CHECK(messages == testing::golden("tests/data/matrix/invalid/messages.txt", messages));
}

TEST_CASE("every matrix file of the project parses without a warning") {
  const std::vector<std::string> files = testing::yaml_files("matrix");
  REQUIRE(files.size() >= 4);
  for (const std::string& file : files) {
    INFO(file);
    const Result<Matrix> matrix = parse_file(file);
    if (!matrix) FAIL(render(matrix.error()));
    CHECK(matrix->directory == "matrix");
    const Result<Expansion> expansion = expand(*matrix);
    if (!expansion) FAIL(render(expansion.error()));
    for (const Error& warning : expansion->warnings) FAIL_CHECK(render_warning(warning));
    for (const Variant& variant : expansion->variants) {
      const Result<Settings> settings = settings_for(*matrix, variant);
      if (!settings) FAIL(render(settings.error()));
    }
  }
}

TEST_CASE("a matrix that sets nothing has the documented defaults") {
  const Result<Matrix> matrix = parse(kHead + "axes: {python: ['3.11']}\n", "dir/m.yaml");
  REQUIRE(matrix.has_value());
  CHECK(matrix->file == "dir/m.yaml");
  CHECK(matrix->directory == "dir");
  CHECK(matrix->package.name == "demo");
  CHECK(matrix->package.version.from == VersionFrom::git_tag);
  CHECK(matrix->package.version.match == "v*");
  CHECK(matrix->package.version.bump == VersionBump::minor);
  CHECK_FALSE(matrix->package.sdist);
  CHECK(matrix->abi.python == PythonAbi::version);
  CHECK(matrix->abi.torch == TorchAbi::minor);
  CHECK(matrix->abi.compute == ComputeAbi::exact);
  CHECK(parse(kHead + "axes: {python: ['3.11']}\n", "m.yaml")->directory == ".");
}

TEST_CASE("every section is parsed into its settings") {
  const Result<Matrix> matrix = parse(
      "schema: pinwheel/1\n"
      "package:\n"
      "  name: demo\n"
      "  source: ../src\n"
      "  version: {from: file, file: v.txt}\n"
      "  sdist: true\n"
      "  requires: {torch: auto}\n"
      "axes: {python: ['3.11', '3.12'], compute: [cpu, cuda/13.0], torch: ['2.13', nightly]}\n"
      "attributes: [runner]\n"
      "exclude: [{python: '3.11', torch: nightly}]\n"
      "include: [{compute: cpu, runner: small}]\n"
      "rules: [{when: {compute: 'cuda/*'}, status: experimental, channels: [ci], because: why}]\n"
      "abi: {python: limited(3.10), torch: stable(2.10), compute: major}\n"
      "channels:\n"
      "  ci: {select: {torch: '!nightly'}, version: nightly, publish: [index]}\n"
      "publish:\n"
      "  require: {default: ran, 'cuda/*': loaded}\n"
      "  index: {kind: directory, path: dist, label: local, name: '{name}-x',\n"
      "          keep-nightlies: 14}\n"
      "  mirror: {kind: index, url: 'https://example.org', default: cpu, others: name-suffix,\n"
      "           label: 'pt{torch.nodot}', auth: none, size-limit: 300 MB,\n"
      "           check-url: 'https://example.org/+simple/'}\n"
      "store: [local, 'https://example.org/results,ro']\n",
      "m.yaml");
  if (!matrix) FAIL(render(matrix.error()));
  CHECK(matrix->package.source == "../src");
  CHECK(matrix->targets.back().check_url == "https://example.org/+simple/");
  CHECK(matrix->package.version.from == VersionFrom::file);
  CHECK(matrix->package.version.file == "v.txt");
  CHECK(matrix->package.sdist);
  CHECK(matrix->package.requires_torch_auto);
  REQUIRE(matrix->axes.size() == 3);
  CHECK(matrix->axes[1].name == "compute");
  CHECK(matrix->axes[1].values == std::vector<std::string>{"cpu", "cuda/13.0"});
  CHECK(matrix->axes[1].at.line == 8);
  CHECK(matrix->attributes == std::vector<std::string>{"runner"});
  REQUIRE(matrix->exclude.size() == 1);
  CHECK(matrix->exclude[0].values[1] == std::pair<std::string, std::string>("torch", "nightly"));
  REQUIRE(matrix->rules.size() == 1);
  CHECK(matrix->rules[0].status == Status::experimental);
  CHECK(matrix->rules[0].channels == std::vector<std::string>{"ci"});
  CHECK(matrix->rules[0].because == "why");
  CHECK(matrix->abi.python_limited == "3.10");
  CHECK(matrix->abi.torch_stable == "2.10");
  CHECK(matrix->abi.compute == ComputeAbi::major);
  REQUIRE(matrix->channels.size() == 1);
  CHECK(matrix->channels[0].nightly_version);
  CHECK(matrix->channels[0].publish == std::vector<std::string>{"index"});
  REQUIRE(matrix->targets.size() == 2);
  CHECK(matrix->targets[0].kind == TargetKind::directory);
  CHECK(matrix->targets[0].local_label);
  CHECK(matrix->targets[0].label_template.empty());
  CHECK(matrix->targets[0].name_template == "{name}-x");
  CHECK(matrix->targets[1].default_compute == "cpu");
  CHECK(matrix->targets[1].name_suffix);
  CHECK(matrix->targets[1].label_template == "pt{torch.nodot}");
  CHECK(matrix->targets[1].auth == UploadAuth::none);
  CHECK(matrix->targets[1].size_limit == 300'000'000);
  CHECK(matrix->targets[0].auth == UploadAuth::automatic);
  CHECK_FALSE(matrix->targets[0].size_limit);
  CHECK(matrix->targets[0].keep_nightlies == 14);
  CHECK_FALSE(matrix->targets[1].keep_nightlies);
  CHECK(matrix->require_evidence[1] == std::pair<std::string, std::string>("cuda/*", "loaded"));
  REQUIRE(matrix->stores.size() == 2);
  CHECK(store::to_string(matrix->stores[0]) == "local");
  CHECK(store::to_string(matrix->stores[1]) == "https://example.org/results");
  CHECK(matrix->stores[1].access == store::PlaceAccess::read_only);
  CHECK(matrix->stores[1].named_by == store::NamedBy::matrix);
}

TEST_CASE("uploads are authorized by `auth`, and PyPI accepts none without a token") {
  for (const UploadAuth auth : kUploadAuths) {
    for (const char* target : {"kind: pypi", "kind: index, url: 'https://example.org'"}) {
      const Result<Matrix> matrix =
          parse(kHead + "axes: {python: ['3.11']}\npublish: {a: {" + target +
                    ", auth: " + std::string(to_string(auth)) + "}}\n",
                "m.yaml");
      if (auth == UploadAuth::none && std::string_view(target) == "kind: pypi") {
        REQUIRE_FALSE(matrix);
        CHECK(matrix.error().message == "a target of kind `pypi` accepts no file without a token");
        continue;
      }
      REQUIRE(matrix);
      CHECK(matrix->targets[0].auth == auth);
    }
  }
  CHECK_FALSE(parse(kHead + "axes: {python: ['3.11']}\npublish: {a: {kind: directory, path: d, "
                            "auth: token}}\n",
                    "m.yaml"));
}

TEST_CASE("a release on GitHub has a repository, an API and a changelog, and none is needed") {
  const auto target = [](const std::string& keys) {
    return parse(
        kHead + "axes: {python: ['3.11']}\npublish: {a: {kind: github-release" + keys + "}}\n",
        "m.yaml");
  };
  const Result<Matrix> plain = target("");
  REQUIRE(plain);
  CHECK(plain->targets[0].kind == TargetKind::github_release);
  CHECK(plain->targets[0].repository.empty());
  const Result<Matrix> whole = target(
      ", repository: acme/my.ops, api: 'https://git.acme.example/api/v3', notes: ../NEWS.md, "
      "label: local");
  REQUIRE(whole);
  CHECK(whole->targets[0].repository == "acme/my.ops");
  CHECK(whole->targets[0].api == "https://git.acme.example/api/v3");
  CHECK(whole->targets[0].notes == "../NEWS.md");
  for (const char* wrong :
       {"acme", "acme/", "/ops", "acme/ops/x", "acme/..", "acme/o ps", "a/b?c"}) {
    const Result<Matrix> matrix = target(", repository: '" + std::string(wrong) + "'");
    REQUIRE_FALSE(matrix);
    CHECK(matrix.error().message.find("is not a repository") != std::string::npos);
  }
  CHECK_FALSE(target(", auth: token"));
  CHECK_FALSE(target(", url: 'https://example.org'"));
}

TEST_CASE("nightlies are retired only where pinwheel writes the pages") {
  for (const TargetKind kind : kTargetKinds) {
    const std::string target = "{kind: " + std::string(to_string(kind)) +
                               (kind == TargetKind::index       ? ", url: 'https://example.org'"
                                : kind == TargetKind::directory ? ", path: d"
                                : kind == TargetKind::s3        ? ", bucket: 's3://bucket/p'"
                                                                : "") +
                               ", keep-nightlies: 3}";
    const Result<Matrix> matrix =
        parse(kHead + "axes: {python: ['3.11']}\npublish: {a: " + target + "}\n", "m.yaml");
    CHECK(matrix.has_value() == (kind == TargetKind::directory || kind == TargetKind::s3));
    if (matrix) continue;
    CHECK(matrix.error().message.find("does not accept `keep-nightlies`") != std::string::npos);
    CHECK(matrix.error().hint.find("by hand") != std::string::npos);
  }
}

TEST_CASE("an error points at the word, quotes its line and names the nearest key") {
  const Result<Matrix> matrix =
      parse(kHead + "axes:\n  python: ['3.11']\nenviroment: {}\n", "m.yaml");
  REQUIRE_FALSE(matrix.has_value());
  CHECK(render(matrix.error()) ==
        "error: unknown key `enviroment`\n"
        "  --> m.yaml:5:1\n"
        "    |\n"
        "  5 | enviroment: {}\n"
        "    | ^\n"
        "hint: did you mean `environment`?\n");
}

TEST_CASE("axes and attributes are few") {
  std::string body = "axes:\n  python: ['3.11']\n";
  for (int i = 0; i < 64; ++i) body += "  a" + std::to_string(i) + ": [x]\n";
  const Result<Matrix> refused = parse(kHead + body, "m.yaml");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "65 axes and attributes are more than 64");
}

TEST_CASE("a value that only a later program would refuse is an error of the file, at its place") {
  const std::string axes = "axes: {python: ['3.11'], compute: [cpu, cuda/13.0], torch: ['2.13']}\n";
  for (const std::string line : {
           "build: {arch-list: [Hopper]}",
           "build: {arch-list: ['9.0 10.0']}",
           "build: {arch-list: [gfx942]}",
           "environment: {pip: ['foo ===']}",
           "environment: {pip: ['-r x.txt']}",
           "environment: {tools: ['cmake>>3']}",
           "environment: {torch: {spec: 'torch~=abc'}}",
           "environment: {torch: {spec: 'numpy==2.13.0'}}",
           "environment: {torch: {index: 'not a url'}}",
           "environment: {torch: {index: {cpu: 'example.org/simple'}}}",
           "environment: {container: {base: 'debian 12'}}",
           "environment: {variables: {A=B: x}}",
           "environment: {container: {base: b, arguments: {1A: x}}}",
           "test: {pip: ['numpy<']}",
           "test: {images: [debian book worm]}",
           "checks: {before: [{import: a b}]}",
           "checks: {after: [{operators: [sum]}]}",
           "publish: {x: {kind: index, url: 'not a url'}}",
           "publish: {x: {kind: directory, path: d, name: '{name} x'}}",
           "publish: {x: {kind: directory, path: d, label: 'a b'}}",
           "store: ['bogus:x']",
           "ci: {on: {nightly: '0 24 * * *'}}",
           "ci: {on: {nightly: '0 1 * jan-foo *'}}",
           "ci: {on: {nightly: '*/0 1 * * *'}}",
           "ci: {container: {image: 'a b'}}",
           "overrides: [{when: {compute: 'cuda/*'}, build: {+arch-list: [native]}}]",
           "overrides: [{when: {compute: 'cuda/*'}, test: {+pip: ['a b c']}}]",
       }) {
    INFO(line);
    const Result<Matrix> matrix = parse(kHead + axes + line + "\n", "m.yaml");
    REQUIRE_FALSE(matrix);
    CHECK(matrix.error().kind == ErrorKind::config);
    REQUIRE(matrix.error().at);
    CHECK(matrix.error().at->line == 4);
    CHECK(matrix.error().at->column > 6);
  }
}

TEST_CASE("a value with placeholders is checked after they are filled in") {
  const auto settings_of = [](const std::string& line) {
    const Result<Matrix> matrix =
        parse(kHead + "axes: {python: ['3.11'], compute: [cuda/13.0], bad: [a b]}\n" + line + "\n",
              "m.yaml");
    if (!matrix) FAIL(render(matrix.error()));
    return settings_for(*matrix, expand(*matrix)->variants.at(0));
  };
  CHECK(settings_of("environment: {pip: ['numpy=={compute.version}']}"));
  for (const std::string line :
       {"environment: {pip: ['numpy=={bad}']}", "environment: {torch: {index: 'https://{bad}/'}}",
        "build: {arch-list: ['{compute}']}", "test: {images: ['{bad}']}"}) {
    INFO(line);
    const Result<Settings> settings = settings_of(line);
    REQUIRE_FALSE(settings);
    CHECK(settings.error().kind == ErrorKind::config);
    CHECK(settings.error().at->line == 4);
  }
}

TEST_CASE("every way to write a requirement, an image or a schedule is accepted") {
  const std::string axes = "axes: {python: ['3.11'], compute: [cpu], torch: ['2.13']}\n";
  for (const std::string line : {
           "environment: {pip: ['numpy>=2,<3; python_version < \"3.13\"', 'x[extra]', 'a @ "
           "https://e.org/a.whl']}",
           "environment: {torch: {spec: '--pre torch', index: 'file:///srv/wheels'}}",
           "environment: {container: {base: 'ghcr.io/o/i:1.0@sha256:ab', arguments: {_A1: x}}}",
           "checks: {after: [{operators: ['demo::sum.out']}]}",
           "publish: {x: {kind: directory, path: d, name: '{name}-x', label: "
           "'pt{torch.nodot}{compute.label}'}}",
           "ci: {on: {nightly: '*/15 1,3-5 * JAN-mar 0'}}",
           "store: [local, 'dir:/x,ro', 'https://e.org/a']",
       }) {
    INFO(line);
    const Result<Matrix> matrix = parse(kHead + axes + line + "\n", "m.yaml");
    if (!matrix) FAIL(render(matrix.error()));
  }
}
