#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "matrix/matrix.h"
#include "ports/notices.h"
#include "prepare/build_facts.h"
#include "prepare/package_source.h"
#include "prepare/run_scope.h"

namespace pinwheel::prepare {

/// The answers of backends: question -> requirements. A question is a digest of everything that
/// decides its answer: the environment of the build, the backend and its inputs.
using BackendAnswers = std::map<std::string, std::vector<std::string>>;

/// The answers that are known without asking a backend.
struct AvailableAnswers {
  BackendAnswers supplied = {};  ///< from a frozen plan, a report or locks; they take precedence
  BackendAnswers recorded = {};  ///< in this state directory
};

/// How a run gets the answers that it needs.
struct AnswerPlan {
  BackendAnswers known = {};
  BackendAnswers to_record = {};             ///< those from `AvailableAnswers::supplied`
  std::vector<matrix::Variant> to_ask = {};  ///< the first variant of each environment without one
};

/// The questions about the builds of a scope, by the packages whose backends are asked, each with
/// the first variant in whose environment it is asked. Empty with `build-requires: none`, or for
/// wrong settings, which the plan reports. Pure.
std::map<std::string, matrix::Variant> questions_of(const RunScope& scope,
                                                    const BackendQuestions& packages);

/// Whether a backend may be asked: a forecast runs nothing.
enum class Asking { allowed, never };

/// Decides how to get the answer to each question. Pure.
AnswerPlan plan_answers(const std::map<std::string, matrix::Variant>& questions,
                        const AvailableAnswers& available, Asking asking);

/// The matrix with the requirements that the backend adds to each variant's build
/// (`Matrix::backend_answers`), in this order:
///
///     questions -> available answers -> answer plan -> environments of its builds -> new answers
///
/// Environments are made only for questions without an answer, with the packages that the
/// project's files name. Supplied and new answers are recorded. With `refresh`, all
/// questions are asked again. Prints each question.
///
/// `run` is a scope without answers. Errors are those of `prepare_environments` and
/// `Host::ask_backend`.
Result<matrix::Matrix> collect_answers(const RunView& run, const BackendQuestions& packages,
                                       const PackageSource& source, ports::Notices& notices);

}  // namespace pinwheel::prepare
