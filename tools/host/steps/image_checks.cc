#include "host/steps/image_checks.h"

#include <fmt/format.h>

#include <memory>
#include <vector>

#include "base/text.h"
#include "env/commands.h"
#include "host/system/file_source.h"
#include "inspect/gather.h"
#include "inspect/glibc.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGlibc =
    "import os; print((os.confstr('CS_GNU_LIBC_VERSION') or '-').split()[-1])";
constexpr std::chrono::seconds kProbeTime(60);

}  // namespace

Done check_glibc(const EnvMachine& image, const env::Interpreter& interpreter,
                 const plan::TestWheel& action, const fs::path& wheel) {
  TRY(const ports::Captured captured,
      image.process.capture(
          {{interpreter.path, "-I", "-c", kGlibc}, "/", image.variables, kProbeTime}));
  if (captured.exit.canceled) return fail(ErrorKind::interrupted, "the test was interrupted");
  const std::string glibc(trim(captured.out));
  TRY(const std::unique_ptr<FileSource> source, FileSource::open(wheel));
  TRY(const inspect::WheelFacts facts, inspect::gather(wheel.filename().string(), *source));
  const std::vector<std::string> newer = inspect::newer_than_glibc(facts.libraries, glibc);
  if (newer.empty()) return {};
  Error error{ErrorKind::check,
              fmt::format("{} cannot be loaded in {}, which has glibc {}",
                          quoted(wheel.filename().string()), quoted(action.image), glibc)};
  for (const std::string& each : newer) error.causes.push_back({ErrorKind::check, each});
  return fail(std::move(error).with_hint(
      "build it on an older base (`environment.container.base`), or leave the image out of "
      "`test.images`"));
}

Result<env::Interpreter> image_python(const EnvMachine& image, const std::string& name) {
  const fs::path record = image.cache / "interpreters" / "image.json";
  if (const Result<std::string> text = image.files.read(record)) {
    if (Result<env::Interpreter> known = env::parse_interpreter(*text)) return known;
  }
  for (const char* const program : {"python3", "python"}) {
    TRY(const ports::Captured ran, image.process.capture(env::probe_interpreter(
                                       program, env::pip_variables(image.variables))));
    if (ran.exit.canceled)
      return fail(ErrorKind::interrupted, "the search for Python was interrupted");
    Result<env::Interpreter> interpreter = env::parse_interpreter(ran.out);
    if (!ran.exit.ok() || !interpreter || !interpreter->makes_environments) continue;
    TRY_DONE(image.files.make_directories(record.parent_path()));
    TRY_DONE(image.files.write(record, ran.out));
    return interpreter;
  }
  return fail(
      ErrorKind::config,
      fmt::format("{} of `test.images` has no Python with the modules venv and ensurepip",
                  quoted(name)),
      "set `test.dockerfile` to a Dockerfile that installs it, such as `docker/test.Dockerfile`");
}

}  // namespace pinwheel::host
