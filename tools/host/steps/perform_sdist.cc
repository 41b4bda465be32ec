#include "host/steps/build_site.h"
#include "host/steps/finish_files.h"
#include "host/steps/perform.h"

namespace pinwheel::host {

Result<run::Success> perform_sdist(const Bench& bench, const plan::BuildSdist& action) {
  TRY(const BuildSite site,
      prepare_site(bench, action.environment, action.source, action.source_date_epoch));
  TRY_DONE(
      run_logged(bench, site, sdist_command(action, site.setting(bench)), "building the sdist"));
  TRY(const std::filesystem::path built,
      only_file(bench, bench.attempt.scratch / kDistName, ".tar.gz"));
  const SdistRequest request{action.distribution, action.version, action.source_date_epoch};
  TRY(const plan::Output output, finish_sdist(built, request, bench.workplace.output));
  run::Success success;
  success.outputs = {output};
  return success;
}

}  // namespace pinwheel::host
