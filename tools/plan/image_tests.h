#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "env/request.h"
#include "matrix/settings.h"
#include "plan/make_plan.h"

namespace pinwheel::plan {

/// The test of a variant's wheel on a distribution (`test.images`): in a container from that image,
/// wherever the build runs.
struct ImageTest {
  std::string id;     ///< of this step
  std::string build;  ///< id of the step whose wheel it tests
  std::string variant;
  std::string image;         ///< as the matrix names it
  env::Request environment;  ///< only torch, on a Python of the image
  matrix::TestPython python = matrix::TestPython::image;
};

/// The tests on distributions of an outline, in its order; none for a plan that only builds.
/// `config` if two images of a variant have the same id.
Result<std::vector<ImageTest>> image_tests(const matrix::Matrix& matrix,
                                           const matrix::Expansion& expansion,
                                           const Outline& outline, const PlanOptions& options);

/// Tests on distributions by their variants. It refers to them, so they must outlive it.
class ImageTestIndex {
 public:
  explicit ImageTestIndex(const std::vector<ImageTest>& tests);
  explicit ImageTestIndex(std::vector<ImageTest>&& tests) = delete;

  const std::vector<const ImageTest*>& of(const std::string& variant) const;
  /// The images on which a variant is tested, as the matrix names them.
  std::vector<std::string> images_of(const std::string& variant) const;

 private:
  std::unordered_map<std::string_view, std::vector<const ImageTest*>> by_variant_;
  std::vector<const ImageTest*> none_;
};

/// Why a test is skipped, and whether publishing still requires it.
struct ImageTestVerdict {
  enum class Gate { holds, open };
  std::string skip = {};  ///< empty: it runs
  Gate gate = Gate::holds;
};

/// Without a container engine the test is skipped and its evidence is missing. If an image's own
/// Python differs from the variant's, the test would prove nothing: publishing does not require it.
ImageTestVerdict verdict_on(const ImageTest& test, const PlanFacts& facts,
                            const PlanOptions& options);

/// The environments of the tests that run, without duplicates.
std::vector<env::Request> requests_of(const std::vector<ImageTest>& tests, const PlanFacts& facts,
                                      const PlanOptions& options);

}  // namespace pinwheel::plan
