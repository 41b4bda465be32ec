#include "host/machine/local_machine.h"

#include <chrono>
#include <utility>

#include "env/pass_list.h"

namespace pinwheel::host {
namespace {

constexpr std::chrono::milliseconds kGrace = std::chrono::seconds(2);

}  // namespace

LocalMachine::LocalMachine(const std::map<std::string, std::string>& variables,
                           std::filesystem::path cache, std::filesystem::path state,
                           std::stop_token stop, ports::LogHandle log_to,
                           std::shared_ptr<const HiddenText> hidden)
    : log(std::move(log_to)),
      children(std::move(stop), kGrace, std::move(hidden)),
      files(disk, *log, clock),
      process(children, *log, clock),
      machine{.files = files,
              .process = process,
              .clock = clock,
              .variables = env::helper_variables(variables),
              .cache = std::move(cache),
              .state = std::move(state),
              .log = log,
              .leases = std::make_shared<Leases>()} {}

LocalMachine::LocalMachine(const Workplace& workplace)
    : LocalMachine(workplace.variables, workplace.cache, workplace.state, workplace.stop,
                   workplace.log, workplace.hidden) {
  machine.user = cache_user(workplace, {});
  machine.given = workplace.given;
  if (workplace.leases) machine.leases = workplace.leases;
}

}  // namespace pinwheel::host
