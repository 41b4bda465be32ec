#include "host/index/publish_target.h"

#include "host/system/files.h"
#include "unit/catch.h"

using namespace pinwheel;

namespace {

matrix::PublishTarget target_of(matrix::TargetKind kind) {
  matrix::PublishTarget target;
  target.name = "target";
  target.kind = kind;
  target.url = "https://a.example/legacy/";
  return target;
}

host::Workplace workplace(std::vector<std::string>& masked) {
  host::Workplace workplace;
  workplace.variables = {{"PINWHEEL_TOKEN_TARGET", "pass-word"}};
  workplace.mask = [&masked](const Secret& secret) { masked.push_back(secret.reveal()); };
  return workplace;
}

}  // namespace

TEST_CASE("every kind of target except a directory has an upload endpoint") {
  host::LocalFiles files;
  for (const matrix::TargetKind kind : matrix::kTargetKinds) {
    std::vector<std::string> masked;
    const auto found = host::upload_target(target_of(kind), workplace(masked), files);
    if (kind == matrix::TargetKind::directory) {
      CHECK(found.error().kind == ErrorKind::internal);
      continue;
    }
    REQUIRE(found);
    const bool own = found->endpoint.kind == publish::IndexKind::other;
    CHECK(own == (kind == matrix::TargetKind::index));
    CHECK(masked == std::vector<std::string>{"pass-word"});
  }
}

TEST_CASE("a target that needs no token is opened without one") {
  host::LocalFiles files;
  std::vector<std::string> masked;
  matrix::PublishTarget target = target_of(matrix::TargetKind::index);
  target.anonymous = true;
  const auto found = host::upload_target(target, workplace(masked), files);
  REQUIRE(found);
  CHECK_FALSE(found->credentials);
  CHECK(masked.empty());
  CHECK_FALSE(host::open_index(*found)->credentials);
}
