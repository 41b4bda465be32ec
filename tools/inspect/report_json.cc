#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "inspect/code_total.h"
#include "inspect/needed_library.h"
#include "inspect/report.h"
#include "inspect/requirements.h"
#include "inspect/symbol_versions.h"

namespace pinwheel::inspect {
namespace {

using nlohmann::json;

json or_null(const std::optional<std::string>& text) {
  return text ? json(*text) : json();
}

void put_identity(const WheelFacts& facts, json& out) {
  out["schema"] = "pinwheel-inspect/1";
  out["wheel"] = facts.file_name;
  out["size"] = facts.file_size;
  out["tags"] = json::array();
  if (facts.name) {
    for (const pep::Tag& tag : pep::expand(facts.name->tags)) {
      out["tags"].push_back(pep::to_string(tag));
    }
  }
  const bool known = facts.metadata.has_value();
  out["name"] = known ? json(facts.metadata->name()) : json();
  out["version"] = known ? json(facts.metadata->version()) : json();
  out["requires_python"] = known ? or_null(facts.metadata->block.get("Requires-Python")) : json();
  out["requires_dist"] = known ? json(facts.metadata->requires_dist()) : json::array();
  out["requires_torch"] = torch_requirements(facts);
}

void put_platform(const WheelFacts& facts, const Expectations& expected, json& out) {
  const Result<PlatformTag> earned = platform_tag(facts.libraries, expected.external);
  out["platform_tag"] = earned ? json(earned->tag) : json();
  out["why_not_older"] = earned ? json(earned->reasons) : json::array();
  out["arch"] = earned && !facts.libraries.empty()
                    ? json(binary::machine_name(facts.libraries.front().elf.machine))
                    : json();
  const std::optional<pep::LinuxPolicy> policy =
      earned ? pep::parse_linux_policy(earned->tag) : std::nullopt;
  out["policy"] =
      policy ? json(fmt::format("manylinux_{}_{}", policy->major, policy->minor)) : json();
  const std::map<std::string, std::string> newest = newest_versions(facts.libraries);
  const auto version_of = [&](const char* family) {
    const auto found = newest.find(family);
    return found == newest.end() ? json() : json(found->second);
  };
  out["glibc"] = version_of("GLIBC");
  out["glibcxx"] = version_of("GLIBCXX");
  out["cxxabi"] = version_of("CXXABI");
  out["needed"] = json::array();
  for (const NeededLibrary& library : needed_libraries(facts, expected.external)) {
    out["needed"].push_back({{"library", library.soname},
                             {"provider", provider_id(library.provider)},
                             {"needed_by", library.needed_by}});
  }
}

void put_device_code(const WheelFacts& facts, json& out) {
  out["device_code"] = json::array();
  for (const CodeTotal& total : code_totals(facts)) {
    out["device_code"].push_back({{"file", total.file},
                                  {"kind", binary::to_string(total.kind)},
                                  {"arch", total.architecture},
                                  {"compression", binary::to_string(total.compression)},
                                  {"pieces", total.pieces},
                                  {"bytes", total.bytes}});
  }
}

void put_files(const WheelFacts& facts, json& out) {
  uint64_t unpacked = 0;
  out["files"] = json::array();
  for (const MemberFacts& member : facts.members) {
    unpacked += member.size;
    out["files"].push_back({{"name", member.name},
                            {"size", member.size},
                            {"compressed_size", member.compressed_size},
                            {"crc32", fmt::format("{:08x}", member.crc)},
                            {"sha256", member.sha256}});
  }
  out["unpacked_size"] = unpacked;
}

}  // namespace

std::string json_report(const WheelFacts& facts, const Expectations& expected,
                        const std::vector<Finding>& findings) {
  json out;
  put_identity(facts, out);
  put_platform(facts, expected, out);
  put_device_code(facts, out);
  put_files(facts, out);
  out["findings"] = json::array();
  for (const Finding& finding : findings) {
    out["findings"].push_back({{"rule", finding.rule},
                               {"file", finding.file},
                               {"message", finding.message},
                               {"evidence", finding.evidence},
                               {"hint", finding.hint}});
  }
  // A foreign wheel may hold any bytes; JSON holds UTF-8 alone.
  return out.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace pinwheel::inspect
