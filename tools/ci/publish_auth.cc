#include "ci/publish_auth.h"

#include "matrix/target_place.h"

namespace pinwheel::ci {
namespace {

/// PyPI trusts a job by its identity; an index of one's own takes a token.
PublishAuth usual_auth(matrix::TargetKind kind) {
  switch (kind) {
    case matrix::TargetKind::pypi:
    case matrix::TargetKind::testpypi:
      return PublishAuth::trusted;
    case matrix::TargetKind::index:
      return PublishAuth::token;
    case matrix::TargetKind::directory:
      break;
  }
  return PublishAuth::none;
}

}  // namespace

PublishAuth auth_of(const matrix::PublishTarget& target) {
  if (matrix::place_of(target.kind) == matrix::TargetPlace::directory) return PublishAuth::none;
  switch (target.auth) {
    case matrix::UploadAuth::none:
      return PublishAuth::none;
    case matrix::UploadAuth::token:
      return PublishAuth::token;
    case matrix::UploadAuth::trusted:
      return PublishAuth::trusted;
    case matrix::UploadAuth::automatic:
      break;
  }
  return usual_auth(target.kind);
}

bool is_trial(matrix::TargetKind kind) {
  switch (kind) {
    case matrix::TargetKind::testpypi:
      return true;
    case matrix::TargetKind::pypi:
    case matrix::TargetKind::index:
    case matrix::TargetKind::directory:
      break;
  }
  return false;
}

}  // namespace pinwheel::ci
