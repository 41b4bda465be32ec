#include "host/index/publish_target.h"

#include "unit/catch.h"
#include "unit/host/credential_bench.h"

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
  const CredentialBench bench;
  for (const matrix::TargetKind kind : matrix::kTargetKinds) {
    std::vector<std::string> masked;
    const auto found = host::upload_target(target_of(kind), workplace(masked), bench.ports);
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

TEST_CASE("a target that needs no token has no credentials") {
  const CredentialBench bench;
  std::vector<std::string> masked;
  matrix::PublishTarget target = target_of(matrix::TargetKind::index);
  target.auth = matrix::UploadAuth::none;
  const auto found = host::upload_target(target, workplace(masked), bench.ports);
  REQUIRE(found);
  CHECK_FALSE(found->credentials);
  CHECK(masked.empty());
}

TEST_CASE("a target that trusts jobs takes no token of the user") {
  CredentialBench bench;
  std::vector<std::string> masked;
  matrix::PublishTarget target = target_of(matrix::TargetKind::pypi);
  target.auth = matrix::UploadAuth::trusted;
  const auto found = host::upload_target(target, workplace(masked), bench.ports);
  REQUIRE_FALSE(found);
  CHECK(found.error().kind == ErrorKind::usage);
  CHECK(masked.empty());
}
