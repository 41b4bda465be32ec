#pragma once
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "matrix/ci_settings.h"
#include "matrix/variant.h"
#include "plan/outline.h"
#include "plan/runner_labels.h"
#include "plan/step.h"

namespace pinwheel::ci {

/// The limit of GitHub Actions for one matrix.
constexpr size_t kGitHubRowLimit = 256;

/// The most bytes of one chunk. GitHub Actions accepts 1 MB for the outputs of a job, two bytes a
/// character, and a job has a chunk of builds, one of tests, and one of installations or of device
/// code.
constexpr size_t kGitHubChunkBytes = 160'000;

/// The job of a workflow with the rows: `device`, `build`, `test` or `install-TARGET`.
enum class Rows { devices, builds, tests, installs };

/// A row of such a job: the device code of a build for one architecture, a build, the sdist, a
/// test, also of an image, or an installation.
struct JobRow {
  std::string step;      ///< "build:cu130"
  std::string name;      ///< "build cu130"
  std::string artifact;  ///< the step, fit for the name of an artifact: "build-cu130"
  std::string variant;   ///< its id; for a build and device code, that of the representative
  /// The labels of its runner (plan/runner_labels.h); none: a test whose runner is not configured.
  std::optional<std::vector<std::string>> runner;
  /// The builds that a test needs, and the steps that compile the device code of a build.
  std::vector<std::string> needs;
  int minutes = 1;  ///< predicted, with the environments
  /// The time limit of the job in minutes, from the durations of its step in earlier runs and
  /// within `ci.timeout`; none if it never ran.
  std::optional<int> limit = {};
  std::string arch = {};  ///< of the variant; empty: the matrix has no axis `arch`
  std::string compute =
      {};  ///< of the variant, "cuda/13.0"; empty: the matrix has no axis `compute`
  plan::NeedsGpu gpu = plan::NeedsGpu::no;
  std::string driver = {};  ///< the command of `ci.driver` for it; empty: none
  /// The jobs that its build needs, one after the other, because it may outlast a job and has
  /// `build.checkpoint`; 1: no other job continues it.
  size_t links = 1;
};

/// The labels of a runner as `runs-on` takes them: a text, or a list of several.
nlohmann::ordered_json runner_json(const std::vector<std::string>& labels);

/// The rows of a plan, the longest first. `variants` are those of the whole matrix.
Result<std::vector<JobRow>> job_rows(const plan::Plan& plan, const plan::Outline& outline,
                                     const std::vector<matrix::Variant>& variants,
                                     const matrix::CiSettings& settings, Rows rows);

/// The same for matrices of GitHub Actions, one for each chunk; in each chunk the longest first.
/// The rows of a chunk do not depend on known times, since each chunk is listed by itself. A row
/// has the keys of `github_rows` and
///
///     step     "build:cu130", for `--step`
///     name     "build cu130", for people
///     runner   the labels of its runner (plan/runner_labels.h), a text or a list
///     needs    the builds that a test needs, or the device code of a split build, as step ids
///     minutes  predicted, with the environments, at least 1
///     limit    its time limit in minutes; absent if its step never ran: that of the matrix
///     artifact the step, fit for the name of an artifact: "build-cu130"
///     from     the artifacts of what it needs; empty if it needs nothing
///     install-driver  the command of `ci.driver` for a test that needs a GPU; absent without one
///     secrets  the names of the secrets that its step gets; absent without any
///     trusted  true if its step or a build that it needs gets secrets; else absent
///
/// A test whose runner is not configured has no row; `unplaced` has its id.
/// `variants` are those of the whole matrix. `config` if an axis or an attribute has the name of
/// one of these keys, other than `runner`, and for a row that is longer than a chunk.
struct RowChunks {
  std::vector<std::string> chunks;         ///< each `{"include":[...],"chunks":n}` on one line
  std::vector<std::string> unplaced = {};  ///< ids of steps
};
Result<RowChunks> row_chunks(const plan::Plan& plan, const plan::Outline& outline,
                             const std::vector<matrix::Variant>& variants,
                             const matrix::CiSettings& settings, Rows rows);

/// A chunk, counted from 1. A caller with a fixed number of chunks states the number.
struct ChunkChoice {
  int number = 1;
  std::optional<int> of = {};
};

/// "2", or "2/4": the second of at most four. `usage` for anything else.
Result<ChunkChoice> parse_chunk(const std::string& text);

/// The rows of a chunk. With a fixed number of chunks, those without rows are empty, and more rows
/// than fit are a `config` error, because some would get no jobs. `usage` if there is no such
/// chunk.
Result<std::string> chunk_of(const RowChunks& rows, const ChunkChoice& choice);

/// The rows of an outline, without a plan: `{"include":[...]}` on one line, one row per variant
/// (`tests`) or per class (`builds`, with the axes of its representative). `variants` are those of
/// the whole matrix. More than 256 rows are a `usage` error.
Result<std::string> github_rows(const plan::Outline& outline,
                                const std::vector<matrix::Variant>& variants, Rows rows);

/// One row per non-empty shard: `{"shard":"1/4","builds":"a b","variants":"..."}`.
Result<std::string> github_shards(const std::vector<plan::Outline>& shards);

}  // namespace pinwheel::ci
