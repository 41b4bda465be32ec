#include "slurm/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "slurm/listing.h"

namespace pinwheel::slurm {
namespace {

/// The command that runs a step of a kind. Environments are those of builds or of tests.
std::string_view verb_of(JobKind kind) {
  return kind == JobKind::build ? "build" : "test";
}

std::string directive(std::string_view name, std::string_view value) {
  return fmt::format("#SBATCH --{}=\"{}\"\n", name, value);
}

/// The variables that jobs get. The caller's directory for temporary files exists only on its
/// machine.
std::vector<std::string> exported(std::vector<std::string> names) {
  std::erase(names, "TMPDIR");
  return names;
}

std::string directives(const JobArray& array, const std::string& submission, const JobSite& site,
                       const std::vector<int>& indexes) {
  const JobClass& request = array.request;
  std::string text;
  text += directive("job-name", fmt::format("pinwheel-{}", to_string(request.kind)));
  text += directive("comment", comment_of(submission));
  text += directive("array", index_list(indexes));
  text += directive("chdir", site.directory);
  text += directive("output", fmt::format("{}/logs/{}.%a.out", site.run, submission));
  text += directive("open-mode", "append");
  text += directive("kill-on-invalid-dep", "yes");
  // A job that started again by itself would have the token of the one before.
  text += "#SBATCH --no-requeue\n";
  const std::vector<std::string> names = exported(site.variables);
  text += directive("export", names.empty() ? "NIL" : join(names, ","));
  text += "#SBATCH --ntasks=1\n#SBATCH --nodes=1\n";
  text += directive("cpus-per-task", std::to_string(request.cores));
  if (request.minutes > 0) text += directive("time", std::to_string(request.minutes));
  if (request.megabytes > 0) text += directive("mem", fmt::format("{}M", request.megabytes));
  if (!request.partition.empty()) text += directive("partition", request.partition);
  if (!request.account.empty()) text += directive("account", request.account);
  if (!request.qos.empty()) text += directive("qos", request.qos);
  if (!request.gres.empty()) text += directive("gres", request.gres);
  for (const std::string& option : request.options) text += "#SBATCH " + option + "\n";
  for (const auto& [index, element] : array.elements) {
    text += fmt::format("{}{} {} {}\n", kElementLine, index, element.token, element.step);
  }
  return text;
}

std::string choice_of_element(const JobArray& array) {
  std::string text = "case ${SLURM_ARRAY_TASK_ID:-} in\n";
  for (const auto& [index, element] : array.elements) {
    text +=
        fmt::format("  {}) token={} step={} ;;\n", index, element.token, shell_quote(element.step));
  }
  return text + fmt::format("  *) exit {} ;;\nesac\n", kNoResult);
}

/// A stop signal reaches only this shell in some configurations, so it is passed on.
constexpr std::string_view kRunStep =
    R"(temporary=/tmp
for each in "${SLURM_TMPDIR:-}" "${TMPDIR:-}"; do
  if [ -d "$each" ] && [ -w "$each" ]; then temporary=$each; break; fi
done
export TMPDIR=$temporary
work=$(mktemp -d "$temporary/pinwheel-job.XXXXXXXX") || exit 75
trap 'rm -rf "$work"' EXIT
mkdir -p "$run/logs/$token" || exit 75
)";

constexpr std::string_view kAwaitStep = R"(child=$!
trap 'kill -TERM "$child" 2>/dev/null' TERM INT HUP
wait "$child"
code=$?
while kill -0 "$child" 2>/dev/null; do
  wait "$child"
  code=$?
done
if [ "$code" -gt 128 ]; then exit "$code"; fi
new=$run/results/.$token.${SLURM_JOB_ID:-0}
write_result() {
  printf '{"schema":"pinwheel-job/1","token":"%s","exit_code":%d,"report":' "$token" "$code" || return 1
  if [ -s "$work/report.json" ]; then cat "$work/report.json" || return 1; else printf null || return 1; fi
  printf '}\n'
}
if ! write_result >"$new" || ! sync "$new" || ! mv -f "$new" "$run/results/$token.json"; then
  rm -f "$new"
  echo "pinwheel: the result cannot be written to $run/results" >&2
  exit 75
fi
exit "$code"
)";

bool is_safe_path(const std::string& path) {
  return std::ranges::none_of(path, [](char c) {
    return c == '"' || c == '\\' || c == '%' || static_cast<unsigned char>(c) < ' ' || c == '\x7f';
  });
}

}  // namespace

Done check_site(const JobSite& site) {
  for (const std::string& path : {site.run, site.program, site.directory}) {
    if (is_safe_path(path)) continue;
    return fail(ErrorKind::config, fmt::format("{} cannot be in a script for sbatch", quoted(path)),
                "use a path without quotes, backslashes, `%` and control characters");
  }
  return {};
}

std::string index_list(const std::vector<int>& indexes) {
  std::string text;
  for (size_t i = 0; i < indexes.size();) {
    size_t last = i;
    while (last + 1 < indexes.size() && indexes[last + 1] == indexes[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(indexes[i]);
    if (last > i) text += fmt::format("-{}", indexes[last]);
    i = last + 1;
  }
  return text;
}

std::string script_of(const JobArray& array, const std::string& submission, const JobSite& site,
                      const std::vector<int>& indexes) {
  std::string text = "#!/bin/bash\n";
  text += directives(array, submission, site, indexes);
  text += "set -u\n";
  text += fmt::format("run={}\n", shell_quote(site.run));
  text += choice_of_element(array);
  text += kRunStep;
  text += fmt::format(
      "{} {} --plan \"$run/plan.json\" --step \"$step\" --reuse-only "
      "--executor local",
      shell_quote(site.program), verb_of(array.request.kind));
  text +=
      " \\\n  --state-dir \"$work/state\" --output-dir \"$work/out\" --logs-dir "
      "\"$run/logs/$token\"";
  text += " \\\n  --jobs \"${SLURM_CPUS_PER_TASK:-1}\"";
  for (const std::string& argument : site.arguments) text += " " + shell_quote(argument);
  text += " \\\n  --json >\"$work/report.json\" &\n";
  text += kAwaitStep;
  return text;
}

}  // namespace pinwheel::slurm
