#pragma once
#include <string>
#include <vector>

#include "matrix/expand.h"
#include "matrix/matrix.h"
#include "plan/image_tests.h"
#include "plan/outline.h"
#include "plan/promotion.h"
#include "plan/step.h"
#include "plan/support_table.h"

namespace pinwheel::report {

/// One id per line: variants for tests, class ids for builds.
std::string variant_ids(const plan::Outline& outline);
std::string build_ids(const plan::Outline& outline);

/// The table of `plan`: one line per variant, with the images that it is tested on, if any, then
/// the summary line. `width` of this and the next: see report/table.
std::string plan_table(const plan::Outline& outline, const std::vector<plan::ImageTest>& images,
                       size_t width = 0);

/// The order in which a release that is promoted reaches its targets.
std::string promotion_lines(const plan::PromotionPath& path, size_t width = 0);

/// The support table with its footnotes.
std::string support_table(const plan::SupportTable& table, size_t width = 0);

/// The steps and their needs as a Graphviz digraph.
std::string plan_dot(const plan::Plan& plan);

}  // namespace pinwheel::report
