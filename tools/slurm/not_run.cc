#include "slurm/not_run.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/text.h"
#include "base/visible_text.h"

namespace pinwheel::slurm {
namespace {

/// The last error that pinwheel printed; empty: none.
std::string last_error_in(std::string_view output) {
  constexpr std::string_view kPrefix = "error: ";
  std::string last;
  for (const std::string& line : split(output, '\n')) {
    if (line.starts_with(kPrefix)) last = visible(std::string_view(line).substr(kPrefix.size()));
  }
  return last;
}

}  // namespace

Error not_run(const std::string& step, int code, std::string_view output, const std::string& log) {
  const std::string cause = last_error_in(output);
  std::string hint = fmt::format("see {}", quoted(log));
  if (code == exit_code(ErrorKind::drift)) {
    hint = "the checkout must not change until the last job has started: run the command again; " +
           hint;
  }
  return {ErrorKind::environment,
          fmt::format("{} did not run: pinwheel exited with {} in its job{}{}", quoted(step), code,
                      cause.empty() ? "" : ": ", cause),
          std::nullopt, std::move(hint)};
}

}  // namespace pinwheel::slurm
