#include "unit/catch.h"
#include "unit/inspect/demo_facts.h"

namespace pinwheel::inspect {
namespace {

/// The findings of one rule: "error demo/_C.so: message".
Texts found_by(const WheelFacts& facts, const std::string& rule,
               const Expectations& expected = {}) {
  Texts out;
  for (const Finding& finding : findings_of(facts, expected, {rule})) {
    out.push_back(std::string(to_string(finding.severity)) + " " + finding.file + ": " +
                  finding.message);
  }
  return out;
}

WheelFacts with_code(const binary::X86Counts& counts, const std::string& name = "demo/_C.so") {
  WheelFacts facts = native_facts();
  facts.libraries[0].name = name;
  facts.libraries[0].code.x86 = counts;
  return facts;
}

}  // namespace

TEST_CASE("a copy of torch's library is an error, whatever tool renamed it") {
  for (const char* const name : {"libtorch_cpu.so", "libtorch_cpu-1a2b3c4d.so", "libc10.so"}) {
    WheelFacts facts = native_facts();
    facts.libraries.push_back(library(std::string("demo.libs/") + name));
    const Texts found = found_by(facts, "bundled-libraries");
    REQUIRE(found.size() == 1);
    CHECK(found[0].starts_with(std::string("error demo.libs/") + name + ": is a copy of `lib"));
    CHECK(found[0].ends_with("a second time, and the import aborts"));
    facts.name->distribution = "torch";
    CHECK(found_by(facts, "bundled-libraries").empty());
  }
  WheelFacts facts = native_facts();
  facts.libraries.push_back(library("demo/libtorchaudio.so"));
  facts.libraries.push_back(library("demo.libs/libgomp-1a2b3c4d.so.1"));
  CHECK(found_by(facts, "bundled-libraries").empty());
}

TEST_CASE("a copy of another distribution's library is a finding if that is required as well") {
  WheelFacts facts = native_facts();
  facts.libraries.push_back(library("demo.libs/libarrow.so.2600"));
  facts.libraries.push_back(library("demo.libs/libcublas-1a2b3c4d.so.13"));
  CHECK(found_by(facts, "bundled-libraries").empty());
  facts.metadata = *wheel::parse_metadata(
      "Metadata-Version: 2.4\nName: demo-kit\nVersion: 1.0\nRequires-Dist: pyarrow>=20\n"
      "Requires-Dist: nvidia-cublas-cu13\n");
  CHECK(found_by(facts, "bundled-libraries") ==
        Texts{"error demo.libs/libarrow.so.2600: is a copy of `libarrow.so.2600`, which belongs to "
              "`pyarrow` and is required as well: a process would load both",
              "warning demo.libs/libcublas-1a2b3c4d.so.13: is a copy of `libcublas.so.13`, which "
              "belongs to `nvidia-cublas` and is required as well: a process would load both"});
}

TEST_CASE("a module defines the PyInit function of its file name") {
  const auto found = [](const std::string& name, const Texts& defined) {
    WheelFacts facts = native_facts();
    facts.libraries[0].name = name;
    for (const std::string& symbol : defined) facts.libraries[0].elf.defined.push_back({symbol});
    return found_by(facts, "module-init");
  };
  const std::string tagged = "demo/_C.cpython-312-x86_64-linux-gnu.so";
  CHECK(found(tagged, {"PyInit__C"}).empty());
  CHECK(found(tagged, {}).empty());
  CHECK(found(tagged, {"PyInit__D", "PyInit__C"}).empty());
  CHECK(found(tagged, {"PyInit__D"}) ==
        Texts{"error " + tagged +
              ": is imported as `_C` but defines `PyInit__D`, so its import fails"});
  CHECK(found("demo/_C.abi3.so", {"PyInit_C"}).size() == 1);
  CHECK(found("demo/_C.so", {"PyInit_C"}).size() == 1);
  CHECK(found("demo/libcommon.so", {"PyInit_a", "PyInit_b"}).empty());
  CHECK(found("demo.libs/libpython-1.so.2", {"PyInit_a"}).empty());
}

TEST_CASE("CUDA's runtime is not linked statically beside the shared one") {
  WheelFacts facts = native_facts();
  facts.libraries[0].code.cuda_runtime = true;
  CHECK(found_by(facts, "cuda-runtime").empty());
  facts.libraries[0].elf.needed.emplace_back("libc10_cuda.so");
  CHECK(found_by(facts, "cuda-runtime").size() == 1);
  facts.libraries[0].elf.needed.pop_back();
  facts.libraries.push_back(library("demo/other.so", {"libcudart.so.13"}));
  const Texts found = found_by(facts, "cuda-runtime");
  REQUIRE(found.size() == 1);
  CHECK(found[0].starts_with("warning demo/_C.so: has a statically linked CUDA runtime"));
  facts.libraries[0].name = "demo.libs/libnvjpeg.1a2b3c4d.so.13";
  CHECK(found_by(facts, "cuda-runtime").empty());
}

TEST_CASE("code beyond the baseline needs somebody who asks for the processor") {
  CHECK(found_by(with_code({.sse = 900}), "cpu-baseline").empty());
  CHECK(found_by(with_code({.sse = 900, .avx = 15}), "cpu-baseline").empty());
  CHECK(found_by(with_code({.sse = 900, .avx = 90}), "cpu-baseline").size() == 1);
  CHECK(found_by(with_code({.sse = 900, .avx = 90, .cpu_queries = 1}), "cpu-baseline").empty());
  CHECK(found_by(with_code({.sse = 900, .avx = 90}, "demo/_C_avx2.so"), "cpu-baseline").empty());
  CHECK(found_by(with_code({.sse = 900, .bmi = 90}, "demo/_nat_bmi2_adx.so"), "cpu-baseline")
            .empty());
  CHECK(found_by(with_code({.sse = 9, .bmi = 900}), "cpu-baseline").size() == 1);
  WheelFacts facts = with_code({.sse = 900, .avx = 90});
  facts.libraries[0].elf.undefined = {{"__cpu_model"}};
  CHECK(found_by(facts, "cpu-baseline").empty());
  facts.libraries[0].elf.undefined.clear();
  facts.libraries[0].elf.needed.emplace_back("libhelp.so");
  facts.libraries.push_back(library("demo.libs/libhelp.so"));
  CHECK(found_by(facts, "cpu-baseline").size() == 1);
  facts.libraries[1].code.x86.cpu_queries = 1;
  CHECK(found_by(facts, "cpu-baseline").empty());
}

TEST_CASE("code that uses nothing but AVX has no part that could ask") {
  const std::vector<Finding> found = findings_of(
      with_code({.sse = 1, .avx = 500, .avx512 = 134, .cpu_queries = 2}), {}, {"cpu-baseline"});
  REQUIRE(found.size() == 1);
  CHECK(found[0].severity == Severity::warning);
  CHECK(found[0].message.starts_with("is compiled for processors with AVX throughout"));
  CHECK(found[0].evidence == "134 of AVX-512, 500 of AVX, 1 of SSE");
}

TEST_CASE("what a build did is judged where it is known") {
  Expectations expected;
  CHECK(found_by(native_facts(), "compiled-here").empty());
  expected.build = BuildTrace{};
  CHECK(found_by(native_facts(), "compiled-here", expected).size() == 1);
  CHECK(found_by(pure_facts(), "compiled-here", expected).empty());
  expected.build->compiled = true;
  CHECK(found_by(native_facts(), "compiled-here", expected).empty());
  CHECK(found_by(native_facts(), "cpu-baseline", expected).empty());
  expected.build->machine_flags = {"-march=native"};
  const std::vector<Finding> found = findings_of(native_facts(), expected, {"cpu-baseline"});
  REQUIRE(found.size() == 1);
  CHECK(found[0].evidence == "the build passes -march=native");
}

}  // namespace pinwheel::inspect
