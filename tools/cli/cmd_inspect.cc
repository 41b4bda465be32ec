#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/limits.h"
#include "base/mask.h"
#include "base/result.h"
#include "base/text.h"
#include "base/url.h"
#include "cli/commands.h"
#include "cli/html_output.h"
#include "cli/wheel_argument.h"
#include "compat/judge_on.h"
#include "compat/torch_bounds.h"
#include "compat/wheel_policy.h"
#include "host/provision/attestations.h"
#include "host/system/digest_file.h"
#include "host/system/signals.h"
#include "host/torch/torch_exports.h"
#include "host/wheels/inspect_path.h"
#include "inspect/arch_list.h"
#include "inspect/rules.h"
#include "inspect/wheel_facts.h"
#include "matrix/family.h"
#include "matrix/settings.h"
#include "matrix/variant.h"
#include "pep/specifier.h"
#include "prepare/host.h"
#include "prepare/load.h"
#include "prepare/read_scope.h"
#include "prepare/workplace.h"
#include "publish/attestation.h"
#include "report/attestation_report.h"
#include "report/difference_report.h"
#include "report/inspect_json.h"
#include "report/inspect_text.h"
#include "report/kernel_table.h"
#include "report/table.h"
#include "report/wheel_page.h"

namespace pinwheel::cli {
namespace {

/// The requirements of a matrix for a wheel.
struct MatrixPolicy {
  compat::WheelPolicy wheel;
  std::optional<pep::SpecifierSet> torch;  ///< nullopt: no torch release is declared
};

/// The first variant in the wheel's record that is in the matrix.
Result<std::string> served_variant(const prepare::Loaded& loaded,
                                   const inspect::WheelFacts& facts) {
  const std::vector<std::string>& served = facts.claim.variants;
  for (const matrix::Variant& variant : loaded.expansion.variants) {
    if (std::find(served.begin(), served.end(), variant.id) != served.end()) return variant.id;
  }
  return fail(ErrorKind::usage,
              served.empty()
                  ? fmt::format("{} has no record of the variants of {} that it serves",
                                quoted(facts.file_name), quoted(loaded.matrix.file))
                  : fmt::format("{} serves {}, which is not in {}", quoted(facts.file_name),
                                quoted(served.front()), quoted(loaded.matrix.file)),
              "pass one with `--variant`; `pinwheel plan --format ids` lists them");
}

/// The policy for the variant or build `id`, or without one for the variants in the wheel's own
/// record. `usage` if there is neither, and for an id that is not in the matrix.
Result<MatrixPolicy> matrix_policy(const prepare::Loaded& loaded, const std::string& id,
                                   const inspect::WheelFacts& facts) {
  std::string wanted = id;
  if (wanted.empty()) {
    TRY(wanted, served_variant(loaded, facts));
  }
  TRY(const plan::Outline outline, prepare::outline_of(loaded, wanted));
  // The representative of the class, as in `build`.
  const std::string& representative = outline.builds.front().cls.representative;
  const matrix::VariantIndex variants(loaded.expansion.variants);
  TRY(const matrix::Variant* const variant, variants.find(representative));
  TRY(const matrix::Settings settings, matrix::settings_for(loaded.matrix, *variant));
  MatrixPolicy policy;
  TRY(policy.wheel, compat::wheel_policy(settings, variant->get("compute")));
  policy.torch =
      compat::declared_torch(matrix::abi_of(loaded.matrix, *variant), variant->get("torch"));
  return policy;
}

using Names = std::vector<std::string>;

std::string rule_list(size_t columns) {
  std::vector<std::vector<std::string>> rows = {{"rule", "severity", "says"}};
  for (const inspect::Rule& rule : inspect::all_rules()) {
    rows.push_back({std::string(rule.id), std::string(to_string(rule.severity)),
                    std::string(rule.description)});
  }
  return report::align_columns(rows, columns);
}

Result<uint64_t> size_of(const std::string& option, const std::string& text) {
  const auto size = parse_bytes(text);
  if (size && *size > 0) return *size;
  return fail(ErrorKind::usage, fmt::format("{} cannot be {}", quoted(option), quoted(text)),
              "use a size such as `100 MB`");
}

/// Judges torch ranges. The table is read once, for the first range.
class Judges {
 public:
  Judges(const prepare::Host& host, Streams& streams) : host_(host), streams_(streams) {}

  Result<inspect::SymbolsJudge> on(const pep::SpecifierSet& range) {
    TRY_DONE(read_table());
    return compat::judge_on(table_, range, [this](const std::string& text) {
      streams_.note(fmt::format("undefined-symbols: {}\n", text));
    });
  }

  Result<inspect::WheelJudge> of_bounds() {
    TRY_DONE(read_table());
    return compat::judge_torch_bounds(table_);
  }

 private:
  Done read_table() {
    if (table_ != nullptr) return {};
    TRY(exports::Table table, host::torch_exports(host_.variables, host_.files));
    table_ = std::make_shared<const exports::Table>(std::move(table));
    return {};
  }

  const prepare::Host& host_;
  Streams& streams_;
  std::shared_ptr<const exports::Table> table_;
};

/// Whether to judge torch bounds. Only the table of torch releases can judge them, so this is done
/// only if every warning counts.
bool judges_bounds(const InspectOptions& options) {
  const Names& chosen = options.select;
  return options.strict || std::find(chosen.begin(), chosen.end(), "torch-bounds") != chosen.end();
}

/// The command line takes precedence over the matrix.
Result<inspect::Expectations> expectations_of(const InspectOptions& options,
                                              const std::optional<MatrixPolicy>& policy,
                                              Judges& judges) {
  inspect::Expectations expected;
  if (policy) expected = policy->wheel.expected;
  if (!options.arch_list.empty()) expected.arch_list = inspect::split_arch_list(options.arch_list);
  if (!options.torch.empty()) {
    TRY(const pep::SpecifierSet range, parse_torch_range("--torch", options.torch));
    TRY(expected.judge_symbols, judges.on(range));
  } else if (policy && policy->torch) {
    TRY(expected.judge_symbols, judges.on(*policy->torch));
  }
  if (judges_bounds(options)) {
    TRY(expected.judge_bounds, judges.of_bounds());
  }
  if (!options.size_limit.empty()) {
    TRY(expected.size_limit, size_of("--size-limit", options.size_limit));
  }
  if (!options.budget.empty()) {
    TRY(expected.budget, size_of("--budget", options.budget));
  }
  return expected;
}

/// The rules to check, and those whose warnings fail too.
struct JudgedRules {
  Names judged;
  Names strict;
};

Result<JudgedRules> judged_rules(const InspectOptions& options,
                                 const std::optional<MatrixPolicy>& policy) {
  JudgedRules rules;
  TRY(rules.judged, inspect::chosen_rules({options.select, options.ignore}));
  if (policy && options.select.empty()) {
    const Names& of_matrix = policy->wheel.rules;
    std::erase_if(rules.judged, [&](const std::string& rule) {
      return std::find(of_matrix.begin(), of_matrix.end(), rule) == of_matrix.end();
    });
  }
  if (policy) rules.strict = policy->wheel.strict;
  if (options.strict) rules.strict = rules.judged;
  return rules;
}

inspect::GatherOptions gather_options(const InspectOptions& options) {
  inspect::GatherOptions gather;
  if (!options.budget.empty() || !options.html.empty()) gather.measure = inspect::Measure::packing;
  if (options.kernels || !options.html.empty()) gather.detail = inspect::Detail::kernels;
  return gather;
}

Result<std::optional<prepare::Loaded>> matrix_of(ports::Files& files, const InspectOptions& options,
                                                 Streams& streams) {
  if (options.matrix.empty()) return std::nullopt;
  TRY(prepare::Loaded loaded,
      prepare::load_matrix(files, options.matrix, streams, prepare::Warnings::print));
  return loaded;
}

/// Whether the rules and options need every byte of a wheel on a server.
WheelPart needed_part(const InspectOptions& options) {
  const bool selected = std::ranges::any_of(options.select, [](const std::string& rule) {
    return rule == "record" || rule == "archive" || rule == "odd-members";
  });
  const bool whole =
      options.whole || options.check || options.strict || !options.attestation.empty() || selected;
  return whole ? WheelPart::whole : WheelPart::examined;
}

/// Whether two wheels without other options are compared.
bool is_comparison(const InspectOptions& options) {
  // A URL may continue after the file name.
  const auto is_wheel = [](const std::string& file) {
    return is_address(file) || file.ends_with(".whl");
  };
  return options.files.size() == 2 && !options.check && options.budget.empty() &&
         options.html.empty() && options.torch.empty() && options.matrix.empty() &&
         std::all_of(options.files.begin(), options.files.end(), is_wheel);
}

Result<int> compare(const prepare::Host& host, const InspectOptions& options, Streams& streams) {
  TRY(const FileArgument old_wheel, open_argument(host, options.files[0], {}, streams));
  TRY(const FileArgument new_wheel, open_argument(host, options.files[1], {}, streams));
  TRY(const host::ComparedWheels wheels,
      host::compare_wheels(old_wheel.input, new_wheel.input, gather_options(options)));
  const inspect::WheelFacts& before = wheels.old_wheel;
  const inspect::WheelFacts& after = wheels.new_wheel;
  if (options.json) {
    streams.json(report::difference_json(before, after, wheels.difference));
  } else {
    streams.lines(report::difference_text(before, after, wheels.difference));
  }
  return 0;
}

/// The signer that the options require; nullopt if they require none.
Result<std::optional<publish::ExpectedSigner>> required_signer(const InspectOptions& options) {
  if (options.repository.empty()) return std::nullopt;
  return publish::expected_signer(options.repository, options.workflow);
}

Done check_attestation_options(const InspectOptions& options) {
  TRY_DONE(required_signer(options));
  if (options.attestation.empty() || options.files.size() == 1) return {};
  return fail(ErrorKind::usage, "`--attestation` takes exactly one file",
              "pass the wheel or sdist that it describes");
}

/// Reads the attestations of a file; they are about it.
Result<std::vector<publish::Attestation>> read_attestations(const prepare::Host& host,
                                                            const InspectOptions& options,
                                                            const FileArgument& argument) {
  const std::filesystem::path& path = argument.input.path;
  const std::string& shown = argument.input.name;
  TRY(const host::FileDigest digest, host::digest_file(path));
  const publish::AttestedFile file{shown.empty() ? path.filename().string() : shown, digest.sha256};
  TRY(const std::string text, host.files.read(host.at(options.attestation), limits::kMetadata));
  const auto check = [&]() -> Result<std::vector<publish::Attestation>> {
    TRY(std::vector<publish::Attestation> attestations, publish::parse_attestations(text));
    for (const publish::Attestation& each : attestations) {
      TRY_DONE(publish::check_attested(each, file));
    }
    return attestations;
  };
  Result<std::vector<publish::Attestation>> checked = check();
  if (checked) return checked;
  return fail(
      std::move(checked).error().with_location({.file = options.attestation, .excerpt = {}}));
}

/// Verifies the attestations of a file.
Result<std::vector<report::VerifiedAttestation>> verified_attestations(
    const prepare::Host& host, const InspectOptions& options, const FileArgument& argument,
    Streams& streams) {
  TRY(const std::optional<publish::ExpectedSigner> expected, required_signer(options));
  TRY(const std::vector<publish::Attestation> attestations,
      read_attestations(host, options, argument));
  host::StopOnSignal stop;
  TRY(const prepare::OpenMachine machine,
      prepare::cache_machine(host, streams.log(), stop.token()));
  if (const auto notice = host::attestation_notice(*machine)) streams.note(*notice + "\n");
  const std::filesystem::path trust =
      options.sigstore.empty() ? std::filesystem::path() : host.at(options.sigstore);
  const auto checked = host::verify_attestations(*machine, attestations, trust);
  const int signal = stop.end();
  if (!checked && signal != 0) {
    return fail(kind_of_stop(signal), "the verification was stopped");
  }
  TRY(const std::vector<publish::Signer> signers, checked);
  std::vector<report::VerifiedAttestation> verified;
  for (size_t i = 0; i < attestations.size(); ++i) {
    if (expected) TRY_DONE(publish::check_signer(signers[i], *expected));
    verified.push_back({attestations[i].predicate, signers[i]});
  }
  if (!expected) {
    streams.warn({ErrorKind::check,
                  "the signatures are valid, but anyone can sign",
                  std::nullopt,
                  "name the expected signer with `--repository OWNER/NAME`",
                  {}});
  }
  return verified;
}

/// Verifies the attestations of an sdist, of which nothing else is inspected.
Result<int> verify_sdist(const prepare::Host& host, const InspectOptions& options,
                         Streams& streams) {
  TRY(const FileArgument argument, open_argument(host, options.files.front(), {}, streams));
  TRY(const std::vector<report::VerifiedAttestation> verified,
      verified_attestations(host, options, argument, streams));
  if (options.json) {
    streams.json(report::attested_file_json(argument.input.path.filename().string(), verified));
  } else {
    streams.lines(report::attestations_text(verified));
  }
  return 0;
}

/// One JSON object by itself, several as an array.
std::string as_document(const std::vector<std::string>& objects) {
  return objects.size() == 1 ? objects[0] : "[" + join(objects, ",") + "]\n";
}

/// "demo-1.0-py3-none-any.whl", "3 files".
std::string title_of(const Names& files) {
  if (files.size() > 1) return plural(files.size(), "file");
  const std::string& file = files.front();
  return mask_urls(file.substr(file.rfind('/') + 1));
}

Done check_inspect_options(const InspectOptions& options) {
  if (options.files.empty()) {
    return fail(ErrorKind::usage, "`inspect` needs a file", "`pinwheel inspect FILE.whl`");
  }
  TRY_DONE(check_attestation_options(options));
  TRY_DONE(check_index_option(options.index, options.files));
  return check_html(options.html);
}

/// The kernels and operators, if they were requested.
void print_kernels(const inspect::WheelFacts& facts, const InspectOptions& options,
                   Streams& streams) {
  const auto rows = options.all ? report::KernelRows::all : report::KernelRows::first;
  streams.data(report::kernel_table(facts, rows, streams.data_columns()));
  streams.data(report::operator_list(facts));
}

}  // namespace

Result<int> cmd_inspect(const prepare::Host& host, const prepare::GlobalOptions& /*global*/,
                        const InspectOptions& options, Streams& streams) {
  if (options.rules) {
    streams.data(rule_list(streams.data_columns()));
    return 0;
  }
  TRY_DONE(check_inspect_options(options));
  if (!options.attestation.empty() && options.files.front().ends_with(".tar.gz")) {
    return verify_sdist(host, options, streams);
  }
  if (is_comparison(options)) return compare(host, options, streams);
  TRY(const std::optional<prepare::Loaded> matrix, matrix_of(host.files, options, streams));
  Judges judges(host, streams);
  // Invalid options are reported before a file is read.
  TRY_DONE(judged_rules(options, {}));
  TRY_DONE(expectations_of(options, {}, judges));
  size_t broken = 0;
  Names objects;
  nlohmann::ordered_json pages = nlohmann::ordered_json::array();
  for (const std::string& file : options.files) {
    TRY(const FileArgument argument,
        open_argument(host, file, {needed_part(options), options.index}, streams));
    TRY(const inspect::WheelFacts facts, facts_of(argument, gather_options(options), streams));
    std::optional<MatrixPolicy> policy;
    if (matrix) {
      TRY(policy, matrix_policy(*matrix, options.variant, facts));
    }
    TRY(const JudgedRules rules, judged_rules(options, policy));
    TRY(const inspect::Expectations expected, expectations_of(options, policy, judges));
    TRY(const std::vector<inspect::Finding> findings,
        inspect::check(facts, expected, rules.judged));
    std::vector<report::VerifiedAttestation> verified;
    if (!options.attestation.empty()) {
      TRY(verified, verified_attestations(host, options, argument, streams));
    }
    if (options.json) {
      objects.push_back(report::inspect_json(
          facts, expected, findings, verified,
          options.kernels ? inspect::Detail::kernels : inspect::Detail::usual));
    }
    if (!options.html.empty()) pages.push_back(report::wheel_page(facts, expected, findings));
    if (!options.json && options.html.empty()) {
      const auto lines = options.all ? report::EqualEntries::all : report::EqualEntries::grouped;
      streams.lines(report::inspect_text(facts, expected, findings, lines) +
                    report::attestations_text(verified));
      print_kernels(facts, options, streams);
    }
    broken += inspect::failures(findings, rules.strict).size();
  }
  if (options.json) streams.json(as_document(objects));
  if (!options.html.empty()) {
    TRY_DONE(write_html(host, options.html, title_of(options.files), {{"wheels", pages}}, streams));
  }
  return options.check && broken > 0 ? exit_code(ErrorKind::check) : 0;
}

}  // namespace pinwheel::cli
