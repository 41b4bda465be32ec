#include "session/remote_compiler_cache.h"

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::session;
using matrix::CompilerCache;
using store::Domain;
using store::PlaceAccess;
using store::PlaceDescription;

namespace {

using Set = std::map<std::string, std::string>;
using Secrets = std::vector<std::string>;

plan::Plan plan_through(CompilerCache cache, const Secrets& secrets = {}) {
  plan::BuildWheel build;
  build.settings.environment.compiler_cache = cache;
  build.settings.build.network = matrix::BuildNetwork::whole;
  build.secrets = secrets;
  plan::Plan plan;
  plan.steps.push_back({"build:x", {}, build});
  return plan;
}

/// The variables with places of the user, as texts.
Set shared_through(const plan::Plan& plan, const std::vector<std::string>& places,
                   Domain domain = Domain::branch,
                   prepare::StoreWrites writes = prepare::StoreWrites::yes,
                   const Set& of_user = {}) {
  prepare::RunStore store{domain, writes, {}};
  for (const std::string& place : places) {
    store.places.push_back(store::parse_place(place).value());
  }
  Set variables = {{"AWS_ENDPOINT_URL_S3", "http://127.0.0.1:9000"},
                   {"AWS_REGION", "eu-west-1"},
                   {"HOME", "/nowhere"}};
  variables.insert(of_user.begin(), of_user.end());
  const std::filesystem::path directory = "/w";
  return remote_cache_variables(plan, {store, {}, directory, variables});
}

}  // namespace

TEST_CASE("ccache shares its objects through the last place that it can use, by domain") {
  const plan::Plan plan = plan_through(CompilerCache::ccache);
  const auto storage = [&plan](const std::vector<std::string>& places,
                               Domain domain = Domain::branch) {
    return shared_through(plan, places, domain);
  };
  CHECK(storage({}).empty());
  CHECK(storage({"local", "s3://bucket/prefix", "https://cache.example"}).empty());
  CHECK(storage({"dir:near", "dir:shared", "dir:a b"}, Domain::release) ==
        Set{{"CCACHE_REMOTE_STORAGE", "file:/w/shared/compiler-cache/release"}});
  CHECK(storage({"dir:/s,ro"}) ==
        Set{{"CCACHE_REMOTE_STORAGE", "file:/s/compiler-cache/branch|read-only"}});
  CHECK(storage({"http://cache:8080/results"}, Domain::pull_request) ==
        Set{{"CCACHE_NAMESPACE", "pull-request"},
            {"CCACHE_REMOTE_STORAGE",
             "http://cache:8080/results/compiler-cache/pull-request|layout=bazel"}});
  CHECK(shared_through(plan, {"dir:/s"}, Domain::branch, prepare::StoreWrites::no) ==
        Set{{"CCACHE_REMOTE_STORAGE", "file:/s/compiler-cache/branch|read-only"}});
  CHECK(shared_through(plan_through(CompilerCache::none), {"dir:/s"}).empty());
}

TEST_CASE("the directory of a job's own result has no objects") {
  const plan::Plan plan = plan_through(CompilerCache::ccache);
  CHECK(shared_through(plan, {"artifacts:in", "dir:in/result"}).empty());
  CHECK(shared_through(plan, {"dir:/s", "artifacts:in", "dir:in/result"}) ==
        Set{{"CCACHE_REMOTE_STORAGE", "file:/s/compiler-cache/branch"}});
}

TEST_CASE("the user's own places take precedence over the store as a whole") {
  const auto with = [](CompilerCache cache, const Set& of_user) {
    return shared_through(plan_through(cache), {"dir:/s"}, Domain::branch,
                          prepare::StoreWrites::yes, of_user);
  };
  CHECK(with(CompilerCache::ccache, {{"CCACHE_REMOTE_STORAGE", "redis://r"}}).empty());
  CHECK(with(CompilerCache::sccache, {{"SCCACHE_DIR", "/own"}}).empty());
  CHECK(with(CompilerCache::sccache, {{"SCCACHE_REDIS_ENDPOINT", "redis://r"}}).empty());
  CHECK_FALSE(with(CompilerCache::sccache, {{"SCCACHE_DIRECT", "false"}}).empty());
}

TEST_CASE("sccache uses a directory, or a bucket whose credentials its builds have") {
  const plan::Plan without = plan_through(CompilerCache::sccache);
  CHECK(shared_through(without, {"dir:/s"}) ==
        Set{{"SCCACHE_DIR", "/s/compiler-cache/branch-sccache"}});
  CHECK(shared_through(without, {"dir:/s,ro", "http://cache:8080", "s3://bucket/a"}).empty());
  const plan::Plan with =
      plan_through(CompilerCache::sccache, {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"});
  const Set bucket = {{"SCCACHE_BUCKET", "bucket"},
                      {"SCCACHE_ENDPOINT", "http://127.0.0.1:9000"},
                      {"SCCACHE_REGION", "eu-west-1"},
                      {"SCCACHE_S3_KEY_PREFIX", "a/b/compiler-cache/branch"}};
  CHECK(shared_through(with, {"s3://bucket/a/b"}) == bucket);
  CHECK(shared_through(with, {"s3://bucket/a/b,ro"}).at("SCCACHE_S3_RW_MODE") == "READ_ONLY");
}
