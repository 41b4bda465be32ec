#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "ports/process.h"

namespace pinwheel::env {

/// A row of a tool's table: output that contains `text` means `kind`. The first row that matches
/// wins, so permanent failures come before transient ones.
struct Symptom {
  std::string_view text;  ///< a glob within one line of output, with an implied `*` at both ends
  ErrorKind kind;
  std::string_view hint;
};

/// The hint for a full disk.
inline constexpr std::string_view kFreeSpace =
    "free space for the cache (`PINWHEEL_CACHE_DIR`), for `--state-dir` and, in containers, for "
    "the engine's storage";

/// The resource that ran out, if the machine can measure it.
enum class Lack { nothing, disk_space };

/// Why a tool failed.
struct Diagnosis {
  ErrorKind kind = ErrorKind::step;
  std::string line = {};  ///< the output line that shows it, trimmed; may be empty
  std::string hint = {};
  Lack lack = Lack::nothing;
  std::optional<Location> at = {};  ///< as the tool names it
};

/// The exit status takes precedence over the output: a canceled child is `interrupted`, a time
/// limit `timeout`, an out-of-memory kill `out_of_memory`. Then the table decides; if no row
/// matches, the kind is `step`, which is not retried.
Diagnosis diagnose(const ports::Exit& exit, std::string_view output,
                   std::span<const Symptom> table);

/// The diagnosis as an error: "`what` failed: line", with the exit code or signal if there is no
/// line.
Error to_error(const Diagnosis& diagnosis, std::string_view what, const ports::Exit& exit);

/// How a failed child ended: "exit code 3", "ended by signal 9", "exceeded its time limit".
std::string ending(const ports::Exit& exit);

/// Why pip failed: an unreachable or busy index is `transient`; a requirement that nothing
/// satisfies is `config`; a hash mismatch and a rejected login are `environment`. The line of a
/// conflict ends with pip's reasons, five at most, from anywhere in the output. A package that
/// cannot be built is `step`, or `environment` for want of a compiler, with the line of
/// `pip_reason`.
Diagnosis classify_pip(const ports::Exit& exit, std::string_view output);

/// Why pip did not install a release by the hashes of its record: as `classify_pip`, but a hash
/// mismatch and a rejected login are `check`, because the index is wrong, and not the environment.
Diagnosis classify_pip_of_release(const ports::Exit& exit, std::string_view output);

/// Why uv did not install a release by the hashes of its record: an unreachable or busy index is
/// `transient`, a hash mismatch or a rejected login `check`; anything else is `step`, with the line
/// of its error.
Diagnosis classify_uv(const ports::Exit& exit, std::string_view output);

/// Why a command of a test failed. Its exit alone decides the kind. The line comes from the output:
/// the exception by which a process ended itself before a signal ended it, pytest's or unittest's
/// first failure, Python's exception, or the error of a compiler that the test ran. An unexplained
/// signal comes with the last line of the output. Empty if there is no line.
Diagnosis classify_test(const ports::Exit& exit, std::string_view output);

}  // namespace pinwheel::env
