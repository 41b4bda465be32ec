#include "session/ask_github.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "host/index/github_release.h"
#include "matrix/target_kind.h"
#include "pep/name.h"
#include "plan/publication.h"
#include "publish/release_assets.h"
#include "publish/release_status.h"

namespace pinwheel::session {
namespace {

/// The target of a publication, found by `host::github_target` or `host::github_reader`.
Result<host::GithubTarget> target_of(const GithubQuestions& questions,
                                     const plan::Publish& publication,
                                     decltype(host::github_target)& find) {
  const prepare::OpenMachine machine = questions.host.machine(questions.workplace);
  const std::shared_ptr<ports::Http> http =
      questions.host.http(questions.requests, questions.workplace.log, {});
  const host::CredentialPorts ports{machine->files,   *http,          *http,
                                    machine->process, machine->clock, questions.workplace.mask};
  return find(publication.target, questions.workplace, ports);
}

publish::ReleaseFacts facts_of(const plan::TaggedRelease& release) {
  return {release.project, release.tag, release.commit, release.build};
}

/// How many files the release of a publication has: wheels, sdists, `SHA256SUMS`, and a record for
/// each project.
size_t planned_files(const plan::Plan& plan, const plan::Publish& publication) {
  std::set<std::string> projects;
  size_t files = 1;
  for (const std::string& build : publication.builds) {
    const auto naming = publication.names.find(build);
    if (naming == publication.names.end()) continue;
    projects.insert(pep::normalize_name(naming->second.distribution));
    files += wheel::labels_of(naming->second).size();
  }
  return files + plan::published_sdists(plan, publication).size() + projects.size();
}

publish::ReleaseGoal goal_of(const plan::Publish& publication, const publish::GithubPlace& place) {
  return {place, publication.release.tag, publication.release.commit, {}};
}

/// One question to an API.
template <class T, class Ask>
Result<T> asked(const GithubQuestions& questions, host::GithubTarget target, const Ask& ask) {
  const std::shared_ptr<ports::Http> http =
      questions.host.http(questions.requests, questions.workplace.log, {});
  host::UploadHooks hooks;
  hooks.sleep = [&http](std::chrono::milliseconds delay) {
    http->wait(delay);
    return true;
  };
  host::UploadOptions options;
  options.attempts = 2;
  const host::GithubApi api(std::move(target), options, *http, hooks);
  Result<T> answer = ask(api);
  if (!answer) return fail(api.hidden(std::move(answer).error()));
  return answer;
}

/// The release, and whether the token may write.
struct GithubAnswer {
  publish::GithubState state;
  std::optional<bool> may_write;
};

publish::IndexState state_on_github(const GithubQuestions& questions, const plan::Plan& plan,
                                    const plan::Publish& publication) {
  const plan::TaggedRelease& release = publication.release;
  publish::IndexState state{{publication.target.name,
                             {},
                             release.project,
                             release.version,
                             planned_files(plan, publication)}};
  state.planned.build = release.build;
  const Result<host::GithubTarget> target = target_of(questions, publication, host::github_target);
  const Done tagged = publish::check_tagged(facts_of(release), publication.target.name);
  if (!tagged) state.obstacles.push_back(tagged.error());
  if (!target) state.obstacles.push_back(target.error());
  if (!tagged || !target) return state;
  state.planned.endpoint.upload_url = target->place.api;
  const auto answer =
      asked<GithubAnswer>(questions, *target, [&](const auto& api) -> Result<GithubAnswer> {
        GithubAnswer found;
        TRY(found.may_write, api.may_write());
        TRY(found.state, api.look(goal_of(publication, target->place)));
        return found;
      });
  if (!answer) {
    publish::note_unanswered(state, answer.error());
    return state;
  }
  publish::note_github(state, goal_of(publication, target->place), answer->state);
  if (answer->may_write == false) {
    state.obstacles.push_back(publish::no_write_permission(target->place));
  }
  return state;
}

}  // namespace

std::vector<publish::IndexState> ask_github(const GithubQuestions& questions,
                                            const plan::Plan& plan,
                                            const std::vector<const plan::Publish*>& publications) {
  std::vector<publish::IndexState> states;
  for (const plan::Publish* const publication : publications) {
    if (publication->target.kind != matrix::TargetKind::github_release) continue;
    states.push_back(state_on_github(questions, plan, *publication));
  }
  return states;
}

Result<GithubFiles> github_files(const GithubQuestions& questions,
                                 const plan::Publish& publication) {
  TRY_DONE(publish::check_tagged(facts_of(publication.release), publication.target.name));
  TRY(host::GithubTarget target, target_of(questions, publication, host::github_reader));
  const publish::ReleaseGoal goal = goal_of(publication, target.place);
  TRY(const publish::GithubState state,
      asked<publish::GithubState>(questions, std::move(target),
                                  [&](const auto& api) { return api.look(goal); }));
  GithubFiles found{publish::released_files(state)};
  // Without assets in the goal, only the tag can stop the release.
  const Result<publish::GithubAction> next = publish::next_action(goal, state);
  if (!next) found.conflict = next.error();
  return found;
}

}  // namespace pinwheel::session
