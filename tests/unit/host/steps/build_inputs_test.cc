#include "host/steps/build_inputs.h"

#include <chrono>

#include "base/digest.h"
#include "host/steps/build_command.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// A build at its real path whose files outside are in another directory.
struct OutsideFiles {
  Scratch scratch = {};
  Scratch outside = {};
  BuildSpace space =
      BuildSpace(scratch.path(), PathMode::real, {{outside.path() / "packages", kEnvironmentName}});
  plan::CompleteFiles complete = {};

  std::string declare(const std::string& name, const std::string& bytes) {
    const std::string path = outside.write(name, bytes).string();
    complete.declared.files.insert(path);
    return path;
  }
  BuildInputs inputs(BuildMachine machine = BuildMachine::host) const {
    return {space, {}, machine};
  }
  /// What a run of the build saves.
  BuildInputs::Digests saved() const {
    BuildInputs now = inputs();
    const Result<BuildInputs::Digests> digests = now.digests(complete, {});
    REQUIRE(digests);
    return *digests;
  }
};

std::string why_not(const Done& compared) {
  return compared ? std::string() : compared.error().message;
}

}  // namespace

TEST_CASE("declared and recorded files outside the source have digests") {
  OutsideFiles files;
  const std::string library = files.declare("libx.a", "x");
  const std::string header = files.outside.write("x.h", "header").string();
  files.scratch.write("home/y.h", "home");
  files.scratch.write("src/z.h", "source");
  files.complete.inputs = {header, "home/y.h", "src/z.h", "/no/such/file"};
  const BuildInputs::Digests saved = files.saved();
  CHECK(saved.at(library) == sha256_hex("x"));
  CHECK(saved.at(header) == sha256_hex("header"));
  CHECK(saved.at("home/y.h") == sha256_hex("home"));
  CHECK(saved.at("/no/such/file").empty());
  CHECK_FALSE(saved.contains("src/z.h"));
}

TEST_CASE("a library that differs on another machine is named") {
  OutsideFiles files;
  const std::string library = files.declare("libx.a", "x");
  const BuildInputs::Digests saved = files.saved();
  CHECK(why_not(files.inputs().compare(saved, {})).empty());
  files.outside.write("libx.a", "y");
  CHECK(why_not(files.inputs().compare(saved, {})) == "`" + library + "` differs on this machine");
  fs::remove(library);
  CHECK(why_not(files.inputs().compare(saved, {})) == "`" + library + "` differs on this machine");
}

TEST_CASE("packages of the build are not compared, because the key names them") {
  OutsideFiles files;
  const std::string script = files.declare("packages/bin/tool", "#!/here/bin/python");
  CHECK_FALSE(files.saved().contains(script));
}

TEST_CASE("the libraries of options are those that the linker finds first") {
  OutsideFiles files;
  const fs::path first = files.outside.path() / "first";
  const fs::path second = files.outside.path() / "second";
  files.outside.write("second/libpinwheel-x.a", "x");
  files.complete.declared.libraries = {"pinwheel-x", "pinwheel-missing"};
  files.complete.declared.library_directories = {first.string(), second.string()};
  const BuildInputs::Digests saved = files.saved();
  CHECK(saved.at((second / "libpinwheel-x.a").string()) == sha256_hex("x"));
  CHECK(saved.at((second / "libpinwheel-x.so").string()).empty());
  CHECK(saved.at((first / "libpinwheel-x.a").string()).empty());
  for (const auto& [path, sha256] : saved) CHECK(path.find("missing") == std::string::npos);
  CHECK(why_not(files.inputs().compare(saved, {})).empty());
  // Another machine has one that wins.
  const std::string shared = files.outside.write("first/libpinwheel-x.so", "x").string();
  CHECK(why_not(files.inputs().compare(saved, {})) == "`" + shared + "` differs on this machine");
}

TEST_CASE("a file that is named in an option is the library itself") {
  OutsideFiles files;
  const std::string library = files.outside.write("lib/libx.a", "x").string();
  files.complete.declared.libraries = {":libx.a"};
  files.complete.declared.library_directories = {(files.outside.path() / "lib").string()};
  CHECK(files.saved().at(library) == sha256_hex("x"));
}

TEST_CASE("files outside an image's build are those of the image") {
  OutsideFiles files;
  files.declare("libx.a", "x");
  files.complete.declared.libraries = {"m"};
  files.scratch.write("home/y.h", "home");
  files.complete.inputs = {"/usr/include/stdio.h", "home/y.h"};
  BuildInputs inputs = files.inputs(BuildMachine::image);
  CHECK(inputs.digests(files.complete, {}) ==
        BuildInputs::Digests{{"home/y.h", sha256_hex("home")}});
}

TEST_CASE("the C library of a host is among the inputs of each build") {
  const OutsideFiles files;
  const BuildInputs::Digests saved = files.saved();
  CHECK(std::any_of(saved.begin(), saved.end(), [](const auto& input) {
    return input.first.find("/libc.") != std::string::npos;
  }));
  // Nothing is known of the machine that saved these.
  CHECK(why_not(files.inputs().compare({}, {})).starts_with("its build did not use `"));
}

TEST_CASE("a file that changes while the build runs leaves no checkpoint") {
  OutsideFiles files;
  const std::string library = files.declare("libx.a", "x");
  BuildInputs inputs = files.inputs();
  REQUIRE(inputs.digests(files.complete, {}));
  // Only its time is another.
  fs::last_write_time(library, fs::last_write_time(library) + std::chrono::seconds(9));
  CHECK(inputs.digests(files.complete, {}));
  files.outside.write("libx.a", "another");
  const Result<BuildInputs::Digests> changed = inputs.digests(files.complete, {});
  REQUIRE_FALSE(changed);
  CHECK(changed.error().kind == ErrorKind::check);
  CHECK(changed.error().message == "`" + library + "` changed while the build ran");
  inputs.start_again();
  CHECK(inputs.digests(files.complete, {}));
}

TEST_CASE("a stop request ends the digests") {
  OutsideFiles files;
  files.declare("libx.a", "x");
  std::stop_source stopped;
  stopped.request_stop();
  BuildInputs inputs = files.inputs();
  CHECK(inputs.digests(files.complete, stopped.get_token()).error().kind == ErrorKind::interrupted);
  CHECK(inputs.compare(files.saved(), stopped.get_token()).error().kind == ErrorKind::interrupted);
}

}  // namespace pinwheel::host
