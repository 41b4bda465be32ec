// The promises in the notes of FBGEMM's support table, checked on matrix/fbgemm-2023.yaml.
#include <algorithm>
#include <set>

#include "matrix/selection.h"
#include "unit/golden.h"
#include "unit/matrix/parsed.h"

using namespace pinwheel;
using namespace pinwheel::matrix;
using testing::value_of;

namespace {

struct Table {
  Matrix matrix;
  Expansion expansion;
};

Table load() {
  const std::string file = "matrix/fbgemm-2023.yaml";
  Table table;
  table.matrix = value_of(parse(testing::read_text(testing::source_path(file)), file));
  table.expansion = value_of(expand(table.matrix));
  return table;
}

/// The Pythons of the variants of a cell.
std::set<std::string> pythons(const Expansion& expansion, const std::string& compute,
                              const std::string& torch) {
  std::set<std::string> found;
  for (const Variant& variant : expansion.variants) {
    if (variant.get("compute") == compute && variant.get("torch") == torch) {
      found.insert(variant.get("python"));
    }
  }
  return found;
}

const std::set<std::string> kAll = {"3.8", "3.9", "3.10", "3.11"};

}  // namespace

TEST_CASE("note 1: CPU and CUDA 11 with PyTorch 2.0 and nightly have Python 3.8 to 3.11") {
  const Table table = load();
  for (const char* compute : {"cpu", "cuda/11.7.1", "cuda/11.8"}) {
    CHECK(pythons(table.expansion, compute, "2.0") == kAll);
    CHECK(pythons(table.expansion, compute, "nightly") == kAll);
  }
  const Variant& nightly = testing::variant_named(table.expansion, "cp311-cu117-torchnightly");
  CHECK(nightly.channels == std::vector<std::string>{"ci", "nightly"});
  const Variant& release = testing::variant_named(table.expansion, "cp38-cpu-torch2.0");
  CHECK(release.channels == std::vector<std::string>{"ci", "release"});
}

TEST_CASE("note 2: nothing of CUDA 12 is planned") {
  const Table table = load();
  for (const char* torch : {"1.13", "2.0", "nightly"}) {
    CHECK(pythons(table.expansion, "cuda/12", torch).empty());
  }
}

TEST_CASE("note 3: ROCm with nightly has no Python 3.11, and ROCm runs in no release workflow") {
  const Table table = load();
  const std::set<std::string> older = {"3.8", "3.9", "3.10"};
  CHECK(pythons(table.expansion, "rocm/5.3", "nightly") == older);
  CHECK(pythons(table.expansion, "rocm/5.4.2", "nightly") == older);
  size_t rocm = 0;
  for (const Variant& variant : table.expansion.variants) {
    if (!variant.get("compute").starts_with("rocm/")) continue;
    ++rocm;
    CHECK(variant.channels == std::vector<std::string>{"ci"});
  }
  CHECK(rocm == 18);
}

TEST_CASE("note 4: unmaintained cells are planned only when they are asked for") {
  const Table table = load();
  const std::vector<Variant> usual = value_of(select(table.matrix, table.expansion, {}));
  CHECK(usual.size() == 30);
  for (const Variant& variant : usual) CHECK(variant.get("torch") != "1.13");
  const std::vector<Variant> old =
      value_of(select(table.matrix, table.expansion, {.status = {Status::unmaintained}}));
  CHECK(old.size() == 24);
  CHECK(pythons(table.expansion, "rocm/5.3", "1.13") == kAll);
  CHECK(pythons(table.expansion, "rocm/5.4.2", "1.13").empty());
}
