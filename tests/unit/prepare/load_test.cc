#include "prepare/load.h"

#include <string>
#include <vector>

#include "fakes/fake_host.h"
#include "unit/catch.h"

namespace pinwheel::prepare {
namespace {

using Names = std::vector<std::string>;

Error refused(const Result<MatrixChoice>& choice) {
  REQUIRE_FALSE(choice);
  CHECK(choice.error().kind == ErrorKind::usage);
  return choice.error();
}

TEST_CASE("a matrix on the command line is chosen, and everything else is a glob") {
  const fakes::FakeHost fake;
  const Result<MatrixChoice> choice = choose_matrix(fake.host, {"a-*", "x.yaml", "b"});
  REQUIRE(choice);
  CHECK(choice->path == "x.yaml");
  CHECK(choice->globs == Names{"a-*", "b"});
  CHECK(refused(choose_matrix(fake.host, {"x.yaml", "y.yml"})).message ==
        "two matrix files were given: `x.yaml` and `y.yml`");
}

TEST_CASE("without one the variable names it, else it is the only file there is") {
  fakes::FakeHost fake;
  CHECK(refused(choose_matrix(fake.host, {})).message.starts_with("no matrix file was given"));
  fake.files.put("matrix/one.yaml", "");
  fake.files.put("matrix/README.md", "");
  CHECK(choose_matrix(fake.host, {})->path == "matrix/one.yaml");
  fake.files.put("pinwheel.yaml", "");
  CHECK(refused(choose_matrix(fake.host, {})).message ==
        "several matrix files to choose from: `matrix/one.yaml`, `pinwheel.yaml`");
  fake.host.variables["PINWHEEL_MATRIX"] = "other.yaml";
  CHECK(choose_matrix(fake.host, {})->path == "other.yaml");
  fake.host.variables["PINWHEEL_MATRIX"] = "";
  CHECK_FALSE(choose_matrix(fake.host, {}));
}

TEST_CASE("a directory or another file in the place of a matrix is refused, with a hint") {
  fakes::FakeHost fake;
  fake.files.put("sub/matrix/m.yaml", "schema: pinwheel/1\n");
  fake.files.put("notes.txt", "");
  const Error directory = refused(choose_matrix(fake.host, {"./sub", "x.yaml"}));
  CHECK(directory.message == "`./sub` is a directory, and a matrix file was expected");
  CHECK(directory.hint == "did you mean `sub/matrix/m.yaml`?");
  CHECK(refused(choose_matrix(fake.host, {"notes.txt", "x.yaml"})).message ==
        "`notes.txt` is a file of another kind, and a matrix file was expected");
  // A variant may have the name of a directory, if there is a matrix.
  CHECK(choose_matrix(fake.host, {"sub", "x.yaml"}));
  CHECK(refused(choose_matrix(fake.host, {"sub"})).message ==
        "`sub` is a directory, and a matrix file was expected");
}

constexpr const char* kLoadedYaml = R"(
schema: pinwheel/1
package: {name: demo, source: .}
axes:
  python: ["3.11", "3.12"]
  flavor: [plain, loud]
abi: {python: version}
rules:
  - {when: {flavor: loud}, status: unsupported, because: nobody has it}
overrides:
  - {when: {python: "3.11", flavor: loud}, build: {network: true}}
)";

TEST_CASE("warnings of a matrix are printed, or errors with `--strict`") {
  fakes::FakeHost fake;
  fake.files.put("m.yaml", kLoadedYaml);
  const Result<Loaded> loaded = load_matrix(fake.files, "m.yaml", fake.notices, Warnings::print);
  INFO((loaded ? std::string() : render(loaded.error())));
  REQUIRE(loaded);
  CHECK(fake.notices.warnings == Names{"this override matches no variant"});
  const Result<Loaded> refused = load_matrix(fake.files, "m.yaml", fake.notices, Warnings::refuse);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "this override matches no variant");
}

TEST_CASE("a shard of a selection is one part of its builds") {
  fakes::FakeHost fake;
  fake.files.put("m.yaml",
                 std::string(kLoadedYaml).substr(0, std::string(kLoadedYaml).find("rules:")));
  const Result<Loaded> loaded = load_matrix(fake.files, "m.yaml", fake.notices, Warnings::print);
  REQUIRE(loaded);
  SelectionOptions options;
  CHECK(select_outline(*loaded, options, {"*-plain"}, "")->builds.size() == 2);
  options.shard = "1/2";
  CHECK(select_outline(*loaded, options, {"*-plain"}, "")->builds.size() == 1);
  options.shard = "3/3";
  CHECK(select_outline(*loaded, options, {"*-plain"}, "").error().kind ==
        ErrorKind::nothing_selected);
  options.allow_empty = true;
  CHECK(select_outline(*loaded, options, {"*-plain"}, "")->builds.empty());
  options.status = {"odd"};
  CHECK(select_outline(*loaded, options, {"*-plain"}, "").error().message ==
        "unknown status `odd`");
}

}  // namespace
}  // namespace pinwheel::prepare
