#include "host/steps/sdist.h"

#include <utility>

#include "host/wheels/finish_files.h"
#include "host/wheels/leaked_secret.h"

namespace pinwheel::host {

Done compile_sdist(const StepContext& context, const plan::BuildSdist& action,
                   const BuildSite& site) {
  ports::Command command = sdist_command(action, site.setting(context));
  if (action.network == matrix::BuildNetwork::none) {
    command.network = context.workplace.build_network;
  }
  return run_logged(context, site, std::move(command), "building the sdist");
}

Result<run::Success> perform_sdist(const StepContext& context, const plan::BuildSdist& action) {
  TRY(const BuildSite site, prepare_site(context, action));
  enter_phase(context, plan::StepPhase::execution);
  TRY_DONE(compile_sdist(context, action, site));
  enter_phase(context, plan::StepPhase::output_upload);
  TRY(const std::filesystem::path built,
      only_file(context, context.attempt.scratch / kDistName, ".tar.gz"));
  TRY_DONE(check_sdist_for_secrets(built, action.secrets, context.workplace.secrets));
  const FinishSdistRequest request{action.distribution, action.version, action.source_date_epoch};
  TRY(const plan::Output output, finish_sdist(built, request, context.workplace.output));
  run::Success success;
  success.outputs = {output};
  return success;
}

Result<ports::Exit> enter_sdist(const StepContext& context, const plan::BuildSdist& action,
                                const Enter& enter) {
  TRY(const BuildSite site, prepare_site(context, action));
  return enter(site.space.wrap(sdist_command(action, site.setting(context))));
}

}  // namespace pinwheel::host
