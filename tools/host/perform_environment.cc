#include "host/perform.h"
#include "host/test_environment.h"

namespace pinwheel::host {

Result<run::Success> perform_environment(const Bench& bench,
                                         const plan::CreateEnvironment& action) {
  TRY(const BaseEnvironment base, test_environment(bench, action.request, action.only_tests));
  return run::Success{};
}

}  // namespace pinwheel::host
