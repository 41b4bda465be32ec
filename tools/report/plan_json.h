#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/image_tests.h"
#include "plan/names.h"
#include "plan/outline.h"
#include "plan/shards.h"

namespace pinwheel::report {

/// What GitHub Actions accepts in one matrix.
constexpr size_t kGitHubRowLimit = 256;

enum class Rows { builds, tests };

/// The outline as JSON, schema `pinwheel-plan/1`: variants with the images that they are tested on,
/// builds with the names of their wheels, tests.
std::string outline_json(const plan::Outline& outline, const plan::Namings& namings,
                         const std::string& version, const std::vector<plan::ImageTest>& images);

/// `{"include":[...]}` on one line: a row a variant (`tests`) or a row a class (`builds`, with the
/// axes of its representative). `variants` holds the whole matrix's. More than 256 rows are a
/// `usage` error.
Result<std::string> github_rows(const plan::Outline& outline,
                                const std::vector<matrix::Variant>& variants, Rows rows);

/// One row a shard that is not empty: `{"shard":"1/4","builds":"a b","variants":"..."}`.
Result<std::string> github_shards(const std::vector<plan::Outline>& shards);

}  // namespace pinwheel::report
