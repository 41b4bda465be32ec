#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/machine/workplace.h"
#include "plan/action.h"
#include "prepare/backend_question.h"
#include "prepare/host.h"
#include "prepare/run_scope.h"

namespace pinwheel::prepare {

/// The inputs of a build other than its version and packages.
struct BuildFacts {
  plan::Source source = {};
  plan::Source wheel_source = {};                     ///< without what no wheel has
  plan::SourceChange wheel_change = {};               ///< the last one of `wheel_source`
  std::map<std::string, std::string> variables = {};  ///< the user's variables that affect a build
  SourceRequires build_requires = {};
  std::string toolchain = {};  ///< version text of the host's compiler; empty without one
  /// The user's variables that name device architectures, where `build.arch-list` does.
  std::map<std::string, std::string> ignored = {};
};

/// `config` if the value of a variable that decides builds is not UTF-8: keys and plans have it as
/// text of JSON. Pure.
Done check_variables(const std::map<std::string, std::string>& variables);

/// Reads the package's source and, for a version of this checkout, its last change; queries the
/// version of the host's compiler. `recorded`: the variables of the run or plan to repeat, which
/// then replace those of the user.
Result<BuildFacts> gather_build_facts(
    const Host& host, const RunScope& scope, const host::Workplace& workplace,
    const std::optional<std::map<std::string, std::string>>& recorded);

/// The variables that affect the result of a build, and are therefore part of its key, of those
/// that a frozen plan or a report has: such a file may come from anywhere. Pure.
std::map<std::string, std::string> deciding_variables(
    const std::map<std::string, std::string>& variables);

}  // namespace pinwheel::prepare
