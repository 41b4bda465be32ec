#include "store/entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/digest.h"
#include "base/json.h"
#include "base/text.h"
#include "base/visible_text.h"

namespace pinwheel::store {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSchema = "pinwheel-result/1";
constexpr size_t kMostOutputs = 4096;
constexpr size_t kMostName = 1024;
constexpr size_t kMostPackages = 4096;

/// Weakest first.
constexpr std::array<std::string_view, 4> kEvidences = {"none", "inspected", "loaded", "ran"};

[[noreturn]] void reject(const std::string& why) {
  throw std::invalid_argument(why);
}

/// A member of an object; each may be read once, and all must be read.
class Members {
 public:
  Members(const nlohmann::json& json, std::string name) : json_(json), name_(std::move(name)) {
    if (!json.is_object()) reject(fmt::format("{} is not an object", quoted(name_)));
  }

  const nlohmann::json& at(const char* member) {
    taken_.insert(member);
    const auto found = json_.find(member);
    if (found == json_.end())
      reject(fmt::format("{} is missing", quoted(fmt::format("{}.{}", name_, member))));
    return *found;
  }
  /// A member that may be missing.
  const nlohmann::json* find(const char* member) {
    return json_.contains(member) ? &at(member) : nullptr;
  }
  std::string text(const char* member) {
    const nlohmann::json& value = at(member);
    if (!value.is_string())
      reject(fmt::format("{} is not a text", quoted(fmt::format("{}.{}", name_, member))));
    return value.get<std::string>();
  }
  uint64_t number(const char* member) {
    const nlohmann::json& value = at(member);
    if (!value.is_number_unsigned())
      reject(fmt::format("{} is not a number", quoted(fmt::format("{}.{}", name_, member))));
    return value.get<uint64_t>();
  }
  std::string digest(const char* member) {
    std::string value = text(member);
    if (!is_sha256_hex(value))
      reject(fmt::format("{} is not a sha256", quoted(fmt::format("{}.{}", name_, member))));
    return value;
  }
  /// A digest, or nullopt.
  std::string optional_digest(const char* member) {
    return text(member).empty() ? std::string() : digest(member);
  }
  void end() const {
    for (const auto& [member, value] : json_.items()) {
      if (!taken_.contains(member))
        reject(fmt::format("{} is not known", quoted(fmt::format("{}.{}", name_, member))));
    }
  }

 private:
  const nlohmann::json& json_;
  std::string name_;
  std::set<std::string> taken_;
};

/// Whether a file with that name stays below its directory.
bool stays_below(const std::string& name) {
  if (name.empty() || name.size() > kMostName || name.front() == '/') return false;
  if (name.find('\0') != std::string::npos || visible(name) != name) return false;
  for (const std::string& segment : split(name, '/')) {
    if (segment.empty() || segment == "." || segment == "..") return false;
  }
  return true;
}

Json output_json(const NamedBlob& output) {
  return {{"name", output.name}, {"sha256", output.blob.sha256}, {"size", output.blob.size}};
}

std::vector<NamedBlob> read_outputs(const nlohmann::json& json) {
  if (!json.is_array() || json.size() > kMostOutputs) reject("`outputs` is not a list of files");
  std::vector<NamedBlob> outputs;
  std::set<std::string> names;
  for (const nlohmann::json& one : json) {
    Members members(one, "outputs");
    NamedBlob output{members.text("name"), {members.digest("sha256"), members.number("size")}};
    members.end();
    if (!stays_below(output.name)) {
      reject(fmt::format("{} cannot be the name of an output", quoted(output.name)));
    }
    if (!names.insert(output.name).second) {
      reject(fmt::format("two outputs are called {}", quoted(output.name)));
    }
    outputs.push_back(std::move(output));
  }
  return outputs;
}

/// Both files of a derivation are outputs.
std::vector<DerivedFile> read_derivations(const nlohmann::json& json,
                                          const std::vector<NamedBlob>& outputs) {
  if (!json.is_array() || json.size() > kMostOutputs)
    reject("`derivations` is not a list of files");
  std::vector<DerivedFile> derivations;
  derivations.reserve(json.size());
  for (const nlohmann::json& one : json) {
    DerivedFile derived = derived_from(one);
    for (const std::string& name : {derived.file, derived.source}) {
      const bool known = std::any_of(outputs.begin(), outputs.end(),
                                     [&name](const auto& output) { return output.name == name; });
      if (!known) reject(fmt::format("{} of `derivations` is not an output", quoted(name)));
    }
    derivations.push_back(std::move(derived));
  }
  return derivations;
}

Json packages_json(const InstalledPackages& packages) {
  Json out = Json::object();
  for (const auto& [name, package] : packages) {
    out[name] = {{"version", package.version}, {"sha256", package.sha256}};
  }
  return out;
}

InstalledPackages read_packages(const nlohmann::json& json) {
  if (!json.is_object() || json.size() > kMostPackages) reject("`packages` is not of packages");
  InstalledPackages packages;
  for (const auto& [name, one] : json.items()) {
    Members members(one, "packages");
    const InstalledPackage package{members.text("version"), members.optional_digest("sha256")};
    members.end();
    if (name.empty() || package.version.empty()) reject("a package has no name or no version");
    packages[name] = package;
  }
  return packages;
}

Ending read_ending(const std::string& name) {
  for (const Ending ending : {Ending::done, Ending::skipped, Ending::unfinished}) {
    if (to_string(ending) == name) return ending;
  }
  reject(fmt::format("{} is not how a stored step can end", quoted(name)));
}

std::string read_evidence(std::string name) {
  for (const std::string_view known : kEvidences) {
    if (name == known) return name;
  }
  reject(fmt::format("{} is not evidence", quoted(name)));
}

Writer read_writer(const nlohmann::json& json) {
  Members members(json, "writer");
  Writer writer{members.text("run"), members.text("commit"), members.text("channel")};
  const std::string name = members.text("domain");
  members.end();
  const std::optional<Domain> domain = parse_domain(name);
  if (!domain) reject(fmt::format("{} is not a domain", quoted(name)));
  if (writer.run.empty()) reject("`writer.run` is empty");
  if (!is_hex(writer.commit)) reject("`writer.commit` is not that of a commit");
  writer.domain = *domain;
  return writer;
}

MachineFacts read_machine(const nlohmann::json& json) {
  Members members(json, "machine");
  MachineFacts machine{members.text("compiler"), members.text("python")};
  members.end();
  return machine;
}

/// Only the characters of a `traceparent`; who uses it reads it in full.
std::string read_span(const std::string& text) {
  constexpr size_t kMostSpan = 55;
  const bool known = std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || c == '-'; });
  if (!known || text.size() > kMostSpan) reject("`span` is not that of a trace");
  return text;
}

Entry read_entry(const nlohmann::json& json) {
  Members members(json, "result");
  if (const std::string schema = members.text("schema"); schema != kSchema) {
    reject(
        fmt::format("its schema is {}; this pinwheel reads {}", quoted(schema), quoted(kSchema)));
  }
  Entry entry;
  entry.step = members.text("step");
  entry.key = members.digest("key");
  entry.parts = members.at("parts").get<std::map<std::string, std::string>>();
  entry.ending = read_ending(members.text("ending"));
  entry.reason = members.text("reason");
  entry.evidence = read_evidence(members.text("evidence"));
  entry.outputs = read_outputs(members.at("outputs"));
  if (const nlohmann::json* const derivations = members.find("derivations")) {
    entry.derivations = read_derivations(*derivations, entry.outputs);
  }
  entry.warnings = members.at("warnings").get<std::vector<std::string>>();
  entry.log_sha256 = members.optional_digest("log-sha256");
  entry.finished = members.text("finished");
  entry.elapsed_ms = static_cast<int64_t>(members.number("elapsed-ms"));
  entry.attempts = static_cast<int>(members.number("attempts"));
  entry.machine = read_machine(members.at("machine"));
  entry.packages = read_packages(members.at("packages"));
  entry.plan = members.optional_digest("plan");
  if (members.find("span") != nullptr) entry.span = read_span(members.text("span"));
  entry.writer = read_writer(members.at("writer"));
  members.end();
  return entry;
}

}  // namespace

std::string_view to_string(Ending ending) {
  switch (ending) {
    case Ending::done:
      return "done";
    case Ending::skipped:
      return "skipped";
    case Ending::unfinished:
      return "unfinished";
  }
  return {};
}

bool improves(const Entry& candidate, const Entry& present) {
  if (candidate.ending != present.ending) return candidate.ending == Ending::done;
  if (candidate.ending == Ending::unfinished) return candidate.attempts > present.attempts;
  const auto rank = [](const std::string& evidence) {
    return std::find(kEvidences.begin(), kEvidences.end(), evidence);
  };
  return rank(candidate.evidence) > rank(present.evidence);
}

std::string to_json(const Entry& entry) {
  Json outputs = Json::array();
  for (const NamedBlob& output : entry.outputs) outputs.push_back(output_json(output));
  Json json = {
      {"schema", std::string(kSchema)},
      {"step", entry.step},
      {"key", entry.key},
      {"parts", entry.parts},
      {"ending", std::string(to_string(entry.ending))},
      {"reason", entry.reason},
      {"evidence", entry.evidence},
      {"outputs", std::move(outputs)},
      {"warnings", entry.warnings},
      {"log-sha256", entry.log_sha256},
      {"finished", entry.finished},
      {"elapsed-ms", entry.elapsed_ms},
      {"attempts", entry.attempts},
      {"machine", {{"compiler", entry.machine.compiler}, {"python", entry.machine.python}}},
      {"packages", packages_json(entry.packages)},
      {"plan", entry.plan},
      {"writer",
       {{"run", entry.writer.run},
        {"commit", entry.writer.commit},
        {"channel", entry.writer.channel},
        {"domain", std::string(to_string(entry.writer.domain))}}}};
  if (!entry.span.empty()) json["span"] = entry.span;
  for (const DerivedFile& derived : entry.derivations) {
    json["derivations"].push_back(derived_object(derived));
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Entry> parse_entry(std::string_view text) {
  if (text.size() > kMostRecordBytes) {
    return fail(ErrorKind::check,
                fmt::format("a stored result has more than {}", format_bytes(kMostRecordBytes)));
  }
  try {
    return read_entry(parse_json(text));
  } catch (const std::exception& thrown) {
    return fail(ErrorKind::check,
                fmt::format("a stored result cannot be read: {}", visible(thrown.what())));
  }
}

}  // namespace pinwheel::store
