#pragma once
#include <string>
#include <vector>

#include "base/result.h"

namespace CLI {
class App;
}

namespace pinwheel::cli {

/// A completion script for bash, zsh or fish, or the man page (`man`), generated from the parser so
/// that it is always up to date. `usage` for any other shell.
Result<std::string> make_completion(const CLI::App& app, const std::string& shell);

/// The kind of words that may complete a word on the command line.
enum class Completing {
  words,           ///< the request's own words
  files,           ///< a file, which the shell completes
  selector,        ///< `AXIS=VALUE,VALUE`
  id,              ///< a variant or a build
  id_or_matrix,    ///< the same, or a matrix file
  explained,       ///< the same, or a test or an install test
  step,            ///< a step that was run here, or that runs
  step_or_matrix,  ///< a step that was run here or is running
  planned_step,    ///< the same, or a variant or a matrix file
  job_or_matrix,   ///< a step of the matrix, or one that was run here
  channel,
  target,
  subject,  ///< of `docs`
};

struct CompletionRequest {
  Completing what = Completing::words;
  std::vector<std::string> words = {};
  std::string current = {};    ///< the beginning of the word
  std::string matrix = {};     ///< the matrix file on the line; empty: the default
  std::string state_dir = {};  ///< of `--state-dir` on the line; empty: the default
};

/// The request at the end of a line such as "pinwheel build -s pyth": words are separated by
/// blanks, the last is what the user is typing.
CompletionRequest request_of(const CLI::App& program, const std::string& line);

}  // namespace pinwheel::cli
