#include "host/machine/local_machine.h"

#include <utility>

namespace pinwheel::host {

LocalMachine::LocalMachine(std::map<std::string, std::string> variables,
                           std::filesystem::path cache, std::filesystem::path state,
                           std::stop_token stop)
    : process(std::move(stop)),
      machine{files, process, clock, std::move(variables), std::move(cache), std::move(state)} {}

LocalMachine::LocalMachine(const Workplace& workplace)
    : LocalMachine(workplace.variables, workplace.cache, workplace.state, workplace.stop) {}

}  // namespace pinwheel::host
