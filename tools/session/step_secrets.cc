#include "session/step_secrets.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <utility>

#include "base/text.h"

namespace pinwheel::session {
namespace {

/// Name of a secret -> the first step that gets it.
std::map<std::string, std::string> users_of_secrets(const std::vector<const plan::Step*>& steps) {
  std::map<std::string, std::string> users;
  for (const plan::Step* step : steps) {
    for (const std::string& name : plan::secrets_of(step->action)) users.emplace(name, step->id);
  }
  return users;
}

Error missing(const std::vector<std::string>& names, const std::string& step) {
  return {.kind = ErrorKind::environment,
          .message = fmt::format("{} {} not set, and {} needs {}", quoted_list(names),
                                 names.size() == 1 ? "is" : "are", quoted(step),
                                 names.size() == 1 ? "it" : "them"),
          .hint =
              "the matrix names them in `environment.secrets`: export them, in CI from the "
              "secrets of the repository"};
}

}  // namespace

Result<host::Workplace> with_secrets(host::Workplace workplace,
                                     const std::vector<const plan::Step*>& steps,
                                     const Console& console) {
  const std::map<std::string, std::string> users = users_of_secrets(steps);
  if (users.empty()) return workplace;
  auto hidden = std::make_shared<HiddenText>();
  if (workplace.hidden) *hidden = *workplace.hidden;
  std::vector<std::string> absent;
  for (const auto& [name, step] : users) {
    Secret value(value_at(workplace.variables, name));
    if (value.empty()) {
      absent.push_back(name);
      continue;
    }
    if (!value.can_be_hidden()) {
      return fail(ErrorKind::environment,
                  fmt::format("the secret {} has fewer than {} characters", quoted(name),
                              Secret::kShortest),
                  "a shorter one cannot be hidden; put a value that is not secret in "
                  "`environment.variables`");
    }
    console.hide(value);
    hidden->add(value, name);
    workplace.secrets.insert_or_assign(name, std::move(value));
  }
  if (!absent.empty()) return fail(missing(absent, users.at(absent.front())));
  workplace.hidden = std::move(hidden);
  return workplace;
}

}  // namespace pinwheel::session
