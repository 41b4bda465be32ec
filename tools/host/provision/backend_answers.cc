#include "host/provision/backend_answers.h"

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace pinwheel::host {
namespace {

std::filesystem::path answer_file(const EnvMachine& machine, const std::string& question) {
  return machine.state / "backends" / (question + ".json");
}

}  // namespace

Done record_answer(const EnvMachine& machine, const std::string& question,
                   const std::vector<std::string>& requires_) {
  const nlohmann::json json = {{"requires", requires_}};
  return machine.files.write(
      answer_file(machine, question),
      json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

std::optional<std::vector<std::string>> load_answer(const EnvMachine& machine,
                                                    const std::string& question) {
  const Result<std::string> text = machine.files.read(answer_file(machine, question));
  if (!text) return std::nullopt;
  const nlohmann::json json = read_json(*text);
  if (!json.is_object() || !json.contains("requires")) return std::nullopt;
  std::vector<std::string> texts;
  for (const nlohmann::json& each : json["requires"]) {
    if (!each.is_string()) return std::nullopt;
    texts.push_back(each.get<std::string>());
  }
  return texts;
}

}  // namespace pinwheel::host
