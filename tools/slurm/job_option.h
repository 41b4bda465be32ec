#pragma once
#include <string>
#include <string_view>

namespace pinwheel::slurm {

/// Why a text cannot be an option of sbatch in a configuration file, and what to write instead.
struct OptionProblem {
  std::string message;  ///< empty: there is none
  std::string hint = {};
};

/// Accepts a long option, "--constraint=avx512" or "--exclusive". Refuses short options, options
/// that the executor sets itself (sbatch uses the last value, so jobs would be lost or their
/// results would not be found), options that have a setting, and abbreviations of both, because
/// sbatch accepts abbreviations (getopt_long).
OptionProblem problem_of_option(std::string_view option);

/// Whether the text is one word on an `#SBATCH` line and one argument: printable ASCII without
/// blanks, quotes, backslashes and `#`, not empty, and without `-` at the start.
bool is_job_word(std::string_view text);

}  // namespace pinwheel::slurm
