#include "project/cargo_manifest.h"

#include "unit/catch.h"

namespace pinwheel::project {
namespace {

using Texts = std::vector<std::string>;

TEST_CASE("features of pyo3: its own, the default ones and those that are asked for") {
  const std::string text =
      "[package]\nname = 'demo'\nversion = '0.3.0'\n[dependencies]\n"
      "openssl-sys = '0.9'\npyo3 = { version = '0.29', features = ['extension-module'] "
      "}\n[features]\n"
      "default = ['stable']\nstable = ['pyo3/abi3-py310']\nother = ['pyo3/auto-initialize']\n";
  const auto plain = parse_cargo_manifest(text, "Cargo.toml", {});
  REQUIRE(plain);
  CHECK(plain->name == "demo");
  CHECK(plain->system_libraries == Texts{"openssl"});
  CHECK(plain->version == "0.3.0");
  CHECK(plain->pyo3);
  CHECK(plain->pyo3_features == Texts{"extension-module", "abi3-py310"});
  const auto asked = parse_cargo_manifest(text, "Cargo.toml", {"other", "pyo3/multiple-pymethods"});
  CHECK(asked->pyo3_features ==
        Texts{"extension-module", "abi3-py310", "auto-initialize", "multiple-pymethods"});
}

TEST_CASE("a workspace's pyo3 counts, and a version that it inherits does not") {
  const auto read = parse_cargo_manifest(
      "[package]\nname = 'a'\nversion.workspace = true\n[workspace.dependencies]\npyo3 = { version "
      "= "
      "'0.29', features = ['abi3'] }\n",
      "Cargo.toml", {});
  REQUIRE(read);
  CHECK(read->version.empty());
  CHECK(read->pyo3_features == Texts{"abi3"});
  CHECK(parse_cargo_manifest("[dependencies]\npyo3-ffi = '0.29'\n", "Cargo.toml", {})->pyo3);
  CHECK(parse_cargo_manifest("[", "Cargo.toml", {}).error().kind == ErrorKind::config);
}

}  // namespace
}  // namespace pinwheel::project
