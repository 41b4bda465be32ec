#include "matrix/target_kind.h"

#include "unit/catch.h"

using namespace pinwheel::matrix;

TEST_CASE("a kind of target is parsed from its printed name") {
  for (const TargetKind kind : kTargetKinds) CHECK(parse_target_kind(to_string(kind)) == kind);
  CHECK_FALSE(parse_target_kind("pip"));
  CHECK_FALSE(parse_target_kind(""));
}

TEST_CASE("PyPI, TestPyPI and indexes have the upload API of PyPI") {
  for (const TargetKind kind : {TargetKind::pypi, TargetKind::testpypi, TargetKind::index}) {
    CHECK(has_upload_api(kind));
  }
  for (const TargetKind kind :
       {TargetKind::directory, TargetKind::s3, TargetKind::github_release}) {
    CHECK_FALSE(has_upload_api(kind));
  }
}

TEST_CASE("a directory is the one kind of target that takes no uploads") {
  for (const TargetKind kind : kTargetKinds) {
    INFO(to_string(kind));
    CHECK((place_of(kind) == TargetPlace::directory) == (kind == TargetKind::directory));
  }
}

TEST_CASE("whether files are attested is automatic unless the matrix states it") {
  for (const Attesting attesting : kAttestings) {
    CHECK(attesting_of(to_string(attesting)) == attesting);
  }
  CHECK(attesting_of("") == Attesting::automatic);
  CHECK(attesting_of("auto") == Attesting::automatic);
}
