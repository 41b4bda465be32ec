#include "session/slurm_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "env/pass_list.h"
#include "host/machine/machine_name.h"
#include "host/slurm/allocation_commands.h"
#include "plan/action.h"
#include "prepare/time_left.h"
#include "slurm/allocation.h"
#include "slurm/job_class.h"
#include "slurm/whole_plan.h"

namespace pinwheel::session {
namespace {

namespace fs = std::filesystem;

/// Variables of pinwheel that are options of the caller's command; a job has other options.
constexpr std::array<std::string_view, 18> kOwnOptions = {
    "PINWHEEL_EXECUTOR",   "PINWHEEL_STATE_DIR",  "PINWHEEL_OUTPUT_DIR",   "PINWHEEL_STORE",
    "PINWHEEL_LOG_FILE",   "PINWHEEL_LOG_FORMAT", "PINWHEEL_JOBS",         "PINWHEEL_MEMORY",
    "PINWHEEL_SHARD",      "PINWHEEL_CHANNEL",    "PINWHEEL_ENGINE",       "PINWHEEL_PYTHON",
    "PINWHEEL_BASE_IMAGE", "PINWHEEL_COLOR",      "PINWHEEL_STORE_DOMAIN", "PINWHEEL_MATRIX",
    "PINWHEEL_TIME_LIMIT", "PINWHEEL_CHECKPOINTS"};

/// Whether a variable is an option of the caller, or a credential for uploads.
bool is_of_caller(std::string_view name) {
  return std::ranges::find(kOwnOptions, name) != kOwnOptions.end() ||
         name.starts_with("PINWHEEL_TOKEN_") || name.starts_with("PINWHEEL_USER_");
}

bool is_name(std::string_view name) {
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
         std::ranges::all_of(name, [](char c) {
           return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
         });
}

/// The names of the caller's variables that jobs get: those of helper programs, of pinwheel, of the
/// store, and the secrets of steps. Nothing that only a publication needs.
std::vector<std::string> variables_of_jobs(const std::map<std::string, std::string>& variables,
                                           const plan::Plan& plan) {
  std::set<std::string> secrets;
  for (const plan::Step& step : plan.steps) {
    if (!slurm::job_kind_of(step)) continue;
    for (std::string& name : plan::secrets_of(step.action)) secrets.insert(std::move(name));
  }
  const std::map<std::string, std::string> helpers = env::helper_variables(variables);
  std::vector<std::string> names;
  for (const auto& [name, value] : variables) {
    const bool own = name.starts_with("PINWHEEL_") && !is_of_caller(name);
    const bool wanted =
        own || helpers.contains(name) || secrets.contains(name) || name.starts_with("AWS_");
    const bool foreign = name.starts_with("SLURM_") || name.starts_with("SBATCH_");
    if (wanted && !foreign && is_name(name)) names.push_back(name);
  }
  return names;
}

std::string value_or_empty(const std::map<std::string, std::string>& variables,
                           const std::string& name) {
  const auto found = variables.find(name);
  return found == variables.end() ? std::string() : found->second;
}

slurm::JobSite site_of(const prepare::Host& host, const SlurmRequest& request,
                       const host::Workplace& workplace, const plan::Plan& plan,
                       const std::string& frozen) {
  constexpr size_t kPlanDigits = 16;
  const std::string name = sha256_hex(plan.digest + "\n" + frozen).substr(0, kPlanDigits);
  const fs::path shared =
      request.settings.shared.empty() ? workplace.state : fs::path(request.settings.shared);
  std::error_code ignored;
  slurm::JobSite site;
  site.run = (shared / "slurm" / name).string();
  site.program = fs::read_symlink("/proc/self/exe", ignored).string();
  site.directory = host.directory.string();
  site.arguments = request.arguments;
  site.variables = variables_of_jobs(host.variables, plan);
  return site;
}

/// The site whose jobs use the results of this domain.
slurm::JobSite with_domain(slurm::JobSite site, store::Domain domain) {
  site.arguments.insert(site.arguments.end(), {"--store-domain", std::string(to_string(domain))});
  return site;
}

Result<std::chrono::milliseconds> grace_of(const prepare::Host& host,
                                           const slurm::SlurmSettings& settings) {
  const std::string text = value_or_empty(host.variables, "PINWHEEL_SLURM_GRACE");
  if (text.empty() && settings.grace.count() > 0) return settings.grace;
  if (text.empty()) return host::SlurmSetup{}.grace;
  const auto parsed = parse_duration(text);
  if (parsed && parsed->count() > 0) return *parsed;
  return fail(ErrorKind::usage, fmt::format("`PINWHEEL_SLURM_GRACE` cannot be {}", quoted(text)),
              "use a duration, `60s`");
}

/// Refuses steps that would not end before the job that this process runs in. The references
/// outlive the check.
host::StepCheck time_check(const prepare::Host& host, const host::EnvMachine& machine,
                           const plan::Plan& plan) {
  return [&host, &plan,
          end = prepare::find_job_end(machine, host.variables)](const std::string& step) -> Done {
    const auto found = std::ranges::find(plan.steps, step, &plan::Step::id);
    if (found == plan.steps.end()) return {};
    return prepare::check_ends_in_time(*found, end, host.clock.now());
  };
}

/// What steps that run inside of an allocation need from their caller.
struct AllocationSite {
  const host::EnvMachine& machine;  ///< for questions about the allocation
  ports::Process& process;          ///< for the commands of Slurm
  const ports::LogHandle& log;
  const plan::Plan& plan;
};

/// The commands of the cluster; in a job of Slurm, steps of this job.
std::unique_ptr<host::SlurmCommands> commands_of(const prepare::Host& host,
                                                 const AllocationSite& site) {
  std::optional<slurm::Allocation> allocation = slurm::read_allocation(host.variables);
  if (!allocation) {
    return std::make_unique<host::SlurmCommands>(site.process, host.variables);
  }
  const auto run = [&host, log = site.log](const ports::Command& command, std::stop_token stop) {
    host::Workplace place = prepare::outside_run(host, log);
    place.stop = std::move(stop);
    return host.machine(place)->process.capture(command);
  };
  return std::make_unique<host::AllocationCommands>(host.files, site.process, run, host.variables,
                                                    *std::move(allocation),
                                                    time_check(host, site.machine, site.plan));
}

prepare::OpenMachine stoppable_machine(const prepare::Host& host, const ports::LogHandle& log,
                                       std::stop_token stop) {
  host::Workplace place = prepare::outside_run(host, log);
  place.stop = std::move(stop);
  return host.machine(place);
}

}  // namespace

SlurmRun::SlurmRun(const prepare::Host& host, const host::Workplace& workplace,
                   host::SlurmSetup setup, const plan::Plan& plan, host::Store& store)
    : host_(host),
      stoppable_(stoppable_machine(host, workplace.log, stop_.get_token())),
      later_(host.machine(prepare::outside_run(host, workplace.log))),
      process_(stoppable_->process, later_->process, stop_.get_token()),
      setup_(std::move(setup)),
      store_(store),
      directory_(host.files, setup_.site.run),
      commands_(commands_of(host, {*stoppable_, process_, workplace.log, plan})) {}

Result<std::unique_ptr<SlurmRun>> SlurmRun::open(const prepare::Host& host,
                                                 const SlurmRequest& request,
                                                 const host::Workplace& workplace,
                                                 const plan::Plan& plan, host::Store& store) {
  host::SlurmSetup setup;
  setup.settings = request.settings;
  TRY(const std::string frozen, request.frozen());
  setup.site = with_domain(site_of(host, request, workplace, plan, frozen), store.domain());
  setup.output = workplace.output;
  TRY(setup.grace, grace_of(host, request.settings));
  if (request.settings.poll.count() > 0) setup.poll_every = request.settings.poll;
  if (const auto allocation = slurm::read_allocation(host.variables)) {
    setup.allocation = allocation->job;
    setup.host = host::worker_name(host.variables);
  }
  TRY_DONE(slurm::check_site(setup.site));
  auto run =
      std::unique_ptr<SlurmRun>(new SlurmRun(host, workplace, std::move(setup), plan, store));
  TRY_DONE(run->directory_.prepare(frozen));
  return run;
}

std::unique_ptr<host::SlurmExecutor> SlurmRun::executor(run::Executor& local, Console& console) {
  host::SlurmSetup setup = setup_;
  setup.stop = stop_.get_token();
  setup.warn = [&console](const Error& error) { console.warn(error); };
  return std::make_unique<host::SlurmExecutor>(
      std::move(setup), host::SlurmPorts{directory_, *commands_, store_, host_.clock, local});
}

Result<std::string> slurm_script(const prepare::Host& host, const SlurmRequest& request,
                                 const host::Workplace& workplace, const plan::Plan& plan,
                                 store::Domain domain) {
  TRY(const std::string frozen, request.frozen());
  const slurm::JobSite site = with_domain(site_of(host, request, workplace, plan, frozen), domain);
  TRY_DONE(slurm::check_site(site));
  const prepare::OpenMachine machine = host.machine(prepare::outside_run(host, workplace.log));
  const std::optional<slurm::Allocation> allocation = slurm::read_allocation(host.variables);
  const int largest = allocation
                          ? host::AllocationCommands::kLargestArray
                          : host::SlurmCommands(machine->process, host.variables).largest_array();
  return slurm::plan_script(
      {plan, request.settings, site, largest,
       [&plan](const std::string& step) { return run::job_token(plan.digest, step, 1); },
       allocation ? allocation->job : std::string()});
}

}  // namespace pinwheel::session
