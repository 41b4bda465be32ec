#include "host/index/upload.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/parallel.h"
#include "base/parse_integer.h"
#include "base/retries.h"
#include "base/text.h"
#include "host/index/checked_bytes.h"
#include "host/index/confirm_upload.h"
#include "pep/name.h"
#include "publish/narrower_wheel.h"
#include "publish/preflight.h"
#include "publish/recut.h"
#include "publish/release_age.h"
#include "publish/upload_form.h"
#include "publish/upload_order.h"

namespace pinwheel::host {

namespace {

using publish::Artifact;
using publish::Outcome;
using publish::UploadEvent;
using publish::UploadStage;

using Reply = tl::expected<ports::HttpResponse, ports::HttpFailure>;

/// The contents of the index before anything is sent.
struct Survey {
  std::map<std::string, std::vector<publish::IndexFile>> pages;  ///< by normalized project name
  std::vector<FileLookup> lookups;                               ///< one per file
};

Result<Survey> survey(const UploadSession& session, const std::vector<Artifact>& files) {
  Survey seen;
  for (const Artifact& file : files) {
    const auto place = seen.pages.try_emplace(pep::normalize_name(file.name));
    std::vector<publish::IndexFile>& page = place.first->second;
    if (place.second) {
      TRY(page, patiently<std::vector<publish::IndexFile>>(session, [&] {
            return read_project(session.target, file.name, session.http);
          }));
    }
    TRY(FileLookup lookup, patiently<FileLookup>(session, [&] {
          return look_up(file, page, session.target, session.http);
        }));
    seen.lookups.push_back(std::move(lookup));
  }
  return seen;
}

/// The files of releases that the index has closed.
std::vector<Error> too_late(const UploadSession& session, const std::vector<Artifact>& files,
                            const Survey& seen) {
  if (!publish::has_pypi_rules(session.target.endpoint.kind) || !session.hooks.now) return {};
  std::vector<Error> findings;
  for (size_t i = 0; i < files.size(); ++i) {
    if (seen.lookups[i].presence != IndexPresence::absent) continue;
    const auto& page = seen.pages.at(pep::normalize_name(files[i].name));
    for (Error& each : publish::age_findings({files[i]}, page, session.hooks.now())) {
      findings.push_back(std::move(each));
    }
  }
  return findings;
}

/// Warns about wheels for fewer systems than those that the index has.
void warn_of_narrower(const UploadSession& session, const std::vector<Artifact>& files,
                      const Survey& seen) {
  if (!session.hooks.warn) return;
  std::vector<std::string> wheels;
  wheels.reserve(files.size());
  for (const Artifact& file : files) wheels.push_back(file.filename);
  std::vector<std::string> published;
  for (const auto& [project, page] : seen.pages) {
    for (const publish::IndexFile& file : page) published.push_back(file.filename);
  }
  for (const Error& warning : publish::narrower_warnings(
           publish::narrower_wheels(wheels, published), session.target.name)) {
    session.hooks.warn(warning);
  }
}

/// Looks up each file. Conflicts, and files of closed releases, are reported together.
Result<Survey> look_up_all(const UploadSession& session, const std::vector<Artifact>& files) {
  TRY(Survey seen, survey(session, files));
  if (session.options.confirm != Confirm::none) {
    TRY_DONE(publish::check_recut(
        {session.target.name, session.options.build_number}, files,
        [&seen](const std::string& project) { return seen.pages.at(project); }));
  }
  const bool recut = session.options.build_number > 0;
  Error conflicts{
      ErrorKind::publish,
      fmt::format("{} has different files with these names, nothing was sent",
                  quoted(session.target.name)),
      std::nullopt,
      fmt::format("a file name is never reused: {}",
                  recut ? "use a higher build number" : "publish under another version"),
      {}};
  for (size_t i = 0; i < files.size(); ++i) {
    if (seen.lookups[i].presence != IndexPresence::different) continue;
    conflicts.causes.push_back(
        publish::conflict_error(files[i].filename, files[i].sha256, seen.lookups[i].sha256));
    if (recut) conflicts.causes.back().hint.clear();
  }
  if (!conflicts.causes.empty()) return fail(std::move(conflicts));
  std::vector<Error> late = too_late(session, files, seen);
  if (late.empty()) {
    warn_of_narrower(session, files, seen);
    return seen;
  }
  return fail(Error{
      ErrorKind::publish,
      fmt::format("{} has closed these releases, nothing was sent", quoted(session.target.name)),
      std::nullopt, "publish another version", std::move(late)});
}

/// The response to a file, and how often the credentials had been renewed when it was sent.
struct Sent {
  Reply reply;
  size_t renewals = 0;
};

/// Sends the file when it is its turn, after `event`.
Result<Sent> send(const UploadSession& session, const Artifact& file, const UploadEvent& event) {
  // The wait for the turn may outlast the credentials, and another file may fail meanwhile.
  TRY(const UploadTurns::Turn turn, session.turns.begin());
  TRY_DONE(ensure_fresh(session));
  TRY_DONE(session.turns.go_on());
  notify(session, event);
  ports::HttpRequest request;
  request.method = "POST";
  request.url = session.target.endpoint.upload_url;
  request.headers = {{"Accept", "application/json;q=0.9, text/plain;q=0.8, text/html;q=0.7"}};
  Artifact checked = file;
  checked.contents = std::make_shared<CheckedBytes>(file.contents, file.sha256, file.filename);
  request.form = publish::upload_form(checked);
  const auto used = session.credentials.in_use();
  const size_t renewals = session.target.earlier.size();
  request.credentials = session.target.credentials;
  // Only the beginning of a reply is ever displayed.
  request.body_limit = limits::kUploadReply;
  request.long_body = ports::LongBody::ends;
  return Sent{session.turns.waiting([&] { return session.http.send(request); }), renewals};
}

Error spent(const UploadSession& session, const Artifact& file, Outcome outcome, Error last) {
  const bool unknown = outcome == Outcome::unknown;
  return Error{
      ErrorKind::publish,
      fmt::format("{} was sent {} to {}, {}", quoted(file.filename),
                  plural(static_cast<size_t>(session.options.attempts), "time"),
                  quoted(session.target.name),
                  unknown ? "and the index neither confirms nor lists it" : "without success"),
      std::nullopt,
      "run the same command again: files that arrived are recognized by their hash",
      {std::move(last)}};
}

/// The result of one attempt: a finished file, an error, or the reason to retry.
struct Attempt {
  Outcome outcome = Outcome::uploaded;
  std::string message = {};
  Error error = {};     ///< meaningful for transient and unknown
  size_t renewals = 0;  ///< of the credentials, when the file was sent
  std::optional<std::chrono::milliseconds> retry_after = std::nullopt;
};

Attempt judge(const UploadSession& session, const Artifact& file, const Reply& reply) {
  if (!reply) {
    return {publish::outcome_of_failure(reply.error()), {}, reply.error().error};
  }
  const HiddenText hidden = hidden_of(session.target);
  const Outcome outcome = publish::outcome_of_status(reply->status);
  if (outcome == Outcome::uploaded) {
    return {outcome, publish::server_message(*reply, hidden)};
  }
  return {outcome,
          {},
          publish::reply_error(outcome, *reply, file.filename,
                               {session.target.name, session.target.endpoint.upload_url,
                                session.credentials.advice()},
                               hidden),
          0,
          publish::retry_after(*reply)};
}

/// Sends the file once; if the response is inconclusive, looks up the file.
Result<Attempt> attempt_once(const UploadSession& session, const Artifact& file,
                             const UploadEvent& event) {
  TRY(const Sent sent, send(session, file, event));
  Attempt attempt = judge(session, file, sent.reply);
  attempt.renewals = sent.renewals;
  const bool final = attempt.error.kind == ErrorKind::environment ||
                     attempt.error.kind == ErrorKind::interrupted ||
                     attempt.error.kind == ErrorKind::config ||
                     attempt.error.kind == ErrorKind::check;
  switch (attempt.outcome) {
    case Outcome::uploaded:
      return attempt;
    case Outcome::refused: {
      const Result<FileLookup> lookup = look_up_now(session, file);
      // The index's response about the file matters more than why the lookup failed.
      if (!lookup) return fail(std::move(attempt.error).with_cause(lookup.error()));
      if (lookup->presence == IndexPresence::absent) return fail(std::move(attempt.error));
      if (lookup->presence == IndexPresence::different) {
        return fail(publish::conflict_error(file.filename, file.sha256, lookup->sha256));
      }
      return Attempt{Outcome::identical};
    }
    case Outcome::auth:
      return attempt;
    case Outcome::transient:
    case Outcome::unknown:
      if (final) return fail(std::move(attempt.error));
      session.turns.slow_down();
      return attempt;
    default:
      return fail(std::move(attempt.error));
  }
}

/// The index rejected the credentials of a file for the `refusals`th time. They may have expired
/// while it was being sent. Those that another file renewed meanwhile are new enough; else they are
/// renewed, once for a file.
Done replace_refused(const UploadSession& session, Attempt attempt, int refusals) {
  const bool newer = session.target.earlier.size() > attempt.renewals;
  const bool renewable = refusals == 1 && session.credentials.can_renew();
  if (!newer && !renewable) return fail(std::move(attempt.error));
  notice_retry(session, attempt.error);
  if (newer) return {};
  return patiently<void>(session, [&] { return session.credentials.replace(); });
}

/// The outcome of a file; nullopt if it has to be sent again.
using Settled = Result<std::optional<FileOutcome>>;

/// Looks for a file that may have arrived.
Settled find_arrived(const UploadSession& session, const Artifact& file, int sent) {
  TRY(const FileLookup lookup, look_up_now(session, file));
  if (lookup.presence == IndexPresence::identical) {
    return FileOutcome{file.filename, file.sha256, Outcome::uploaded, sent, {}};
  }
  if (lookup.presence == IndexPresence::different) {
    return fail(publish::conflict_error(file.filename, file.sha256, lookup.sha256));
  }
  return std::nullopt;
}

/// After the attempt number `sent`: replaces the credentials, or waits and looks for the file.
Settled prepare_next(const UploadSession& session, const Artifact& file, const Attempt& attempt,
                     int sent, int refusals) {
  TRY_DONE(session.turns.go_on());
  if (attempt.outcome == Outcome::auth) {
    TRY_DONE(replace_refused(session, attempt, refusals));
    return std::nullopt;
  }
  notice_retry(session, attempt.error);
  TRY_DONE(wait(session, sent, attempt.retry_after));
  TRY_DONE(session.turns.go_on());
  if (attempt.outcome == Outcome::unknown) return find_arrived(session, file, sent);
  return std::nullopt;
}

bool is_there(const Attempt& attempt) {
  return attempt.outcome == Outcome::uploaded || attempt.outcome == Outcome::identical;
}

/// Sends a file that the index does not have, with retries; `event` describes the file.
Result<FileOutcome> publish_file(const UploadSession& session, const Artifact& file,
                                 UploadEvent event) {
  event.stage = UploadStage::sending;
  event.attempt = 0;
  int refusals = 0;
  const int most = session.options.attempts;
  Settled settled = std::nullopt;
  const auto send_once = [&] {
    ++event.attempt;
    return attempt_once(session, file, event);
  };
  const auto again = [&](const Result<Attempt>& attempt) {
    if (!attempt || is_there(*attempt)) return false;
    return attempt->outcome == Outcome::auth || event.attempt < most;
  };
  const auto ready_next = [&](int sent, const Result<Attempt>& attempt) {
    if (attempt->outcome == Outcome::auth) ++refusals;
    settled = prepare_next(session, file, *attempt, sent, refusals);
    return settled && !*settled;
  };
  // One more attempt, because renewed credentials are always tried.
  TRY(Attempt last, with_retries(most + 1, send_once, again, ready_next));
  TRY(const std::optional<FileOutcome> found, std::move(settled));
  if (found) return *found;
  if (is_there(last)) {
    return FileOutcome{file.filename, file.sha256, last.outcome, event.attempt, last.message};
  }
  if (last.outcome == Outcome::auth) return fail(std::move(last.error));
  if (last.outcome == Outcome::unknown) {
    TRY(const std::optional<FileOutcome> arrived, find_arrived(session, file, event.attempt));
    if (arrived) return *arrived;
  }
  return fail(spent(session, file, last.outcome, std::move(last.error)));
}

/// All attempts are used up: an unanswered question is final.
Error as_final(Error error) {
  if (error.kind == ErrorKind::transient) error.kind = ErrorKind::publish;
  return error;
}

bool is_publication_attested(const Artifact& file) {
  return std::any_of(file.attestations.begin(), file.attestations.end(),
                     [](const publish::Attestation& each) {
                       return each.predicate == publish::kPublishPredicate;
                     });
}

/// The files, those that will be sent with attestations.
Result<std::vector<Artifact>> attested(const UploadSession& session, std::vector<Artifact> files,
                                       const std::vector<FileLookup>& lookups) {
  if (!session.hooks.attest) return files;
  std::vector<size_t> chosen;
  std::vector<Artifact> unsigned_files;
  for (size_t i = 0; i < files.size(); ++i) {
    if (lookups[i].presence != IndexPresence::absent) continue;
    if (is_publication_attested(files[i])) continue;
    chosen.push_back(i);
    unsigned_files.push_back(files[i]);
  }
  if (chosen.empty()) return files;
  TRY(FileAttestations made,
      patiently<FileAttestations>(session, [&] { return session.hooks.attest(unsigned_files); }));
  for (size_t i = 0; i < chosen.size(); ++i) {
    for (publish::Attestation& each : made.at(i)) {
      files[chosen[i]].attestations.push_back(std::move(each));
    }
  }
  return files;
}

/// The files of an upload, in order, and what became of them.
struct Progress {
  const std::vector<Artifact>& files;
  const std::vector<FileLookup>& lookups;
  std::vector<FileOutcome> outcomes;
  ConfirmUploads confirm;
};

/// Sends the file of that index unless the index has it, and looks whether it is listed.
Done settle(const UploadSession& session, Progress& progress, size_t index) {
  const Artifact& file = progress.files[index];
  FileOutcome outcome{file.filename, file.sha256, Outcome::identical, 0, {}};
  UploadEvent event{UploadStage::already_there,
                    session.target.name,
                    file.filename,
                    file.sha256,
                    file.size,
                    index + 1,
                    progress.files.size(),
                    0};
  if (progress.lookups[index].presence == IndexPresence::absent) {
    TRY(outcome, publish_file(session, file, event));
  }
  event.attempt = outcome.attempts;
  if (outcome.outcome == Outcome::uploaded) {
    event.stage = UploadStage::sent;
    TRY_DONE(progress.confirm.look({&file, event}));
  } else {
    notify(session, event);
  }
  progress.outcomes[index] = std::move(outcome);
  return {};
}

/// Files from `begin` up to `end` that may be sent at the same time.
struct Together {
  size_t begin = 0;
  size_t end = 0;
};

/// The files by project and kind. The first file of a project that the index does not have is
/// alone: several at once would each try to create the project.
std::vector<Together> sent_together(const std::vector<Artifact>& files, const Survey& seen) {
  std::vector<Together> groups;
  std::set<std::string> created;
  for (size_t begin = 0; begin < files.size();) {
    const std::string project = pep::normalize_name(files[begin].name);
    const auto belongs = [&](const Artifact& file) {
      return file.kind == files[begin].kind && pep::normalize_name(file.name) == project;
    };
    const bool creates = seen.pages.at(project).empty() && created.insert(project).second;
    size_t end = begin + 1;
    while (!creates && end < files.size() && belongs(files[end])) ++end;
    groups.push_back({begin, end});
    begin = end;
  }
  return groups;
}

Done settle_together(const UploadSession& session, Progress& progress, const Together& group) {
  const size_t count = group.end - group.begin;
  const size_t threads = std::min(count, session.options.at_once);
  if (threads == 1) {
    for (size_t i = group.begin; i < group.end; ++i) TRY_DONE(settle(session, progress, i));
    return {};
  }
  const JobLimits limits{.threads = static_cast<unsigned>(threads)};
  return session.turns.waiting([&] {
    return try_jobs(std::vector<uint64_t>(count, 1), limits, [&](size_t i) -> Done {
      const UploadTurns::Lock lock = session.turns.lock();
      TRY_DONE(session.turns.go_on());
      Done settled = settle(session, progress, group.begin + i);
      if (!settled) session.turns.give_up(settled.error());
      // Whichever job ends first, the result is the error of the one that failed first.
      return settled ? settled : session.turns.go_on();
    });
  });
}

Result<std::vector<FileOutcome>> publish_all(const UploadSession& session,
                                             const std::vector<Artifact>& ordered) {
  TRY(const Survey seen, look_up_all(session, ordered));
  TRY(const std::vector<Artifact> files, attested(session, ordered, seen.lookups));
  Progress progress{files, seen.lookups, std::vector<FileOutcome>(files.size()),
                    ConfirmUploads(session)};
  for (const Together& group : sent_together(files, seen)) {
    TRY_DONE(settle_together(session, progress, group));
  }
  TRY_DONE(progress.confirm.finish());
  return std::move(progress.outcomes);
}

}  // namespace

Result<size_t> uploads_at_once(const std::map<std::string, std::string>& variables,
                               const publish::Endpoint& index) {
  const std::string text = value_at(variables, kUploadsVariable);
  if (text.empty()) return publish::has_pypi_rules(index.kind) ? 2 : 4;
  const std::optional<uint64_t> number = parse_unsigned(text);
  if (number && *number >= 1 && *number <= kMostUploads) return *number;
  return fail(ErrorKind::usage,
              fmt::format("{} is not a number of files from 1 to {}: {}", quoted(text),
                          kMostUploads, quoted(kUploadsVariable)),
              "write `1` to send one file at a time");
}

Result<std::vector<FileOutcome>> upload_release(const std::vector<Artifact>& files,
                                                const UploadTarget& target,
                                                const UploadOptions& options, ports::Http& http,
                                                const UploadHooks& hooks) {
  std::vector<Error> findings =
      publish::preflight(files, {target.endpoint.kind, options.size_limit});
  if (!findings.empty()) {
    return fail(Error{
        ErrorKind::check,
        fmt::format("the release failed the checks for {}, nothing was sent", quoted(target.name)),
        std::nullopt, "fix each finding; the index would reject the files", std::move(findings)});
  }
  UploadCredentials credentials(target, hooks);
  UploadTurns turns(options.at_once);
  const UploadTurns::Lock lock = turns.lock();
  const UploadSession session{credentials.index(), options, http, hooks, credentials, turns};
  const Done opened = patiently<void>(session, [&] { return credentials.open(); });
  if (!opened) return fail(as_final(opened.error()));
  Result<std::vector<FileOutcome>> outcomes = publish_all(session, publish::in_upload_order(files));
  if (!outcomes) {
    return fail(hidden_of(session.target).mask(as_final(std::move(outcomes).error())));
  }
  return outcomes;
}

}  // namespace pinwheel::host
