#include "host/provision/env_pip.h"

#include "host/machine/local_machine.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"

using namespace pinwheel;

TEST_CASE("a full disk is named with what is free, and nothing else is") {
  const Scratch scratch;
  const host::LocalMachine local({{"TMPDIR", "/nonexistent"}}, scratch.path(), scratch.path());
  const ports::Exit exit{.code = 1};
  const env::Diagnosis full =
      env::diagnose(exit, "OSError: [Errno 28] No space left on device\n", {});
  CHECK(full.lack == env::Lack::disk_space);
  const std::string line = host::name_full_disk(local.machine, full).line;
  CHECK(line.starts_with("OSError: [Errno 28] No space left on device (the disk of `" +
                         scratch.path().string() + "` has "));
  CHECK(line.ends_with(" free)"));
  const env::Diagnosis other = env::diagnose(exit, "something else\n", {});
  CHECK(host::name_full_disk(local.machine, other).line == other.line);
  CHECK(host::name_full_disk(local.machine, other, 1).line == other.line);
  const env::Diagnosis silent = host::name_full_disk(local.machine, other, UINT64_MAX);
  CHECK(silent.lack == env::Lack::disk_space);
  CHECK(silent.line.ends_with(" free)"));
  CHECK(silent.hint == env::kFreeSpace);
}
