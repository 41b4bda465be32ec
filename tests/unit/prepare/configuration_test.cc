#include "prepare/configuration.h"

#include "fakes/fake_host.h"
#include "unit/catch.h"

namespace pinwheel::prepare {
namespace {

constexpr const char* kUser = "executor: {use: slurm, slurm: {partition: mine, cores: 4}}\n";

TEST_CASE("the project's configuration file precedes the user's") {
  fakes::FakeHost fake;
  CHECK(read_configuration(fake.host)->origins.empty());
  fake.files.put("/home/u/.config/pinwheel/config.yaml", kUser);
  fake.files.put(".pinwheel.yaml", "executor: {slurm: {partition: theirs}}\n");
  const Result<slurm::ExecutorSettings> settings = read_configuration(fake.host);
  REQUIRE(settings);
  CHECK(settings->use == "slurm");
  CHECK(settings->slurm.build.partition == "theirs");
  CHECK(settings->slurm.build.cores == 4);
  CHECK(settings->origins[1].at.file == ".pinwheel.yaml");
}

TEST_CASE("XDG_CONFIG_HOME moves the user's file, unless it is relative") {
  fakes::FakeHost fake;
  fake.files.put("/etc/xdg-u/pinwheel/config.yaml", kUser);
  fake.host.variables["XDG_CONFIG_HOME"] = "/etc/xdg-u";
  CHECK(read_configuration(fake.host)->use == "slurm");
  fake.host.variables["XDG_CONFIG_HOME"] = "etc/xdg-u";
  CHECK(read_configuration(fake.host)->use.empty());
  fake.host.variables.clear();
  CHECK(read_configuration(fake.host)->use.empty());
}

TEST_CASE("an error names the file as the user knows it") {
  fakes::FakeHost fake;
  fake.files.put(".pinwheel.yaml", "executor: {slurm: {shared: here}}\n");
  const Result<slurm::ExecutorSettings> settings = read_configuration(fake.host);
  REQUIRE(!settings);
  CHECK(settings.error().at->file == ".pinwheel.yaml");
}

}  // namespace
}  // namespace pinwheel::prepare
