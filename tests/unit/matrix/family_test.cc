#include "matrix/family.h"

#include "matrix/expand.h"
#include "matrix/settings.h"
#include "unit/matrix/parsed.h"

using namespace pinwheel;
using namespace pinwheel::matrix;
using testing::ids_of;
using testing::value_of;

namespace {

using Names = std::vector<std::string>;

constexpr const char* kFamily =
    "schema: pinwheel/1\n"
    "package: {name: ops, source: ., requires: {siblings: [cuda]}}\n"
    "family:\n"
    "  - {name: cuda, source: cuda, requires: {siblings: [data]}, abi: {python: none}}\n"
    "  - {name: data, source: data, abi: {python: none, compute: none}}\n"
    "axes: {python: ['3.11', '3.12'], compute: [cpu, cuda/13.0]}\n";

struct FamilyExample {
  Matrix matrix;
  Expansion expansion;

  explicit FamilyExample(const std::string& more = "")
      : matrix(value_of(parse(kFamily + more, "m.yaml"))), expansion(value_of(expand(matrix))) {}

  Result<std::vector<AbiClass>> classes() const { return abi_classes(matrix, expansion.variants); }
};

const AbiClass& class_named(const std::vector<AbiClass>& classes, const std::string& id) {
  for (const AbiClass& cls : classes) {
    if (cls.id == id) return cls;
  }
  FAIL("no class " << id);
  return classes.front();
}

}  // namespace

TEST_CASE("each combination is a variant of each package of a family") {
  const FamilyExample example;
  CHECK(ids_of(example.expansion.variants) ==
        Names{"ops-cp311-cpu", "ops-cp311-cu130", "ops-cp312-cpu", "ops-cp312-cu130",
              "cuda-cp311-cpu", "cuda-cp311-cu130", "cuda-cp312-cpu", "cuda-cp312-cu130",
              "data-cp311-cpu", "data-cp311-cu130", "data-cp312-cpu", "data-cp312-cu130"});
  CHECK(package_of(example.matrix, example.expansion.variants[5]).source == "cuda");
  CHECK(abi_of(example.matrix, example.expansion.variants[0]).python == PythonAbi::version);
  CHECK(abi_of(example.matrix, example.expansion.variants[5]).python == PythonAbi::none);
  CHECK(abi_of(example.matrix, example.expansion.variants[5]).compute == ComputeAbi::exact);
}

TEST_CASE("each package has the classes of its own ABI") {
  const FamilyExample example;
  Names ids;
  for (const AbiClass& cls : value_of(example.classes())) ids.push_back(cls.id);
  CHECK(ids == Names{"ops-cp311-cpu", "ops-cp311-cu130", "ops-cp312-cpu", "ops-cp312-cu130",
                     "cuda-cpu", "cuda-cu130", "data"});
}

TEST_CASE("a class knows the classes whose wheels its members need, those needed by others first") {
  const FamilyExample example;
  const std::vector<AbiClass> classes = value_of(example.classes());
  CHECK(class_named(classes, "ops-cp312-cu130").siblings.at("ops-cp312-cu130") ==
        Names{"data", "cuda-cu130"});
  CHECK(class_named(classes, "cuda-cpu").siblings.at("cuda-cp311-cpu") == Names{"data"});
  CHECK(class_named(classes, "data").siblings.empty());
}

TEST_CASE("a variant needs a variant of each package that it requires") {
  const FamilyExample removed("exclude: [{package: cuda, python: '3.12', compute: cpu}]\n");
  CHECK(removed.classes());  // another Python has the same class
  const FamilyExample gone("rules: [{when: {package: cuda, compute: cpu}, status: unsupported}]\n");
  const auto classes = gone.classes();
  REQUIRE_FALSE(classes);
  CHECK(classes.error().message ==
        "`ops-cp311-cpu` requires `cuda`, and the matrix has no variant of `cuda` for it");
  CHECK(classes.error().hint ==
        "let `exclude` and `rules` remove the combination from `ops` as well");
}

TEST_CASE("a row of `include` adds its combination for each package, unless it names one") {
  const FamilyExample each("include: [{python: '3.13', compute: cpu}]\n");
  CHECK(each.expansion.variants.size() == 15);
  CHECK(each.expansion.variants.back().id == "data-cp313-cpu");
  const FamilyExample one("include: [{package: data, python: '3.13', compute: cpu}]\n");
  CHECK(one.expansion.variants.size() == 13);
}

TEST_CASE("`{package}` of a command is the source, and that of a name is the package") {
  const FamilyExample example("test: {command: [python, '{package}/x.py', '{python}']}\n");
  const Settings settings = value_of(settings_for(example.matrix, example.expansion.variants[0]));
  CHECK(settings.test.command == Names{"python", "{package}/x.py", "3.11"});
}

TEST_CASE("required packages are listed once, those that others require first") {
  const FamilyExample example;
  CHECK(required_packages(example.matrix, "ops") == Names{"data", "cuda"});
  CHECK(required_packages(example.matrix, "data").empty());
}
