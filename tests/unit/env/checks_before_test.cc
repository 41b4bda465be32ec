#include "env/checks_before.h"

#include "unit/catch.h"
#include "unit/matrix/checks_of_schema.h"

using namespace pinwheel;
using namespace pinwheel::env;

namespace {

std::vector<Error> check(const std::string& rule, const CheckFacts& facts,
                         std::vector<std::string> arguments = {}) {
  std::vector<Error> errors;
  for (BeforeFinding& each : check_before({{rule, std::move(arguments)}}, facts)) {
    CHECK(each.rule == rule);
    errors.push_back(std::move(each.error));
  }
  return errors;
}

CheckFacts with_torch(TorchBuild torch, TorchNeed need) {
  CheckFacts facts;
  facts.torch = std::move(torch);
  facts.torch_need = std::move(need);
  return facts;
}

}  // namespace

TEST_CASE("a missing compiler, or one that the toolkit rejects, fails the check") {
  CheckFacts facts;
  REQUIRE(check("compiler", facts).size() == 1);
  CHECK(check("compiler", facts)[0].kind == ErrorKind::environment);
  facts.compiler = HostCompiler{"g++", CompilerFamily::gcc, 12, "12.2.0"};
  CHECK(check("compiler", facts).empty());
  facts.toolkit = cuda_toolkit("/p", "11.8.89");
  facts.supported = supported_compilers("11.8", "");
  CHECK(check("compiler", facts).size() == 1);
}

TEST_CASE("the compiler must target the architecture of the class") {
  CheckFacts facts;
  facts.arch = "x86_64";
  CHECK(check("arch", facts).empty());
  facts.wanted_arch = "x86_64";
  CHECK(check("arch", facts).empty());
  facts.wanted_arch = "aarch64";
  REQUIRE(check("arch", facts).size() == 1);
  CHECK(check("arch", facts)[0].kind == ErrorKind::environment);
  CHECK(check("arch", facts)[0].message ==
        "the build is for `aarch64`, but the compiler here targets `x86_64`");
}

TEST_CASE("the toolkit's version must be the class's") {
  CheckFacts facts;
  CHECK(check("toolkit", facts).empty());
  facts.wanted_toolkit = "cuda/13.0";
  CHECK(check("toolkit", facts).at(0).kind == ErrorKind::environment);
  facts.toolkit = cuda_toolkit("/p", "13.2.86");
  CHECK(check("toolkit", facts).at(0).kind == ErrorKind::check);
  facts.wanted_toolkit = "cuda/13.2";
  CHECK(check("toolkit", facts).empty());
  facts.wanted_toolkit = "cuda/13.2.1";
  CHECK(check("toolkit", facts).empty());
}

TEST_CASE("an unsupported architecture is rejected with the supported ones") {
  CheckFacts facts;
  facts.wanted_toolkit = "rocm/5.2";
  facts.toolkit = rocm_toolkit("/usr", "/usr/bin/hipcc", "5.2.21153");
  facts.architectures = {{"gfx90a", ""}, {"gfx942", "clang: error: invalid target ID 'gfx942'"}};
  facts.known_architectures = {"gfx906", "gfx90a"};
  const std::vector<Error> refused = check("toolkit", facts);
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].kind == ErrorKind::environment);
  CHECK(refused[0].message ==
        "rocm/5.2 5.2.21153 in `/usr` does not compile for `gfx942`; it has gfx906, gfx90a");
  facts.known_architectures.clear();
  CHECK(check("toolkit", facts).at(0).message.find("invalid target ID") != std::string::npos);
  facts.architectures = {{"gfx90a", ""}};
  CHECK(check("toolkit", facts).empty());
}

TEST_CASE("several failed checks are all named, each with its own message as a cause") {
  CheckFacts facts;
  facts.wanted_toolkit = "cuda/13.0";
  const std::vector<matrix::Check> checks = {{"compiler"}, {"toolkit"}, {"header", {"a.h", "b.h"}}};
  const Error error = to_error(check_before(checks, facts), "cu13");
  CHECK(error.message ==
        "checks failed before the build of `cu13`: `compiler`, `toolkit`, `header`");
  REQUIRE(error.causes.size() == 4);
  CHECK(error.causes[1].message.starts_with("[toolkit] "));
  const Error alone = to_error(check_before({{"toolkit"}}, facts), "cu13");
  CHECK(alone.causes.empty());
  CHECK(alone.message == "the toolkit `cuda/13.0` was not found");
}

TEST_CASE("the classic ABI needs the exact torch and compute") {
  const TorchNeed need{matrix::TorchAbi::minor, "2.13", "cuda/13.0"};
  CHECK(check("torch-variant", with_torch({"2.13.1+cu130", "cuda/13.0"}, need)).empty());
  CHECK(check("torch-variant", with_torch({"2.13.1+cpu", "cpu"}, need)).size() == 1);
  CHECK(check("torch-variant", with_torch({"2.12.0+cu130", "cuda/13.0"}, need)).size() == 1);
  CHECK(check("torch-variant",
              with_torch({"2.13.1+xpu", "xpu"}, {matrix::TorchAbi::minor, "2.13", "xpu/2025.1"}))
            .empty());
  CHECK(check("torch-variant",
              with_torch({"2.13.1", "cpu"}, {matrix::TorchAbi::minor, "2.13", "mtia"}))
            .empty());
  CHECK(check("torch-variant", with_torch({"2.13.1+cu126", "cuda/12.6"},
                                          {matrix::TorchAbi::minor, "2.13", "cuda/12.6.3"}))
            .empty());
  const TorchNeed early{matrix::TorchAbi::minor, "2.1", "cpu"};
  CHECK(check("torch-variant", with_torch({"2.13.0+cpu", "cpu"}, early)).size() == 1);
}

TEST_CASE("the Stable ABI accepts any torch since its target") {
  const TorchNeed need{matrix::TorchAbi::stable, "2.10", "cuda/13.0"};
  CHECK(check("torch-variant", with_torch({"2.13.0+cpu", "cpu"}, need)).empty());
  CHECK(check("torch-variant", with_torch({"2.10.0+cpu", "cpu"}, need)).empty());
  CHECK(check("torch-variant", with_torch({"2.9.1", "cuda/13.0"}, need)).size() == 1);
  CheckFacts none;
  none.torch_need = need;
  CHECK(check("torch-variant", none).at(0).kind == ErrorKind::environment);
}

TEST_CASE("headers and modules must have been found; a fact that was not gathered fails") {
  CheckFacts facts;
  facts.headers = {{"a.h", ""}, {"b.h", "no such file"}};
  facts.imports = {{"numpy", ""}};
  CHECK(check("header", facts, {"a.h"}).empty());
  CHECK(check("header", facts, {"a.h", "b.h", "c.h"}).size() == 2);
  CHECK(check("import", facts, {"numpy"}).empty());
  CHECK(check("import", facts, {"scipy"}).size() == 1);
  CHECK(check("import", facts).at(0).kind == ErrorKind::config);
}

TEST_CASE("an unknown check is an error with the nearest name") {
  const std::vector<Error> findings = check("tolkit", {});
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].kind == ErrorKind::config);
  CHECK(findings[0].hint.find("toolkit") != std::string::npos);
}

TEST_CASE("a test without a matching torch is skipped with the reason") {
  CHECK(skip_reason(TorchBuild{"2.13.0+cpu", "cpu"}, "cuda/13.0") == "no cu130 torch here");
  CHECK(skip_reason(std::nullopt, "rocm/6.4") == "no rocm6.4 torch here");
  CHECK_FALSE(skip_reason(TorchBuild{"2.13.0+cpu", "cpu"}, "cpu").has_value());
  // A torch reports its major and minor version; the patch level of the variant is ignored.
  CHECK_FALSE(skip_reason(TorchBuild{"2.13.0+cu130", "cuda/13.0"}, "cuda/13.0.1").has_value());
  CHECK_FALSE(skip_reason(TorchBuild{"2.13.0+rocm6.4", "rocm/6.4"}, "rocm/6.4.2").has_value());
  CHECK(skip_reason(TorchBuild{"2.13.0+rocm6.4", "rocm/6.4"}, "rocm/6.3.2") ==
        "no rocm6.3 torch here");
  // XPU's torch does not say which version, one of a declared compute nothing.
  CHECK_FALSE(skip_reason(TorchBuild{"2.13.0+xpu", "xpu"}, "xpu").has_value());
  CHECK_FALSE(skip_reason(TorchBuild{"2.13.0+xpu", "xpu"}, "xpu/2025.1").has_value());
  CHECK(skip_reason(TorchBuild{"2.13.0+cpu", "cpu"}, "xpu/2025.1") == "no xpu2025.1 torch here");
  CHECK_FALSE(skip_reason(TorchBuild{"2.13.0", "cpu"}, "gaudi/1.22").has_value());
  CHECK(skip_reason(std::nullopt, "gaudi/1.22") == "no gaudi1.22 torch here");
  CHECK_FALSE(skip_reason(TorchBuild{"2.13.0+cpu", "cpu"}, "").has_value());
}

TEST_CASE("torch's version file determines its compute") {
  const auto cuda =
      parse_torch_build(R"({"__version__": "2.13.0+cu130", "cuda": "13.0", "hip": ""})");
  REQUIRE(cuda.has_value());
  CHECK(cuda->compute == "cuda/13.0");
  CHECK(parse_torch_build(R"({"__version__": "2.13.0+cpu", "cuda": "", "hip": ""})")->compute ==
        "cpu");
  CHECK(parse_torch_build(R"({"__version__": "2.13", "cuda": "", "hip": "6.4.43483-abc"})")
            ->compute == "rocm/6.4");
  CHECK(parse_torch_build(
            R"({"__version__": "2.13.0+xpu", "cuda": "", "hip": "", "xpu": "20250101"})")
            ->compute == "xpu");
  CHECK_FALSE(parse_torch_build("").has_value());
}

TEST_CASE("a matrix may name every check before a build except `arch`, which every build runs") {
  const std::vector<std::string>& rules = before_rules();
  std::set<std::string> wanted(rules.begin(), rules.end());
  CHECK(wanted.erase("arch") == 1);
  CHECK(testing::checks_of_schema("before") == wanted);
}
