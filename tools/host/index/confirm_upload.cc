#include "host/index/confirm_upload.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "pep/name.h"

namespace pinwheel::host {

Result<bool> ConfirmUploads::is_listed(const publish::Artifact& file) {
  if (session_.options.confirm == Confirm::none) return true;
  // Each round is a retry. Files after a failed lookup wait for the next round: a server that sends
  // one byte per second would take its time for each of them.
  if (trouble_) return false;
  TRY_DONE(ensure_fresh(session_));
  const Result<FileLookup> lookup = look_up_once(session_, file);
  if (!lookup && lookup.error().kind == ErrorKind::interrupted) return fail(lookup.error());
  if (!lookup) {
    trouble_ = lookup.error();
    return false;
  }
  if (lookup->presence == IndexPresence::different) {
    return fail(publish::conflict_error(file.filename, file.sha256, lookup->sha256));
  }
  return lookup->presence == IndexPresence::identical;
}

Done ConfirmUploads::look(AcceptedFile accepted) {
  TRY(const bool listed, is_listed(*accepted.file));
  if (listed) {
    notify(session_, accepted.event);
  } else {
    unlisted_.push_back(std::move(accepted));
  }
  return {};
}

Done ConfirmUploads::finish() {
  for (int looks = 1; !unlisted_.empty(); ++looks) {
    if (looks >= session_.options.looks) return fail(unconfirmed());
    TRY_DONE(wait(session_, looks, std::nullopt));
    trouble_.reset();
    for (AcceptedFile& accepted : std::exchange(unlisted_, {})) {
      TRY_DONE(look(std::move(accepted)));
    }
  }
  return {};
}

Error ConfirmUploads::unconfirmed() const {
  std::vector<std::string> names;
  for (const AcceptedFile& each : unlisted_) names.push_back(each.file->filename);
  const std::string page =
      publish::project_url(session_.target.endpoint, pep::normalize_name(unlisted_[0].file->name));
  Error error{
      ErrorKind::publish,
      fmt::format("{} accepted {} but does not list {}: {}", quoted(session_.target.name),
                  plural(names.size(), "file"), names.size() == 1 ? "it" : "them",
                  quoted_list(names)),
      std::nullopt,
      fmt::format("look at {}; if they are there, the same command recognizes them by their "
                  "hash; if not, the upload URL may lead to a page for people, which answers "
                  "everything, or the index has its pages elsewhere (`--check-url`) or none "
                  "(`--no-confirm`, `confirm: none` in a matrix)",
                  page),
      {}};
  if (trouble_) error.causes.push_back(*trouble_);
  return error;
}

}  // namespace pinwheel::host
