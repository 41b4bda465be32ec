#pragma once
#include <vector>

#include "matrix/expand.h"
#include "matrix/matrix.h"
#include "matrix/shared_settings.h"
#include "matrix/variant.h"
#include "plan/environments.h"
#include "plan/image_tests.h"
#include "plan/make_plan.h"

namespace pinwheel::plan {

/// What to decide about the steps: everything, or only their needs, resources and times.
enum class StepContents { whole, times };

/// The inputs of every step, bundled instead of repeated in each signature.
struct StepInputs {
  const matrix::Matrix& matrix;
  const matrix::Expansion& expansion;
  const matrix::VariantIndex& variants;  ///< those of `expansion`
  const PlanFacts& facts;
  const PlanOptions& options;
  const std::vector<ImageTest>& image_tests;
  const ImageTestIndex& tests_on_images;  ///< the same
  matrix::SharedSettings& settings;       ///< of all steps
  RequestDigests& digests;                ///< the same
  StepContents contents = StepContents::whole;
};

}  // namespace pinwheel::plan
