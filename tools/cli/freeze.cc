#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "cli/gather.h"
#include "cli/levels.h"
#include "cli/locks.h"
#include "cli/prepare_containers.h"
#include "env/resolution.h"
#include "host/env_resolve.h"
#include "host/local_machine.h"
#include "plan/environments.h"
#include "plan/frozen.h"

namespace pinwheel::cli {
namespace {

Result<std::vector<std::string>> expected_files(const Loaded& loaded, const plan::Outline& outline,
                                                const Facts& facts) {
  TRY(const plan::Namings namings, name_builds(loaded, outline, facts));
  std::vector<std::string> files;
  for (const plan::BuildGroup& group : outline.builds) {
    TRY(const matrix::Variant* const variant,
        plan::find_variant(loaded.expansion, group.cls.representative));
    const plan::WheelTags tags = plan::tags_of(loaded.matrix.abi, *variant, facts.plan.machine);
    for (const wheel::Naming& naming : namings.at(group.cls.id)) {
      files.push_back(fmt::format("{}-{}-{}-{}-*_{}.whl",
                                  replace_all(naming.distribution, "-", "_"), naming.version,
                                  tags.python, tags.abi, tags.arch));
    }
  }
  return files;
}

}  // namespace

Done freeze_plan(ports::Files& files, const GlobalOptions& global, const FreezeRequest& request,
                 Facts facts, Streams& streams) {
  const auto& [out, matrix_path, loaded, outline, levels, locks] = request;
  TRY(host::Workplace workplace, make_workplace(global, loaded));
  TRY_DONE(gather_build_facts(loaded, workplace, facts));
  TRY(const plan::PlanOptions options, plan_options(plan::Stage::publish, facts.targets, levels));
  const Undertaking whole{loaded, outline, options};
  TRY_DONE(prepare_containers(whole, levels, workplace, streams, facts));
  if (locks == UseLocks::yes) {
    TRY_DONE(apply_locks(whole, workplace, Refresh::no, streams, facts));
  }
  TRY_DONE(gather_resolutions(whole, workplace, Refresh::no, streams, facts));
  plan::FrozenPlan frozen;
  TRY(const std::string text, files.read(matrix_path));
  frozen.matrix_digest = sha256_hex(text);
  frozen.channel = facts.channel;
  frozen.targets = facts.targets;
  for (const matrix::Variant& variant : outline.variants) frozen.variants.push_back(variant.id);
  frozen.version = facts.plan.version;
  frozen.source_date_epoch = facts.plan.source_date_epoch;
  frozen.commit = facts.plan.commit;
  frozen.source_digest = facts.plan.source.digest;
  frozen.machine = facts.plan.machine;
  TRY(frozen.files, expected_files(loaded, outline, facts));
  const host::LocalMachine local(workplace);
  for (const auto& [asked, digest] : facts.plan.resolutions) {
    TRY(const env::Resolution resolution, host::load_resolution(local.machine, asked));
    frozen.resolutions[asked] = env::to_json(resolution);
  }
  TRY_DONE(files.write(out, plan::to_json(frozen)));
  streams.note(fmt::format("froze {} into `{}`\n", plan::summary_line(outline), out));
  return {};
}

}  // namespace pinwheel::cli
