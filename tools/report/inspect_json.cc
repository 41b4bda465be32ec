#include "report/inspect_json.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "inspect/budget.h"
#include "inspect/code_total.h"
#include "inspect/cxx_abi.h"
#include "inspect/driver.h"
#include "inspect/glibc.h"
#include "inspect/gpu_support.h"
#include "inspect/needed_library.h"
#include "inspect/requirements.h"
#include "inspect/size_shares.h"
#include "report/kernel_table.h"

namespace pinwheel::report {
namespace {

using SortedJson = nlohmann::json;

SortedJson or_null(const std::optional<std::string>& text) {
  return text ? SortedJson(*text) : SortedJson();
}

SortedJson variant_json(const inspect::WheelFacts& facts) {
  if (!facts.variant) return nullptr;
  const bool labeled = facts.name && !facts.name->variant.empty();
  SortedJson variants = SortedJson::object();
  for (const auto& [label, properties] : facts.variant->variants) {
    variants[label] = wheel::property_lines(properties);
  }
  const auto& draft = facts.variant->draft;
  return {{"label", labeled ? SortedJson(facts.name->variant) : SortedJson()},
          {"draft", draft ? SortedJson(pep::to_string(*draft)) : SortedJson()},
          {"schema", facts.variant->schema},
          {"variants", std::move(variants)}};
}

void put_identity(const inspect::WheelFacts& facts, SortedJson& out) {
  out["schema"] = 1;
  out["wheel"] = facts.file_name;
  out["size"] = facts.file_size;
  out["tags"] = SortedJson::array();
  if (facts.name) {
    for (const pep::Tag& tag : pep::expand(facts.name->tags)) {
      out["tags"].push_back(pep::to_string(tag));
    }
  }
  out["variant"] = variant_json(facts);
  const bool known = facts.metadata.has_value();
  out["name"] = known ? SortedJson(facts.metadata->name()) : SortedJson();
  out["version"] = known ? SortedJson(facts.metadata->version()) : SortedJson();
  out["requires_python"] =
      known ? or_null(facts.metadata->block.get("Requires-Python")) : SortedJson();
  out["requires_dist"] = known ? SortedJson(facts.metadata->requires_dist()) : SortedJson::array();
  out["requires_torch"] = torch_requirements(facts);
}

SortedJson cxx11_abi(const std::vector<inspect::ElfMember>& libraries) {
  switch (inspect::string_abi(libraries)) {
    case inspect::StringAbi::cxx11:
      return true;
    case inspect::StringAbi::old:
      return false;
    case inspect::StringAbi::mixed:
      return "mixed";
    case inspect::StringAbi::none:
      break;
  }
  return nullptr;
}

void put_platform(const inspect::WheelFacts& facts, const inspect::Expectations& expected,
                  SortedJson& out) {
  const Result<inspect::PlatformTag> earned = platform_tag(facts.libraries, expected.external);
  const bool says = !facts.libraries.empty() || (facts.other_elf.empty() && facts.foreign.empty());
  out["platform_tag"] = earned && says ? SortedJson(earned->tag) : SortedJson();
  out["why_not_older"] = earned ? SortedJson(earned->reasons) : SortedJson::array();
  out["arch"] = earned && !facts.libraries.empty()
                    ? SortedJson(binary::machine_name(facts.libraries.front().elf.machine))
                    : SortedJson();
  const std::optional<pep::LinuxPolicy> policy =
      earned ? pep::parse_linux_policy(earned->tag) : std::nullopt;
  out["policy"] =
      policy ? SortedJson(earned->tag.substr(0, earned->tag.size() - policy->arch.size() - 1))
             : SortedJson();
  const std::map<std::string, std::string> newest = newest_versions(facts.libraries);
  const auto version_of = [&](const char* family) {
    const auto found = newest.find(family);
    return found == newest.end() ? SortedJson() : SortedJson(found->second);
  };
  out["glibc"] = version_of("GLIBC");
  out["glibcxx"] = version_of("GLIBCXX");
  out["cxxabi"] = version_of("CXXABI");
  out["cxx11_abi"] = cxx11_abi(facts.libraries);
  out["needed"] = SortedJson::array();
  for (const inspect::NeededLibrary& library : needed_libraries(facts, expected.external)) {
    out["needed"].push_back({{"library", library.soname},
                             {"provider", provider_id(library.provider)},
                             {"needed_by", library.needed_by}});
  }
}

SortedJson ptx_version(binary::PtxVersion ptx) {
  return ptx.major == 0 ? SortedJson() : SortedJson(fmt::format("{}.{}", ptx.major, ptx.minor));
}

SortedJson driver_json(const std::optional<inspect::DriverNeed>& need) {
  if (!need) return nullptr;
  const std::optional<int> branch = inspect::driver_branch(need->cuda);
  return {{"cuda", fmt::format("{}.{}", need->cuda.major, need->cuda.minor.value_or(0))},
          {"branch", branch ? SortedJson(*branch) : SortedJson()},
          {"reason", need->reason}};
}

void put_gpus(const inspect::WheelFacts& facts, SortedJson& out) {
  const inspect::DriverNeeds needs = driver_needs(facts);
  out["driver"] = {{"load", driver_json(inspect::oldest_driver(needs))},
                   {"ptx", driver_json(needs.ptx)}};
  out["gpus"] = SortedJson::array();
  for (const inspect::ProductSupport& each : product_support(facts)) {
    out["gpus"].push_back({{"product", each.product.name},
                           {"arch", each.product.architecture},
                           {"support", to_string(each.support)},
                           {"files", each.files}});
  }
}

void put_device_code(const inspect::WheelFacts& facts, SortedJson& out) {
  out["device_code"] = SortedJson::array();
  for (const inspect::CodeTotal& total : code_totals(facts)) {
    out["device_code"].push_back({{"file", total.file},
                                  {"kind", binary::to_string(total.kind)},
                                  {"arch", total.architecture},
                                  {"compression", binary::to_string(total.compression)},
                                  {"ptx_version", ptx_version(total.ptx)},
                                  {"pieces", total.pieces},
                                  {"bytes", total.bytes}});
  }
}

void put_kernels(const inspect::WheelFacts& facts, inspect::Detail detail, SortedJson& out) {
  out["kernels"] = nullptr;
  out["operators"] = nullptr;
  if (detail == inspect::Detail::usual) return;
  out["kernels"] = SortedJson::array();
  for (const inspect::DeviceCodeMember& member : facts.device_code) {
    for (const inspect::KernelFacts& each : member.kernels) {
      out["kernels"].push_back({{"file", member.name},
                                {"arch", each.architecture},
                                {"name", each.kernel.name},
                                {"needs", kernel_object(each.kernel)}});
    }
  }
  out["operators"] = SortedJson::array();
  for (const auto& [file, schemas] : facts.operators) {
    for (const std::string& schema : schemas) {
      out["operators"].push_back({{"file", file}, {"schema", schema}});
    }
  }
}

SortedJson share_json(const std::vector<inspect::SizeShare>& shares) {
  SortedJson out = SortedJson::array();
  for (const inspect::SizeShare& share : shares) {
    out.push_back({{"name", share.what},
                   {"bytes", share.bytes},
                   {"packed", share.packed ? SortedJson(*share.packed) : SortedJson()}});
  }
  return out;
}

void put_sizes(const inspect::WheelFacts& facts, SortedJson& out) {
  constexpr size_t kUnits = 20;
  const inspect::SizeShares shares = size_shares(facts);
  SortedJson units = SortedJson::array();
  for (size_t i = 0; i < shares.units.size() && i < kUnits; ++i) {
    const inspect::UnitSize& unit = shares.units[i];
    units.push_back({{"file", unit.file}, {"unit", unit.unit}, {"bytes", unit.bytes}});
  }
  out["sizes"] = {{"sections", share_json(shares.sections)},
                  {"architectures", share_json(shares.architectures)},
                  {"units", std::move(units)}};
}

void put_budget(const inspect::WheelFacts& facts, const inspect::Expectations& expected,
                SortedJson& out) {
  out["budget"] = nullptr;
  if (!expected.budget) return;
  const inspect::BudgetPlan plan = plan_budget(facts, *expected.budget);
  SortedJson cuts = SortedJson::array();
  for (const inspect::Cut& cut : plan.cuts) {
    cuts.push_back({{"what", cut.what}, {"saves", cut.saves}, {"costs_users", cut.costs_users}});
  }
  out["budget"] = {{"limit", plan.budget},
                   {"reached", plan.reached},
                   {"needed", plan.needed},
                   {"cuts", std::move(cuts)}};
}

void put_files(const inspect::WheelFacts& facts, SortedJson& out) {
  uint64_t unpacked = 0;
  out["files"] = SortedJson::array();
  for (const inspect::MemberFacts& member : facts.members) {
    unpacked += member.size;
    out["files"].push_back(
        {{"name", member.name},
         {"size", member.size},
         {"compressed_size", member.compressed_size},
         {"crc32", fmt::format("{:08x}", member.crc)},
         {"sha256", member.sha256.empty() ? SortedJson() : SortedJson(member.sha256)}});
  }
  out["unpacked_size"] = unpacked;
}

void put_partial(const inspect::WheelFacts& facts, SortedJson& out) {
  out["partial"] = nullptr;
  if (!facts.partial) return;
  SortedJson unverified = {"record", "archive", "odd-members"};
  if (!facts.partial->sha256.empty()) unverified.push_back("sha256");
  out["partial"] = {{"fetched", facts.partial->fetched},
                    {"requests", facts.partial->requests},
                    {"not_read", facts.partial->unread},
                    {"not_verified", std::move(unverified)}};
}

}  // namespace

std::string inspect_json(const inspect::WheelFacts& facts, const inspect::Expectations& expected,
                         const std::vector<inspect::Finding>& findings,
                         const std::vector<VerifiedAttestation>& attestations,
                         inspect::Detail detail) {
  SortedJson out;
  put_identity(facts, out);
  put_platform(facts, expected, out);
  out["not_judged"] = SortedJson::array();
  for (const inspect::ForeignBinary& each : facts.foreign) {
    out["not_judged"].push_back({{"file", each.name}, {"form", each.form}});
  }
  put_device_code(facts, out);
  put_kernels(facts, detail, out);
  put_gpus(facts, out);
  put_sizes(facts, out);
  put_budget(facts, expected, out);
  put_files(facts, out);
  put_partial(facts, out);
  out["findings"] = SortedJson::array();
  for (const inspect::Finding& finding : findings) {
    out["findings"].push_back({{"rule", finding.rule},
                               {"severity", to_string(finding.severity)},
                               {"file", finding.file},
                               {"message", finding.message},
                               {"evidence", finding.evidence},
                               {"hint", finding.hint}});
  }
  if (!attestations.empty()) out["attestations"] = attestation_list(attestations);
  // A foreign wheel may contain any bytes; JSON must be UTF-8.
  return out.dump(2, ' ', false, SortedJson::error_handler_t::replace) + "\n";
}

}  // namespace pinwheel::report
