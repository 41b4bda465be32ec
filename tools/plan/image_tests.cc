#include "plan/image_tests.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "container/container_image.h"
#include "env/interpreter.h"
#include "matrix/shared_settings.h"
#include "matrix/variant.h"
#include "plan/environments.h"
#include "plan/step_id.h"

namespace pinwheel::plan {
namespace {

/// The build argument for the version in a Dockerfile that provides a Python.
constexpr const char* kPythonArgument = "PYTHON";

matrix::ContainerSettings container_of(const std::string& image, const matrix::Variant& variant,
                                       const matrix::Settings& settings,
                                       const PlanOptions& options) {
  const matrix::TestImages& images = settings.test.images;
  matrix::ContainerSettings container{images.dockerfile, image, images.arguments};
  container.arch = variant.get("arch");
  container.base = mirrored(image, settings.environment.mirrors, options);
  if (images.python == matrix::TestPython::provided) {
    container.arguments[kPythonArgument] = variant.get("python");
  }
  return container;
}

/// A test on a distribution never sees the build's packages.
env::Request environment_of(const matrix::Variant& variant, const matrix::Settings& settings,
                            matrix::ContainerSettings container) {
  env::Request request;
  request.python = variant.get("python");
  request.torch = settings.environment.torch;
  request.container = std::move(container);
  request.purpose = env::Purpose::test;
  return request;
}

/// A variant whose wheel is tested.
struct Tested {
  const matrix::Variant& variant;
  const matrix::Settings& settings;
  const PlanOptions& options;
  std::string build;
};

Done add_tests_of(const Tested& tested, std::vector<ImageTest>& tests) {
  const auto& [variant, settings, options, build] = tested;
  std::set<std::string> ids;
  for (const std::string& image : settings.test.images.names) {
    ImageTest test{test_id(variant.id, image), build, variant.id, image, {},
                   settings.test.images.python};
    if (!ids.insert(test.id).second) {
      return fail(ErrorKind::config,
                  fmt::format("two images in `test.images` have the same step {}", quoted(test.id)),
                  "name each image once");
    }
    test.environment =
        environment_of(variant, settings, container_of(image, variant, settings, options));
    tests.push_back(std::move(test));
  }
  return {};
}

bool names_images_in(const matrix::Node& sections) {
  const matrix::Node* const test = sections.find("test");
  return test != nullptr && (test->find("images") != nullptr || test->find("+images") != nullptr);
}

/// Whether the settings of any variant may name images.
bool names_images(const matrix::Matrix& matrix) {
  const auto in_patch = [](const auto& each) { return names_images_in(each.patch); };
  return names_images_in(matrix.sections) || std::ranges::any_of(matrix.computes, in_patch) ||
         std::ranges::any_of(matrix.overrides, in_patch);
}

}  // namespace

Result<std::vector<ImageTest>> image_tests(const matrix::Matrix& matrix,
                                           const matrix::Expansion& expansion,
                                           const Outline& outline, const PlanOptions& options) {
  std::vector<ImageTest> tests;
  if (options.stage == Stage::build || !names_images(matrix)) return tests;
  const matrix::VariantIndex variants(expansion.variants);
  matrix::SharedSettings shared(matrix);
  for (const BuildGroup& group : outline.builds) {
    for (const std::string& id : group.tests) {
      TRY(const matrix::ConfiguredVariant tested, matrix::configured(variants, shared, id));
      const auto& [variant, settings] = tested;
      if (settings->test.images.names.empty()) continue;
      TRY_DONE(add_tests_of({variant, *settings, options, build_id(group.cls.id)}, tests));
    }
  }
  return tests;
}

ImageTestIndex::ImageTestIndex(const std::vector<ImageTest>& tests) {
  for (const ImageTest& test : tests) by_variant_[test.variant].push_back(&test);
}

const std::vector<const ImageTest*>& ImageTestIndex::of(const std::string& variant) const {
  const auto found = by_variant_.find(variant);
  return found == by_variant_.end() ? none_ : found->second;
}

std::vector<std::string> ImageTestIndex::images_of(const std::string& variant) const {
  std::vector<std::string> images;
  images.reserve(of(variant).size());
  for (const ImageTest* const test : of(variant)) images.push_back(test->image);
  return images;
}

ImageTestVerdict verdict_on(const ImageTest& test, const PlanFacts& facts,
                            const PlanOptions& options) {
  using Gate = ImageTestVerdict::Gate;
  if (!container::uses_containers(options.engine)) {
    return {fmt::format("{} needs a container engine: `--engine docker` or `podman`",
                        quoted(test.image)),
            Gate::holds};
  }
  if (test.python == matrix::TestPython::provided) return {};
  const auto found = facts.image_pythons.find(container::digest(test.environment.container));
  if (found == facts.image_pythons.end()) return {};
  if (env::fits(found->second, test.environment.python)) return {};
  return {fmt::format("{} has Python {}, the variant is for {}", quoted(test.image),
                      env::full_version(found->second), test.environment.python),
          Gate::open};
}

std::vector<env::Request> requests_of(const std::vector<ImageTest>& tests, const PlanFacts& facts,
                                      const PlanOptions& options) {
  std::vector<env::Request> requests;
  std::set<std::string> known;
  for (const ImageTest& test : tests) {
    if (!verdict_on(test, facts, options).skip.empty()) continue;
    if (known.insert(env::digest(test.environment)).second) requests.push_back(test.environment);
  }
  return requests;
}

}  // namespace pinwheel::plan
