#include "ci/publish_auth.h"

#include "unit/catch.h"

using namespace pinwheel;

TEST_CASE("the job of a target authenticates as its kind does, or as the matrix says") {
  const auto auth = [](matrix::TargetKind kind, matrix::UploadAuth stated) {
    matrix::PublishTarget target;
    target.kind = kind;
    target.auth = stated;
    return ci::auth_of(target);
  };
  using matrix::TargetKind;
  using matrix::UploadAuth;
  CHECK(auth(TargetKind::pypi, UploadAuth::automatic) == ci::PublishAuth::trusted);
  CHECK(auth(TargetKind::testpypi, UploadAuth::automatic) == ci::PublishAuth::trusted);
  CHECK(auth(TargetKind::index, UploadAuth::automatic) == ci::PublishAuth::token);
  CHECK(auth(TargetKind::index, UploadAuth::none) == ci::PublishAuth::none);
  CHECK(auth(TargetKind::index, UploadAuth::trusted) == ci::PublishAuth::trusted);
  CHECK(auth(TargetKind::pypi, UploadAuth::token) == ci::PublishAuth::token);
  for (const UploadAuth stated : matrix::kUploadAuths) {
    CHECK(auth(TargetKind::directory, stated) == ci::PublishAuth::none);
  }
}

TEST_CASE("TestPyPI is the one index on which a release is tried out") {
  for (const matrix::TargetKind kind : matrix::kTargetKinds) {
    INFO(to_string(kind));
    CHECK(ci::is_trial(kind) == (kind == matrix::TargetKind::testpypi));
  }
}
