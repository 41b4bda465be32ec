#include "host/steps/operators_check.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "base/text.h"
#include "binary/elf.h"
#include "host/provision/env_checks.h"
#include "host/provision/env_overlay.h"
#include "host/steps/built_wheel.h"
#include "host/system/file_source.h"
#include "host/wheels/importable_names.h"
#include "wheel/archive.h"
#include "wheel/pinned_requirements.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

// Arguments: the modules, comma-separated, then the operators. Prints the operators that torch does
// not have.
constexpr const char* kAskTorch = R"(
import importlib, sys
import torch
for module in sys.argv[1].split(","):
    importlib.import_module(module)
for operator in sys.argv[2:]:
    space, name = operator.split("::")
    try:
        getattr(getattr(torch.ops, space), name)
    except (AttributeError, RuntimeError):
        print(operator)
)";

Error missing(const fs::path& wheel, const std::vector<std::string>& operators) {
  return {ErrorKind::check,
          fmt::format("{} does not register {}", quoted(wheel.filename().string()),
                      quoted_list(operators)),
          std::nullopt, "compare `checks.after: operators` with the library's definitions"};
}

/// Installs the wheel with its requirements, except its siblings: they may not be built yet, and no
/// index has them.
Done install_alone(const Overlay& overlay, const CheckedWheel& checked) {
  if (checked.naming.pins.empty()) return overlay.install({checked.path.string()});
  TRY(const wheel::Metadata metadata, metadata_of(checked.path));
  const std::vector<std::string> others =
      wheel::unpinned_requirements(metadata.requires_dist(), checked.naming.pins);
  if (!others.empty()) TRY_DONE(overlay.install(others));
  return overlay.install({checked.path.string()}, env::Dependencies::left_out);
}

Result<std::vector<std::string>> ask_torch(const StepContext& context, const BuildSite& site,
                                           const BaseEnvironment& base, const CheckedWheel& checked,
                                           const std::vector<std::string>& operators) {
  const fs::path& wheel = checked.path;
  TRY(const Overlay overlay,
      Overlay::create(context.machine, base, context.attempt.scratch / "operators"));
  TRY_DONE(install_alone(overlay, checked));
  TRY(const std::vector<std::string> modules, importable_names(wheel));
  std::vector<std::string> argv = {overlay.python(), "-c", kAskTorch, join(modules, ",")};
  argv.insert(argv.end(), operators.begin(), operators.end());
  std::map<std::string, std::string> variables = clean_variables(site.setting(context));
  variables["PATH"] = overlay.path();
  const ports::Command command{std::move(argv), context.attempt.scratch, std::move(variables),
                               context.attempt.step->timeout};
  TRY(const ports::Captured asked, context.machine.process.capture(command));
  if (!asked.exit.ok()) {
    append_log(context, asked.err);
    return fail(ErrorKind::check, fmt::format("{} cannot be imported to check its operators: {}",
                                              quoted(wheel.filename().string()),
                                              split(trim(asked.err), '\n').back()));
  }
  std::vector<std::string> lacking;
  for (const std::string& line : split(asked.out, '\n')) {
    if (!line.empty()) lacking.push_back(line);
  }
  return lacking;
}

/// The operators whose unqualified names are in no library of the wheel.
Result<std::vector<std::string>> look_into(const fs::path& path,
                                           const std::vector<std::string>& operators) {
  TRY(const std::unique_ptr<FileSource> source, FileSource::open(path));
  TRY(const wheel::WheelArchive archive, wheel::open_wheel(path.filename().string(), *source));
  std::vector<std::string> lacking = operators;
  for (const wheel::ZipMember& member : archive.zip.members()) {
    if (member.name.ends_with('/')) continue;
    TRY(const std::string bytes, archive.zip.read(member));
    if (!binary::is_elf(bytes)) continue;
    std::erase_if(lacking, [&bytes](const std::string& name) {
      const size_t colons = name.find("::");
      return bytes.find(colons == std::string::npos ? name : name.substr(colons + 2)) !=
             std::string::npos;
    });
  }
  return lacking;
}

/// The operators that the wheel does not register.
Result<std::vector<std::string>> lacking_operators(const StepContext& context,
                                                   const plan::BuildWheel& action,
                                                   const BuildSite& site,
                                                   const CheckedWheel& checked,
                                                   const std::vector<std::string>& operators) {
  TRY(const BaseEnvironment base, base_environment(context, action.checked_in));
  std::optional<std::string> cannot_load =
      env::skip_reason(torch_of(context.machine, base.python), action.compute);
  if (!cannot_load) {
    Result<std::vector<std::string>> lacking = ask_torch(context, site, base, checked, operators);
    const bool failed = !lacking && lacking.error().kind == ErrorKind::check;
    if (!failed || checked.naming.pins.empty()) return lacking;
    cannot_load = lacking.error().message + " (its siblings are not installed)";
  }
  append_log(context, fmt::format("operators: {}; searched for their names in the libraries\n",
                                  *cannot_load));
  return look_into(checked.path, operators);
}

}  // namespace

Done check_operators(const StepContext& context, const plan::BuildWheel& action,
                     const BuildSite& site, const CheckedWheel& checked,
                     const std::vector<std::string>& operators) {
  TRY(const std::vector<std::string> lacking,
      lacking_operators(context, action, site, checked, operators));
  if (lacking.empty()) return {};
  return fail(missing(checked.path, lacking));
}

}  // namespace pinwheel::host
