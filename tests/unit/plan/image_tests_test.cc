#include "plan/image_tests.h"

#include <algorithm>

#include "container/container_image.h"
#include "matrix/parse.h"
#include "plan/environments.h"
#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::plan;

namespace {

const std::string kHead =
    "schema: pinwheel/1\n"
    "package: {name: demo, source: .}\n"
    "axes: {python: ['3.9', '3.11'], compute: [cpu]}\n"
    "abi: {python: none}\n"
    "publish: {require: ran, index: {kind: directory, path: dist}}\n"
    "channels: {release: {publish: [index]}}\n";

const std::string kTest = "test: {images: [debian:bookworm, debian:bullseye], ";

struct Example {
  matrix::Matrix matrix;
  matrix::Expansion expansion;
  Outline outline;
  PlanFacts facts;
  PlanOptions options{Stage::publish, {"index"}, container::Engine::docker};

  explicit Example(const std::string& body) {
    Result<matrix::Matrix> parsed = matrix::parse(kHead + body, "m.yaml");
    INFO((parsed ? std::string() : render(parsed.error())));
    REQUIRE(parsed);
    matrix = *parsed;
    expansion = *matrix::expand(matrix);
    outline = make_outline(*matrix::abi_classes(matrix, expansion.variants), expansion.variants);
    facts.version = {"1.0", ""};
  }

  std::vector<ImageTest> tests() const {
    Result<std::vector<ImageTest>> made = image_tests(matrix, expansion, outline, options);
    INFO((made ? std::string() : render(made.error())));
    REQUIRE(made);
    return *made;
  }

  Plan plan() const {
    Result<Plan> made = make_plan(matrix, expansion, outline, facts, options);
    INFO((made ? std::string() : render(made.error())));
    REQUIRE(made);
    return *made;
  }

  /// As if the image had that Python.
  void give_python(const std::string& image, const std::string& version) {
    for (const ImageTest& test : tests()) {
      if (test.image != image) continue;
      env::Interpreter python;
      python.version = version;
      python.implementation = "cpython";
      facts.image_pythons[container::digest(test.environment.container)] = python;
    }
  }
};

const std::string kBase = "environment: {container: {base: builder}}\n";

const Step& step_of(const Plan& plan, const std::string& id) {
  for (const Step& step : plan.steps) {
    if (step.id == id) return step;
  }
  FAIL("no step " << id);
  return plan.steps.front();
}

const TestWheel& test_of(const Plan& plan, const std::string& id) {
  return std::get<TestWheel>(step_of(plan, id).action);
}

}  // namespace

TEST_CASE("each variant is tested on each image, with torch and nothing else from the build") {
  const Example example(kBase + kTest + "dockerfile: t.Dockerfile}\n");
  const std::vector<ImageTest> tests = example.tests();
  REQUIRE(tests.size() == 4);
  CHECK(tests[1].id == "test:cp39-cpu@debian-bullseye");
  CHECK(tests[1].build == "build:cpu");
  CHECK(tests[1].environment.python == "3.9");
  CHECK(tests[1].environment.requirements.empty());
  CHECK(tests[1].environment.container.base == "debian:bullseye");
  CHECK(tests[1].environment.container.dockerfile == "t.Dockerfile");
  CHECK(tests[1].environment.container.arguments.empty());
  CHECK(ImageTestIndex(tests).images_of("cp39-cpu") ==
        std::vector<std::string>{"debian:bookworm", "debian:bullseye"});
  CHECK(ImageTestIndex(tests).of("cp313-cpu").empty());
}

TEST_CASE("an override alone may name the images of some variants") {
  CHECK(Example(kBase).tests().empty());
  const std::string key = GENERATE("images", "+images");
  const Example example(kBase + "overrides: [{when: {python: '3.11'}, test: {" + key +
                        ": [debian:bookworm], dockerfile: t.Dockerfile}}]\n");
  const std::vector<ImageTest> tests = example.tests();
  REQUIRE(tests.size() == 1);
  CHECK(tests[0].id == "test:cp311-cpu@debian-bookworm");
}

TEST_CASE("an image is built with the Python that it must provide") {
  const Example example(kBase + kTest +
                        "python: provided, dockerfile: t.Dockerfile, arguments: {A: b}}\n");
  CHECK(example.tests()[2].environment.container.arguments ==
        std::map<std::string, std::string>{{"A", "b"}, {"PYTHON", "3.11"}});
  const Result<Plan> made =
      make_plan(example.matrix, example.expansion, example.outline, example.facts, example.options);
  REQUIRE(made);
  CHECK(test_of(*made, "test:cp311-cpu@debian-bullseye").skip.empty());
}

TEST_CASE("a Python that nothing provides is an error in the matrix") {
  const Example example(kBase + kTest + "python: provided}\n");
  const auto tests =
      image_tests(example.matrix, example.expansion, example.outline, example.options);
  REQUIRE_FALSE(tests);
  CHECK(tests.error().kind == ErrorKind::config);
  CHECK(tests.error().hint.find("test.dockerfile") != std::string::npos);
}

TEST_CASE(
    "an image with another Python proves nothing about the variant, and publishing continues") {
  Example example(kBase + kTest + "dockerfile: t.Dockerfile}\n");
  example.give_python("debian:bookworm", "3.11.2");
  const Plan plan = example.plan();
  CHECK(test_of(plan, "test:cp39-cpu@debian-bookworm").skip ==
        "`debian:bookworm` has Python 3.11.2, the variant is for 3.9");
  CHECK(test_of(plan, "test:cp311-cpu@debian-bookworm").skip.empty());
  const auto& publish = std::get<Publish>(step_of(plan, "publish:index").action);
  CHECK_FALSE(publish.require_evidence.contains("test:cp39-cpu@debian-bookworm"));
  CHECK(publish.require_evidence.at("test:cp311-cpu@debian-bookworm") == "ran");
  CHECK(requests_of(example.tests(), example.facts, example.options).size() == 3);
}

TEST_CASE("without a container engine the tests are skipped and publishing requires them") {
  Example example(kTest + "dockerfile: t.Dockerfile}\n");
  example.options.engine = container::Engine::host;
  const Plan plan = example.plan();
  const Step& step = step_of(plan, "test:cp311-cpu@debian-bullseye");
  CHECK(step.needs == std::vector<std::string>{"build:cpu"});
  CHECK(std::get<TestWheel>(step.action).skip.find("--engine docker") != std::string::npos);
  CHECK(std::get<TestWheel>(step.action).environment.container.base.empty());
  const Step& last = step_of(plan, "publish:index");
  CHECK(std::get<Publish>(last.action).require_evidence.contains("test:cp311-cpu@debian-bullseye"));
  CHECK(std::count(last.needs.begin(), last.needs.end(), "test:cp311-cpu@debian-bullseye") == 1);
  CHECK(requests_of(example.tests(), example.facts, example.options).empty());
}

TEST_CASE("a plan that only builds has no tests on images") {
  Example example(kBase + kTest + "dockerfile: t.Dockerfile}\n");
  example.options.stage = Stage::build;
  CHECK(example.tests().empty());
}

TEST_CASE("mirrors replace images by name, the command line's first, and ids are unchanged") {
  Example example(
      "environment: {container: {base: debian:sid}, mirrors: {'debian:*': 'mirror/debian'}}\n" +
      kTest + "dockerfile: t.Dockerfile}\n");
  example.options.bases = {{"*", "builder"}, {"debian:bullseye", "local:11"}};
  const std::vector<ImageTest> tests = example.tests();
  CHECK(tests[0].id == "test:cp39-cpu@debian-bookworm");
  CHECK(tests[0].environment.container.base == "mirror/debian");
  CHECK(tests[1].environment.container.base == "local:11");
  const auto builds =
      build_requests(example.matrix, example.expansion, example.outline, example.options);
  REQUIRE(builds);
  CHECK((*builds)[0].request.container.base == "builder");
  example.options.bases.clear();
  CHECK(build_requests(example.matrix, example.expansion, example.outline, example.options)
            ->front()
            .request.container.base == "mirror/debian");
}

TEST_CASE("two images with the same id are an error") {
  const Example example(kBase + "test: {images: ['debian:11', debian-11]}\n");
  const auto tests =
      image_tests(example.matrix, example.expansion, example.outline, example.options);
  REQUIRE_FALSE(tests);
  CHECK(tests.error().message.find("@debian-11") != std::string::npos);
}
