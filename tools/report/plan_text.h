#pragma once
#include <string>
#include <vector>

#include "matrix/expand.h"
#include "matrix/matrix.h"
#include "plan/image_tests.h"
#include "plan/outline.h"
#include "plan/step.h"
#include "plan/support_table.h"

namespace pinwheel::report {

/// Rows of cells as aligned columns, two spaces apart, no trailing blanks; the first row is the
/// header. Each row stays on its line: cells are made visible.
std::string align_columns(std::vector<std::vector<std::string>> rows);

/// One id per line: variants for tests, class ids for builds.
std::string variant_ids(const plan::Outline& outline);
std::string build_ids(const plan::Outline& outline);

/// The table of `plan`: one line per variant, with the images that it is tested on, if any, then
/// the summary line.
std::string plan_table(const plan::Outline& outline, const std::vector<plan::ImageTest>& images);

/// The support table with its footnotes.
std::string support_table(const plan::SupportTable& table);

/// The steps and their needs as a Graphviz digraph.
std::string plan_dot(const plan::Plan& plan);

}  // namespace pinwheel::report
