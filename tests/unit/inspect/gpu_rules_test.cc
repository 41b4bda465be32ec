#include "inspect/gpu_stack.h"
#include "unit/catch.h"
#include "unit/inspect/demo_facts.h"

namespace pinwheel::inspect {
namespace {

std::string promise(const std::string& version) {
  const Result<pep::Version> parsed = pep::parse_version(version);
  REQUIRE(parsed);
  const std::optional<GpuRelease> release = promised_release(*parsed);
  return release ? to_string(*release) : "";
}

WheelFacts labeled(const std::string& local, std::vector<std::string> needed) {
  WheelFacts facts = native_facts();
  facts.name->version = *pep::parse_version("1.0+" + local);
  facts.libraries[0].elf.needed = std::move(needed);
  return facts;
}

Texts label_findings(const WheelFacts& facts) {
  Texts out;
  for (const Finding& finding : findings_of(facts, {}, {"gpu-label"})) {
    out.push_back(finding.message + " (" + finding.evidence + ")");
  }
  return out;
}

TEST_CASE("local versions name a release of a GPU stack") {
  CHECK(promise("1.0") == "");
  CHECK(promise("1.0+local.7") == "");
  CHECK(promise("1.0+cpu") == "CPU");
  CHECK(promise("1.0+cu130") == "CUDA 13.0");
  CHECK(promise("1.0+cu118") == "CUDA 11.8");
  CHECK(promise("1.0+pt29cu128") == "CUDA 12.8");
  CHECK(promise("1.0+torch260cu130") == "CUDA 13.0");
  CHECK(promise("1.0+pt213rocm7.1") == "ROCm 7.1");
  CHECK(promise("1.0+pt213cpu") == "CPU");
  CHECK(promise("1.0+pt2.9.cu128") == "CUDA 12.8");
  CHECK(promise("2.8+cu12torch2.9cxx11abiTRUE") == "CUDA 12");
  CHECK(promise("1.0+rocm6.4") == "ROCm 6.4");
  CHECK(promise("1.0+rocm7") == "ROCm 7");
  CHECK(promise("1.0+custom") == "");
}

TEST_CASE("libraries are numbered by the release of their toolkit") {
  const auto release = [](std::string_view soname) {
    const std::optional<GpuRelease> found = release_of_library(soname);
    return found ? to_string(*found) : "";
  };
  CHECK(release("libcudart.so.12") == "CUDA 12");
  CHECK(release("libcudart.so.11.0") == "CUDA 11");
  CHECK(release("libnvrtc.so.13") == "CUDA 13");
  CHECK(release("libamdhip64.so.6") == "ROCm 6");
  CHECK(release("libcufft.so.11") == "");
  CHECK(release("libcudart.so.x") == "");
}

TEST_CASE("a correct label has no findings") {
  CHECK(label_findings(labeled("cu130", {"libcudart.so.13", "libtorch_cuda.so"})).empty());
  CHECK(label_findings(labeled("cu126", {"libcudart.so.12"})).empty());
  CHECK(label_findings(labeled("cpu", {"libtorch_cpu.so"})).empty());
  CHECK(label_findings(labeled("rocm6.4", {"libamdhip64.so.6", "libtorch_hip.so"})).empty());
  CHECK(label_findings(labeled("local", {"libcudart.so.13"})).empty());
  WheelFacts pure = pure_facts();
  pure.name->version = *pep::parse_version("1.0+cu130");
  CHECK(label_findings(pure).empty());
}

TEST_CASE("a wrong label is an error with its evidence") {
  CHECK(label_findings(labeled("cu130", {"libcudart.so.12", "libcublas.so.12"})) ==
        Texts{"is for CUDA 12, but the label in the wheel's version is for CUDA 13.0 (needs "
              "libcudart.so.12)"});
  CHECK(label_findings(labeled("cpu", {"libtorch_cuda.so"})) ==
        Texts{"is for CUDA, but the label in the wheel's version is for CPU (needs "
              "libtorch_cuda.so)"});
  CHECK(label_findings(labeled("rocm6.4", {"libamdhip64.so.5"})).size() == 1);
  CHECK(label_findings(labeled("cu130", {"libtorch_cpu.so"})) ==
        Texts{"is labeled for CUDA 13.0, but contains nothing for a GPU (no device code, no "
              "library of CUDA 13.0 needed)"});
  WheelFacts facts = labeled("cu130", {"libtorch_cpu.so"});
  facts.device_code = {{"demo/_C.so", {{binary::CodeKind::cubin, "sm_90"}}}};
  CHECK(label_findings(facts).empty());
  facts.device_code[0].code = {{binary::CodeKind::code_object, "gfx90a"}};
  CHECK(label_findings(facts) ==
        Texts{"is for ROCm, but the label in the wheel's version is for CUDA 13.0 "
              "(has device code for AMD GPUs)"});
  facts = labeled("cu130", {"libcudart.so.13"});
  facts.metadata = *wheel::parse_metadata(
      "Metadata-Version: 2.4\nName: demo-kit\nVersion: 1.0\n"
      "Requires-Dist: nvidia-cublas-cu12==12.6\nRequires-Dist: nvidia-nccl\n");
  CHECK(label_findings(facts) ==
        Texts{"is for CUDA 12, but the label in the wheel's version is for CUDA 13.0 "
              "(requires nvidia-cublas-cu12)"});
}

WheelFacts unlabeled(const std::string& distribution, std::vector<std::string> needed,
                     const std::string& requires_dist) {
  WheelFacts facts = native_facts();
  facts.name->distribution = distribution;
  facts.libraries[0].elf.needed = std::move(needed);
  facts.metadata = *wheel::parse_metadata("Metadata-Version: 2.4\nName: demo-kit\nVersion: 1.0\n" +
                                          requires_dist);
  return facts;
}

TEST_CASE("a label in the wheel's name is a label") {
  CHECK(label_findings(unlabeled("demo_kit_cu130", {"libcudart.so.13"}, "")).empty());
  CHECK(label_findings(unlabeled("demo_kit_cu12", {"libcudart.so.12"}, "")).empty());
  CHECK(label_findings(unlabeled("demo_kit_cu130", {"libcudart.so.12"}, "")) ==
        Texts{"is for CUDA 12, but the label in the wheel's name is for CUDA 13.0 (needs "
              "libcudart.so.12)"});
  CHECK(label_findings(unlabeled("demo_kit_cpu", {"libtorch_cuda.so"}, "")).size() == 1);
  // NVIDIA's own packages have such names and little else.
  CHECK(label_findings(unlabeled("nvidia_nvtx_cu12", {"libc.so.6"}, "")).empty());
}

TEST_CASE("requirements are on the packages of the CUDA release that the libraries need") {
  const auto findings = [](const std::string& needed, const std::string& requires_dist) {
    return label_findings(
        unlabeled("demo_kit", {needed}, "Requires-Dist: " + requires_dist + "\n"));
  };
  CHECK(findings("libcudart.so.12", "nvidia-cublas-cu12").empty());
  CHECK(findings("libcudart.so.12", "nvidia-cublas-cu13") ==
        Texts{"requires packages of CUDA 13, but libraries need CUDA 12 (requires "
              "nvidia-cublas-cu13; `demo/_C.so` needs libcudart.so.12)"});
  CHECK(findings("libcudart.so.12", "nvidia-cuda-runtime>=13,<14") ==
        Texts{"requires packages of CUDA 13, but libraries need CUDA 12 (requires "
              "nvidia-cuda-runtime>=13,<14; `demo/_C.so` needs libcudart.so.12)"});
  CHECK(findings("libcudart.so.13", "nvidia-cuda-runtime~=13.0").empty());
  CHECK(findings("libcudart.so.12", "nvidia-cuda-runtime>=12").empty());
  // The version of cuFFT is not that of the toolkit.
  CHECK(findings("libcudart.so.13", "nvidia-cufft==12.*").empty());
  CHECK(findings("libcudart.so.12", "nvidia-cublas-cu13; extra == \"cuda13\"").empty());
  // One of several libraries is loaded.
  WheelFacts several =
      unlabeled("demo_kit", {"libcudart.so.12"}, "Requires-Dist: nvidia-cublas-cu13\n");
  several.libraries.push_back(several.libraries[0]);
  several.libraries[1].name = "demo/_C13.so";
  several.libraries[1].elf.needed = {"libcudart.so.13"};
  CHECK(label_findings(several).empty());
}

TEST_CASE("label, libraries and requirements are for one major release of CUDA") {
  // Of each pair, the third says nothing.
  const auto findings = [](const std::string& label, const std::string& needed,
                           const std::string& requirement) {
    WheelFacts facts = unlabeled("demo_kit", {"libc.so.6"}, "");
    if (!label.empty()) facts.name->version = *pep::parse_version("1.0+" + label);
    if (!needed.empty()) facts.libraries[0].elf.needed = {needed};
    facts.device_code = {{"demo/_C.so", {{binary::CodeKind::cubin, "sm_90"}}}};
    if (!requirement.empty()) {
      facts.metadata = *wheel::parse_metadata(
          "Metadata-Version: 2.4\nName: demo-kit\nVersion: 1.0\nRequires-Dist: " + requirement +
          "\n");
    }
    return label_findings(facts);
  };
  CHECK(findings("cu130", "libcublas.so.13", "nvidia-cublas-cu13==13.1").empty());
  CHECK(findings("cu130", "libcublas.so.12", "") ==
        Texts{"is for CUDA 12, but the label in the wheel's version is for CUDA 13.0 (needs "
              "libcublas.so.12)"});
  CHECK(findings("cu130", "", "nvidia-cublas-cu12") ==
        Texts{"is for CUDA 12, but the label in the wheel's version is for CUDA 13.0 (requires "
              "nvidia-cublas-cu12)"});
  CHECK(findings("", "libcudart.so.13", "nvidia-cublas-cu12") ==
        Texts{"requires packages of CUDA 12, but libraries need CUDA 13 (requires "
              "nvidia-cublas-cu12; `demo/_C.so` needs libcudart.so.13)"});
  CHECK(findings("cu130", "libcudart.so.12", "nvidia-cublas-cu12").size() == 2);
}

TEST_CASE("one correct requirement does not excuse another") {
  const auto findings = [](const std::string& other) {
    return label_findings(
        unlabeled("demo_kit", {"libcudart.so.13"},
                  "Requires-Dist: nvidia-cublas-cu13\nRequires-Dist: " + other + "\n"));
  };
  CHECK(findings("nvidia-cusparse-cu13").empty());
  CHECK(findings("nvidia-cusparse-cu12") ==
        Texts{"requires packages of CUDA 12, but libraries need CUDA 13 (requires "
              "nvidia-cusparse-cu12; `demo/_C.so` needs libcudart.so.13)"});
  CHECK(findings("nvidia-cusparse-cu12; platform_machine == 'riscv64'").empty());
}

TEST_CASE("the labels in the wheel's name and in its version agree") {
  WheelFacts facts = unlabeled("demo_kit_cu12", {"libcudart.so.13"}, "");
  facts.name->version = *pep::parse_version("1.0+cu130");
  REQUIRE(label_findings(facts).size() == 1);
  CHECK(
      label_findings(facts)[0].starts_with("the label in the wheel's name is for CUDA 12, but "
                                           "the label in the wheel's version is for CUDA 13.0"));
  facts.name->distribution = "demo_kit_cu13";
  CHECK(label_findings(facts).empty());
}

TEST_CASE("a wheel that needs torch's libraries requires torch") {
  WheelFacts facts = native_facts();
  facts.libraries[0].elf.needed = {"libtorch.so", "libc10.so"};
  CHECK(findings_of(facts, {}, {"torch-requirement"}).empty());
  facts.metadata = *wheel::parse_metadata("Metadata-Version: 2.4\nName: demo-kit\nVersion: 1.0\n");
  const std::vector<Finding> found = findings_of(facts, {}, {"torch-requirement"});
  REQUIRE(found.size() == 1);
  CHECK(found[0].severity == Severity::warning);
  CHECK(found[0].evidence == "`demo/_C.so` needs libc10.so, libtorch.so");
  facts.libraries[0].elf.needed = {"libc.so.6"};
  CHECK(findings_of(facts, {}, {"torch-requirement"}).empty());
}

TEST_CASE("a requirement on torch that only the matrix adds is named") {
  WheelFacts facts = native_facts();
  facts.libraries[0].elf.needed = {"libtorch.so"};
  facts.metadata = *wheel::parse_metadata(
      "Metadata-Version: 2.4\nName: demo-kit\nVersion: 1.0\nRequires-Dist: torch~=2.13.0\n");
  CHECK(findings_of(facts, {}, {"torch-requirement"}).empty());
  const std::vector<Finding> found =
      findings_of(facts, {.added_requirement = "torch~=2.13.0"}, {"torch-requirement"});
  REQUIRE(found.size() == 1);
  CHECK(found[0].severity == Severity::warning);
  CHECK(found[0].evidence == "`torch~=2.13.0`");
}

TEST_CASE("torch is also used by symbols without its libraries, and by the first import") {
  WheelFacts facts = native_facts();
  facts.metadata = *wheel::parse_metadata("Metadata-Version: 2.4\nName: demo-kit\nVersion: 1.0\n");
  facts.libraries[0].elf.undefined = {{"aoti_torch_abi_version", "", binary::Binding::weak}};
  CHECK(findings_of(facts, {}, {"torch-requirement"}).empty());
  facts.libraries[0].elf.undefined = {{"aoti_torch_abi_version"}};
  std::vector<Finding> found = findings_of(facts, {}, {"torch-requirement"});
  REQUIRE(found.size() == 1);
  CHECK(found[0].evidence == "`demo/_C.so` takes aoti_torch_abi_version");
  facts.libraries[0].elf.undefined.clear();
  facts.torch_importers = {"demo/__init__.py"};
  found = findings_of(facts, {}, {"torch-requirement"});
  REQUIRE(found.size() == 1);
  CHECK(found[0].evidence == "`demo/__init__.py` imports it");
  facts.metadata = pure_facts().metadata;
  CHECK(findings_of(facts, {}, {"torch-requirement"}).empty());
}

}  // namespace
}  // namespace pinwheel::inspect
