#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/workplace.h"
#include "env/doctor.h"
#include "host/machine/local_machine.h"
#include "host/provision/doctor.h"

namespace pinwheel::cli {
namespace {

std::string as_text(const std::vector<env::DoctorLine>& lines) {
  std::string out;
  for (const env::DoctorLine& line : lines) {
    const char* const mark = line.verdict == env::DoctorVerdict::good      ? "ok"
                             : line.verdict == env::DoctorVerdict::limited ? "--"
                                                                           : "no";
    out += fmt::format("{}  {:<13}{}\n", mark, line.name, line.found);
    if (!line.allows.empty()) out += fmt::format("    {:<13}{}\n", "", line.allows);
    if (!line.mend.empty()) out += fmt::format("    {:<13}fix: {}\n", "", line.mend);
  }
  return out;
}

}  // namespace

Result<int> cmd_doctor(const GlobalOptions& global, const DoctorOptions& options,
                       Streams& streams) {
  const std::map<std::string, std::string> variables = user_variables();
  TRY(const std::filesystem::path cache, cache_directory(variables));
  const host::LocalMachine local(variables, cache, global.state_dir, {}, streams.log());
  const std::vector<env::DoctorLine> lines =
      env::diagnose_machine(host::gather_doctor_facts(local.machine));
  if (options.json) {
    streams.json(env::to_json(lines));
  } else {
    streams.data(as_text(lines));
  }
  return env::can_build(lines) ? 0 : exit_code(ErrorKind::environment);
}

}  // namespace pinwheel::cli
