#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stop_token>
#include <utility>

#include "base/limits.h"
#include "base/text.h"
#include "cli/commands.h"
#include "host/wheels/derive_wheels.h"
#include "host/wheels/finish_files.h"
#include "inspect/needed_library.h"
#include "inspect/variant_properties.h"
#include "prepare/host.h"
#include "prepare/stoppable.h"
#include "report/derivation_report.h"
#include "wheel/pinned_requirements.h"

namespace pinwheel::cli {
namespace {

/// Prints the finished files, as lines or as JSON at the end.
class FinishOutput {
 public:
  FinishOutput(const FinishOptions& options, Streams& streams)
      : options_(options), streams_(streams) {}

  void add(const plan::Output& output, const wheel::Derivation* derivation) {
    if (derivation != nullptr) streams_.note(report::derivation_text(output, *derivation));
    if (options_.json) {
      objects_.push_back(report::finish_json(output, derivation));
    } else {
      streams_.data(fmt::format("{} sha256={}\n", output.path, output.sha256));
    }
  }

  void end() {
    if (!options_.json) return;
    streams_.json(objects_.size() == 1 ? objects_[0] : "[" + join(objects_, ",") + "]\n");
  }

 private:
  const FinishOptions& options_;
  Streams& streams_;
  std::vector<std::string> objects_ = {};
};

/// The pins of the command line. An sdist gets its requirements from its project.
Result<wheel::Pins> pins_of(const FinishOptions& options) {
  TRY(wheel::Pins pins, wheel::parse_pins(options.pins));
  const auto sdist = std::ranges::find_if(
      options.files, [](const std::string& file) { return file.ends_with(".tar.gz"); });
  if (pins.empty() || sdist == options.files.end()) return pins;
  return fail(ErrorKind::usage,
              fmt::format("{} is an sdist, and `--pin` is for wheels", quoted(*sdist)),
              "an sdist gets its requirements from its project");
}

/// The contents of the command's files, and its pins.
struct FinishInputs {
  std::string record_json = {};
  wheel::Pins pins = {};
};

/// Whether wheels are derived from others, instead of finished after their own build.
bool derives(const FinishOptions& options) {
  return options.strip_local || options.distribution.find('{') != std::string::npos ||
         options.variant.find('{') != std::string::npos;
}

std::optional<inspect::VariantRequest> variant_of(const FinishOptions& options) {
  if (options.variant.empty()) return std::nullopt;
  return inspect::VariantRequest{
      options.variant,
      pep::parse_variant_draft(options.variant_draft).value_or(pep::VariantDraft::pep850)};
}

Done derive(const prepare::GlobalOptions& global, const FinishOptions& options,
            const FinishInputs& inputs, Streams& streams) {
  host::DeriveRequest request;
  request.files = options.files;
  request.rule = {options.distribution, options.wheel_version,
                  options.strip_local ? wheel::LocalPart::strip : wheel::LocalPart::keep,
                  options.build_number};
  request.epoch = options.epoch;
  request.requirement = options.requirement;
  request.record_json = inputs.record_json;
  request.external = options.external;
  request.pins = inputs.pins;
  request.variant = variant_of(options);
  using Wheels = std::vector<host::DerivedWheel>;
  TRY(const Wheels wheels, prepare::stoppable<Wheels>([&](const std::stop_token& stop) {
        return host::derive_wheels(request, global.output_dir, stop);
      }));
  FinishOutput out(options, streams);
  for (const host::DerivedWheel& each : wheels) {
    for (const Error& warning : each.warnings) streams.warn(warning);
    out.add(each.output, &each.derivation);
  }
  out.end();
  return {};
}

/// The file name of an sdist has no place for a build number.
Done check_build_number(const FinishOptions& options) {
  for (const std::string& file : options.files) {
    if (options.build_number == 0 || !file.ends_with(".tar.gz")) continue;
    return fail(ErrorKind::usage,
                fmt::format("{} is an sdist, which cannot have a build number", quoted(file)),
                "pass only wheels with `--build-number`");
  }
  return {};
}

Done finish_each(const prepare::GlobalOptions& global, const FinishOptions& options,
                 const FinishInputs& inputs, Streams& streams) {
  const host::FinishRequest request{
      {options.distribution, options.wheel_version, {}, options.build_number, inputs.pins},
      options.epoch,
      options.requirement,
      inputs.record_json,
      options.external,
      variant_of(options)};
  if (request.variant) TRY_DONE(pep::check_variant_label(request.variant->label));
  FinishOutput out(options, streams);
  for (const std::string& file : options.files) {
    host::FinishedBuild finished;
    if (file.ends_with(".tar.gz") && request.variant) {
      return fail(ErrorKind::usage, quoted(file) + " is an sdist, and only wheels are variants");
    }
    if (file.ends_with(".tar.gz")) {
      TRY(finished.output,
          host::finish_sdist(file, {options.distribution, options.wheel_version, options.epoch},
                             global.output_dir));
    } else {
      TRY(finished, host::finish_wheel(file, request, global.output_dir));
      for (const Error& warning :
           inspect::unmatched_patterns("--external", options.external, finished.needed)) {
        streams.warn(warning);
      }
    }
    out.add(finished.output, nullptr);
  }
  out.end();
  return {};
}

}  // namespace

Result<int> cmd_finish(const prepare::Host& host, const prepare::GlobalOptions& global,
                       const FinishOptions& options, Streams& streams) {
  TRY_DONE(check_build_number(options));
  FinishInputs inputs;
  TRY(inputs.pins, pins_of(options));
  if (!options.record.empty()) {
    TRY(inputs.record_json, host.files.read(options.record, limits::kMetadata));
  }
  if (derives(options)) {
    TRY_DONE(derive(global, options, inputs, streams));
  } else {
    TRY_DONE(finish_each(global, options, inputs, streams));
  }
  return 0;
}

}  // namespace pinwheel::cli
