#include "report/store_why.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"
#include "base/visible_text.h"
#include "plan/step_id.h"

namespace pinwheel::report {
namespace {

using WhyJson = nlohmann::ordered_json;

/// The end of "`build:x` ...".
std::string verdict(const plan::StoreReply& reply, const std::string& place) {
  const std::string from = quoted(place);
  switch (reply.answer) {
    case plan::StoreAnswer::taken:
      return fmt::format("would be reused from {}: a result has its key", from);
    case plan::StoreAnswer::handed_off:
      return fmt::format("would be reused from {}: a result of this plan, with another compiler",
                         from);
    case plan::StoreAnswer::skipped:
      return fmt::format("would run: in the result in {}, the test was skipped ({})", from,
                         visible(reply.nearest->reason));
    case plan::StoreAnswer::other_domain:
      return fmt::format("would run: {} has its key, but from {}, which {} does not read", from,
                         quoted(store::to_string(reply.nearest->writer.domain)),
                         quoted(store::to_string(reply.question.domain)));
    case plan::StoreAnswer::lacks_files:
      return fmt::format("would run: {} has its key, but not all its files", from);
    case plan::StoreAnswer::other_key:
      break;
    case plan::StoreAnswer::nothing:
      return fmt::format("would run: {} has no result of such a step", from);
  }
  if (reply.differences.empty()) {
    return fmt::format("may run: the known parts of its key equal those of a result in {}", from);
  }
  return fmt::format("would run: the key of the nearest result in {} differs in {}", from,
                     plural(reply.differences.size(), "part"));
}

std::string run_text(const store::Entry& result) {
  std::string out = fmt::format("{} of the run {}, {}", quoted(result.step),
                                quoted(result.writer.run), visible(result.finished));
  if (!result.writer.channel.empty()) out += ", channel " + quoted(result.writer.channel);
  if (!result.writer.commit.empty()) out += ", commit " + result.writer.commit;
  return fmt::format("{}, domain {}", out, quoted(store::to_string(result.writer.domain)));
}

/// A line for each package that differs, up to the number that people read.
std::string packages_text(const std::vector<plan::PackageDifference>& packages) {
  constexpr size_t kMostShown = 12;
  std::string out;
  const size_t shown = std::min(packages.size(), kMostShown);
  for (size_t i = 0; i < shown; ++i) {
    out += fmt::format("    {}\n", visible(plan::to_text(packages[i])));
  }
  if (shown < packages.size()) {
    out += fmt::format("    and {} more; `--json` has them all\n", packages.size() - shown);
  }
  return out;
}

/// A line for each part that differs; below those of the environment, its packages.
std::string differences_text(const plan::StoreReply& reply) {
  std::string out;
  for (size_t i = 0; i < reply.differences.size(); ++i) {
    out += fmt::format("  {}\n", visible(plan::to_text(reply.differences[i])));
    const bool last =
        i + 1 == reply.differences.size() || !plan::is_of_environment(reply.differences[i + 1]);
    if (plan::is_of_environment(reply.differences[i]) && last) out += packages_text(reply.packages);
  }
  return out;
}

/// The need in a difference "needs build:x", if it is a step whose result stores share.
std::string need_to_ask(const plan::KeyDifference& difference) {
  constexpr std::string_view kNeeds = "needs ";
  if (!difference.name.starts_with(kNeeds)) return {};
  const std::string need = difference.name.substr(kNeeds.size());
  return plan::prepares(need) ? std::string() : need;
}

WhyJson json_of(const std::optional<std::string>& value) {
  return value ? WhyJson(*value) : WhyJson(nullptr);
}

/// A version or a digest of a package; null where there is none.
WhyJson json_of(const std::optional<store::InstalledPackage>& package,
                std::string store::InstalledPackage::*value) {
  return package && !((*package).*value).empty() ? WhyJson((*package).*value) : WhyJson(nullptr);
}

WhyJson packages_json(const std::vector<plan::PackageDifference>& packages) {
  WhyJson out = WhyJson::array();
  for (const plan::PackageDifference& one : packages) {
    out.push_back({{"name", one.name},
                   {"stored", json_of(one.then, &store::InstalledPackage::version)},
                   {"here", json_of(one.now, &store::InstalledPackage::version)},
                   {"stored-sha256", json_of(one.then, &store::InstalledPackage::sha256)},
                   {"here-sha256", json_of(one.now, &store::InstalledPackage::sha256)}});
  }
  return out;
}

WhyJson json_of(const store::Entry& result) {
  return {{"step", result.step},
          {"key", result.key},
          {"run", result.writer.run},
          {"commit", result.writer.commit},
          {"channel", result.writer.channel},
          {"domain", std::string(store::to_string(result.writer.domain))},
          {"finished", result.finished},
          {"compiler", result.machine.compiler},
          {"python", result.machine.python},
          {"plan", result.plan}};
}

}  // namespace

std::string store_why_text(const plan::StoreReply& reply, const std::string& place) {
  std::string out = fmt::format("{} {}\n", quoted(reply.question.step), verdict(reply, place));
  out += differences_text(reply);
  for (const std::string& need : reply.question.key.unknown) {
    out += fmt::format(
        "  needs {}: not known {}\n", visible(need),
        plan::prepares(need) ? "before its packages are resolved here" : "before it has run");
  }
  if (reply.nearest) out += fmt::format("nearest: {}\n", run_text(*reply.nearest));
  for (const plan::KeyDifference& one : reply.differences) {
    if (const std::string need = need_to_ask(one); !need.empty()) {
      out += fmt::format("{} explains this difference\n",
                         quoted("pinwheel store why " + shell_quote(need)));
    }
  }
  return out;
}

std::string store_why_json(const plan::StoreReply& reply, const std::string& place) {
  const plan::PartialKey& key = reply.question.key;
  WhyJson differences = WhyJson::array();
  for (const plan::KeyDifference& one : reply.differences) {
    differences.push_back(
        {{"part", one.name}, {"stored", json_of(one.then)}, {"here", json_of(one.now)}});
  }
  const WhyJson json = {
      {"schema", "pinwheel-store-why/1"},
      {"place", place},
      {"step", reply.question.step},
      {"key", key.unknown.empty() ? WhyJson(plan::key_of(key.parts)) : WhyJson(nullptr)},
      {"domain", std::string(store::to_string(reply.question.domain))},
      {"answer", std::string(plan::to_string(reply.answer))},
      {"differences", std::move(differences)},
      {"packages", packages_json(reply.packages)},
      {"unknown", key.unknown},
      {"nearest", reply.nearest ? json_of(*reply.nearest) : WhyJson(nullptr)}};
  return json.dump(2, ' ', false, WhyJson::error_handler_t::replace) + "\n";
}

}  // namespace pinwheel::report
