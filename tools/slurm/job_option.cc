#include "slurm/job_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace pinwheel::slurm {
namespace {

/// An option that cannot be given, and why.
struct ReservedOption {
  std::string_view name;
  std::string_view why;
  std::string_view setting = {};  ///< the key to set instead
};

constexpr std::string_view kFindsJobs = "the executor finds its jobs by it";
constexpr std::string_view kOneNode = "a step is one task on one node";
constexpr std::string_view kOrder = "the executor decides when a job may start";
constexpr std::string_view kFiles = "the executor reads these files";
constexpr std::string_view kSubmits = "the executor submits by scripts and reads the job's number";
constexpr std::string_view kVariables = "the executor decides which variables a job sees";
constexpr std::string_view kRetries = "the executor decides which jobs are repeated";
constexpr std::string_view kHasSetting = "there is a setting for it";

constexpr std::array kReserved = {
    ReservedOption{"account", kHasSetting, "account"},
    ReservedOption{"array", kFindsJobs},
    ReservedOption{"array-inx", kFindsJobs},
    ReservedOption{"begin", kOrder},
    ReservedOption{"chdir", kFiles},
    ReservedOption{"clusters", kFindsJobs},
    ReservedOption{"comment", kFindsJobs},
    ReservedOption{"cpus-per-task", kHasSetting, "cores"},
    ReservedOption{"deadline", kOrder},
    ReservedOption{"dependency", kOrder},
    ReservedOption{"error", kFiles},
    ReservedOption{"export", kVariables},
    ReservedOption{"export-file", kVariables},
    ReservedOption{"get-user-env", kVariables},
    ReservedOption{"gres", kHasSetting, "gres"},
    ReservedOption{"help", kSubmits},
    ReservedOption{"hold", kOrder},
    ReservedOption{"input", kFiles},
    ReservedOption{"job-name", kFindsJobs},
    ReservedOption{"kill-on-invalid-dep", kOrder},
    ReservedOption{"mem", kHasSetting, "memory"},
    ReservedOption{"mem-per-cpu", kHasSetting, "memory"},
    ReservedOption{"mem-per-gpu", kHasSetting, "memory"},
    ReservedOption{"no-requeue", kRetries},
    ReservedOption{"nodes", kOneNode},
    ReservedOption{"ntasks", kOneNode},
    ReservedOption{"ntasks-per-node", kOneNode},
    ReservedOption{"open-mode", kFiles},
    ReservedOption{"output", kFiles},
    ReservedOption{"parsable", kSubmits},
    ReservedOption{"partition", kHasSetting, "partition"},
    ReservedOption{"qos", kHasSetting, "qos"},
    ReservedOption{"quiet", kSubmits},
    ReservedOption{"requeue", kRetries},
    ReservedOption{"signal", "the executor decides how a job is stopped"},
    ReservedOption{"test-only", kSubmits},
    ReservedOption{"time", kHasSetting, "time"},
    ReservedOption{"usage", kSubmits},
    ReservedOption{"verbose", kSubmits},
    ReservedOption{"version", kSubmits},
    ReservedOption{"wait", kSubmits},
    ReservedOption{"workdir", kFiles},
    ReservedOption{"wrap", kSubmits},
};

/// The reserved option that sbatch may take the name for.
const ReservedOption* reserved_by(std::string_view name) {
  const auto* const exact = std::ranges::find(kReserved, name, &ReservedOption::name);
  if (exact != kReserved.end()) return exact;
  const auto* const longer = std::ranges::find_if(
      kReserved, [&](const ReservedOption& each) { return each.name.starts_with(name); });
  return longer == kReserved.end() ? nullptr : longer;
}

std::string instead_of(const ReservedOption& reserved) {
  if (reserved.setting.empty()) return "remove it";
  return fmt::format("set {} instead", quoted(std::string(reserved.setting)));
}

}  // namespace

bool is_job_word(std::string_view text) {
  return !text.empty() && text[0] != '-' && std::ranges::all_of(text, [](char c) {
    return c > ' ' && c < 0x7f && c != '"' && c != '\'' && c != '\\' && c != '#';
  });
}

OptionProblem problem_of_option(std::string_view option) {
  if (!option.starts_with("--") || option.size() < 3) {
    return {fmt::format("{} is not a long option of sbatch", quoted(option)),
            "write it as `--NAME` or `--NAME=VALUE`"};
  }
  const std::string_view word = option.substr(2);
  if (!is_job_word(word)) {
    return {fmt::format("{} cannot be an option of a job", quoted(option)),
            "write one option without blanks, quotes, `\\` and `#`: `--NAME=VALUE`"};
  }
  // sbatch reads `_` as another character, and only lower case.
  const std::string_view name = word.substr(0, word.find('='));
  if (name.empty() || !std::ranges::all_of(name, [](char c) {
        return is_alphanumeric(c) || c == '-' || c == '_';
      })) {
    return {fmt::format("{} is not a long option of sbatch", quoted(option)),
            "write it as `--NAME` or `--NAME=VALUE`"};
  }
  if (const ReservedOption* const reserved = reserved_by(name)) {
    const std::string as =
        reserved->name == name
            ? std::string()
            : fmt::format(" (sbatch reads it as {})", quoted(fmt::format("--{}", reserved->name)));
    return {fmt::format("{} cannot be given{}: {}", quoted(fmt::format("--{}", name)), as,
                        reserved->why),
            instead_of(*reserved)};
  }
  return {};
}

}  // namespace pinwheel::slurm
