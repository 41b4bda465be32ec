#include "report/inspect_text.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "inspect/gather.h"
#include "inspect/name_list.h"
#include "inspect/rules.h"
#include "report/inspect_json.h"
#include "unit/binary/make_elf.h"
#include "unit/catch.h"
#include "unit/inspect/demo_facts.h"
#include "unit/source_tree_path.h"

namespace pinwheel::report {
namespace {

using namespace inspect;

WheelFacts gpu_facts() {
  WheelFacts facts = native_facts();
  facts.libraries[0].elf.needed = {"libtorch_cpu.so", "libc.so.6", "libgomp.so.1"};
  facts.libraries[0].elf.version_needs.push_back(
      {"libstdc++.so.6", {"GLIBCXX_3.4.9", "GLIBCXX_3.4.21", "CXXABI_1.3", "CXXABI_TM_1"}});
  facts.libraries[0].elf.undefined = {{"_ZN3c105ErrorC1ENSt7__cxx1112basic_stringIcEE"}};
  const binary::DeviceCode piece{binary::CodeKind::cubin, "sm_90a", binary::CodeCompression::zstd,
                                 100, 300};
  facts.device_code = {{"demo/_C.so", {piece, piece}}};
  return facts;
}

TEST_CASE("the summary shows the identity, requirements and contents of a wheel") {
  Expectations expected;
  expected.external = {"libgomp.so.1"};
  CHECK(inspect_text(gpu_facts(), expected, {}) ==
        "demo_kit-1.0-py3-none-manylinux_2_28_x86_64.whl\n"
        "  name             demo-kit 1.0\n"
        "  tags             py3-none-manylinux_2_28_x86_64\n"
        "  requires Python  >=3.10\n"
        "  requires torch   torch>=2.10\n"
        "  platform         manylinux_2_28_x86_64\n"
        "  why not older    `demo/_C.so` needs `GLIBC_2.28` of `libc.so.6`\n"
        "  symbol versions  CXXABI 1.3, GLIBC 2.28, GLIBCXX 3.4.21\n"
        "  C++ strings      _GLIBCXX_USE_CXX11_ABI=1\n"
        "  needs            libc.so.6 from the system, for demo/_C.so\n"
        "                   libgomp.so.1 from a declared external library, for demo/_C.so\n"
        "                   libtorch_cpu.so from torch, for demo/_C.so\n"
        "  device code      sm_90a as cubin compressed with zstd, 2 pieces in demo/_C.so\n"
        "  driver           550 (CUDA 12.4) or newer, as its device code is zstd-compressed\n"
        "  runs on          H100, H200, GH200\n"
        "  not on           Tesla P100, GeForce GTX 1080 Ti, V100, T4, GeForce RTX 2080 Ti, A100, "
        "A30, A10, A40, RTX A6000, GeForce RTX 3090, L4, L40S, RTX 6000 Ada, GeForce RTX 4090, "
        "B200, GB200, B300, GB300, Jetson AGX Thor, RTX PRO 6000 Blackwell, GeForce RTX 5090, DGX "
        "Spark (GB10)\n"
        "  size             1.0 KB, 110 B unpacked, 2 files\n"
        "  architectures    sm_90a 200 B\n"
        "  largest unit     200 B of device code in unit 0 of demo/_C.so, of 1 in all\n"
        "  findings         none\n");
}

TEST_CASE("the same device code of several files is one line, in the order of the architectures") {
  WheelFacts facts = gpu_facts();
  const auto piece = [](const std::string& architecture, binary::CodeKind kind) {
    return binary::DeviceCode{kind, architecture, binary::CodeCompression::none, 100, 100};
  };
  const std::vector<binary::DeviceCode> code = {piece("sm_70", binary::CodeKind::cubin),
                                                piece("sm_100a", binary::CodeKind::cubin),
                                                piece("sm_90", binary::CodeKind::cubin)};
  facts.device_code = {{"demo/_C.so", code}, {"demo/_D.so", code}, {"demo/_E.so", {code[0]}}};
  const std::string grouped = inspect_text(facts, {}, {}, EqualEntries::grouped);
  CHECK(grouped.find(
            "  device code      sm_70 90 100a as cubin, 6 pieces in demo/_C.so, demo/_D.so\n"
            "                   sm_70 as cubin, 1 piece in demo/_E.so\n") != std::string::npos);
  const std::string all = inspect_text(facts, {}, {}, EqualEntries::all);
  CHECK(all.find("sm_90 as cubin, 1 piece in demo/_D.so\n") != std::string::npos);
}

TEST_CASE("the summary of a wheel without binaries is short and ends with its findings") {
  CHECK(inspect_text(pure_facts(), {}, {{"size", "x.whl", "is too large", "2 GB", "shrink it"}}) ==
        "demo_kit-1.0-py3-none-any.whl\n"
        "  name             demo-kit 1.0\n"
        "  tags             py3-none-any\n"
        "  requires Python  >=3.10\n"
        "  requires torch   torch>=2.10\n"
        "  platform         any: no binaries\n"
        "  size             1.0 KB, 110 B unpacked, 2 files\n"
        "  findings         [size] `x.whl`: is too large (2 GB)\n"
        "                     hint: shrink it\n");
}

TEST_CASE("findings that say the same of three files share a line") {
  std::vector<Finding> findings;
  for (const char* const file : {"a.so", "b.so", "c.so", "d.so", "e.so", "f.so"}) {
    findings.push_back({"cpu-baseline", file, "needs AVX", "7 of AVX", "drop it"});
  }
  findings.push_back({"size", "x.whl", "is too large", "2 GB", "shrink it"});
  findings.push_back({"rpath", "a.so", "is wrong", "", ""});
  findings.push_back({"rpath", "b.so", "is wrong", "", ""});
  const std::string text = inspect_text(pure_facts(), {}, findings, EqualEntries::grouped);
  INFO(text);
  CHECK(text.find("[cpu-baseline] " +
                  inspect::first_names({"a.so", "b.so", "c.so", "d.so", "e.so", "f.so"}) +
                  ": needs AVX\n") != std::string::npos);
  CHECK(text.find("hint: drop it") == text.rfind("hint: drop it"));
  CHECK(text.find("[size] `x.whl`: is too large (2 GB)") != std::string::npos);
  CHECK(text.find("[rpath] `a.so`: is wrong\n") != std::string::npos);
  CHECK(text.find("[rpath] `b.so`: is wrong\n") != std::string::npos);
  const std::string each = inspect_text(pure_facts(), {}, findings, EqualEntries::all);
  CHECK(each.find("[cpu-baseline] `f.so`: needs AVX (7 of AVX)") != std::string::npos);
}

TEST_CASE("the JSON report has every documented key") {
  const WheelFacts facts = gpu_facts();
  const nlohmann::json report = nlohmann::json::parse(
      inspect_json(facts, {}, {{"size", "x.whl", "is too large", "2 GB", "shrink it"}}));
  CHECK(report["schema"] == 1);
  CHECK(report["wheel"] == facts.file_name);
  CHECK(report["size"] == 1000);
  CHECK(report["name"] == "demo-kit");
  CHECK(report["version"] == "1.0");
  CHECK(report["tags"] == nlohmann::json{"py3-none-manylinux_2_28_x86_64"});
  CHECK(report["requires_python"] == ">=3.10");
  CHECK(report["requires_dist"] == nlohmann::json{"torch>=2.10"});
  CHECK(report["requires_torch"] == nlohmann::json{"torch>=2.10"});
  CHECK(report["platform_tag"] == "linux_x86_64");
  CHECK(report["policy"].is_null());
  CHECK(report["arch"] == "x86_64");
  CHECK(report["why_not_older"] == nlohmann::json{"`demo/_C.so` needs `libgomp.so.1`"});
  CHECK(report["glibc"] == "2.28");
  CHECK(report["glibcxx"] == "3.4.21");
  CHECK(report["cxxabi"] == "1.3");
  CHECK(report["needed"].size() == 3);
  CHECK(report["needed"][1] ==
        nlohmann::json::parse(
            R"({"library": "libgomp.so.1", "provider": "nobody", "needed_by": ["demo/_C.so"]})"));
  CHECK(report["device_code"] == nlohmann::json::parse(
                                     R"([{"file": "demo/_C.so", "kind": "cubin", "arch": "sm_90a",
                                         "compression": "zstd", "pieces": 2, "bytes": 200, "ptx_version": null}])"));
  CHECK(report["driver"]["load"]["cuda"] == "12.4");
  CHECK(report["driver"]["ptx"].is_null());
  CHECK(report["gpus"].size() == 26);
  CHECK(report["files"][0] == nlohmann::json::parse(
                                  R"({"name": "demo/__init__.py", "size": 10, "compressed_size": 8,
                "crc32": "00000007", "sha256": "digest"})"));
  CHECK(report["unpacked_size"] == 110);
  CHECK(report["findings"] ==
        nlohmann::json::parse(R"([{"rule": "size", "file": "x.whl", "message": "is too large",
                                   "evidence": "2 GB", "hint": "shrink it",
                                   "severity": "error"}])"));
  CHECK(report["cxx11_abi"] == true);
  CHECK(report["not_judged"] == nlohmann::json::array());
  CHECK(report["partial"].is_null());
  CHECK(report.size() == 31);
}

TEST_CASE("what was not read of a wheel on a server is stated") {
  WheelFacts facts = pure_facts();
  facts.members.push_back({"demo/data.json", 5000, 4000, 9, 0100644, ""});
  facts.partial = inspect::PartialReading{{"demo/data.json"}, 600, 2};
  const nlohmann::json report = nlohmann::json::parse(inspect_json(facts, {}, {}));
  CHECK(report["files"][2]["sha256"].is_null());
  CHECK(report["partial"] == nlohmann::json::parse(R"({"fetched": 600, "requests": 2,
      "not_read": ["demo/data.json"], "not_verified": ["record", "archive", "odd-members"]})"));
  const std::string text = inspect_text(facts, {}, {});
  INFO(text);
  CHECK(text.find("600 B of 1.0 KB in 2 requests (all: `--whole`)") != std::string::npos);
  CHECK(text.find("hashes, headers and contents of 1 unread file\n") != std::string::npos);
  CHECK(text.find("sha256") == std::string::npos);
  facts.partial->sha256 = "00";
  CHECK(inspect_text(facts, {}, {}).find("the sha256 that the index states\n") !=
        std::string::npos);
  CHECK(nlohmann::json::parse(inspect_json(facts, {}, {}))["partial"]["not_verified"].size() == 4);
}

TEST_CASE("a wheel variant is shown with its label, properties and draft") {
  WheelFacts facts = pure_facts();
  const auto variant_of = [&facts] {
    return nlohmann::json::parse(inspect_json(facts, {}, {}))["variant"];
  };
  CHECK(variant_of().is_null());
  facts.name->variant = "cu130";
  facts.variant = wheel::VariantMetadata{std::string(wheel::schema_of(pep::VariantDraft::pep825)),
                                         pep::VariantDraft::pep825,
                                         {"nvidia"},
                                         {},
                                         {{"cu130", {{"nvidia", {{"sm_arch", {"90_real"}}}}}}}};
  CHECK(variant_of() == nlohmann::json::parse(R"({"label": "cu130", "draft": "pep825",
      "schema": "https://variants-schema.wheelnext.dev/peps/825/v0.1.1.json",
      "variants": {"cu130": ["nvidia :: sm_arch :: 90_real"]}})"));
  const std::string text = inspect_text(facts, {}, {});
  CHECK(text.find("cu130, draft PEP 825") != std::string::npos);
  CHECK(text.find("nvidia :: sm_arch :: 90_real") != std::string::npos);
  facts.variant->draft = std::nullopt;
  facts.name->variant = "";
  CHECK(variant_of()["draft"].is_null());
  CHECK(variant_of()["label"].is_null());
}

TEST_CASE("unknown values are null in JSON, bytes that are not UTF-8 are replaced") {
  WheelFacts facts = pure_facts();
  facts.metadata.reset();
  facts.members[0].name = "caf\xe9.py";
  const nlohmann::json report = nlohmann::json::parse(inspect_json(facts, {}, {}));
  CHECK(report["name"].is_null());
  CHECK(report["requires_dist"].empty());
  CHECK(report["platform_tag"] == "any");
  CHECK(report["glibc"].is_null());
  CHECK(report["arch"].is_null());
  CHECK(report["files"][0]["name"] == "caf\xef\xbf\xbd.py");
}

LooseFile loose(const std::string& name, const std::string& bytes) {
  return {name, [bytes]() -> Result<std::unique_ptr<ports::ByteSource>> {
            return std::make_unique<ports::MemorySource>(bytes);
          }};
}

TEST_CASE("a single library has a platform and no name") {
  const Result<WheelFacts> facts = gather_files(
      "build", {loose("c.so", binary::make_elf(".debug_info", std::string(2000, 'd')))});
  REQUIRE(facts);
  const Result<std::vector<Finding>> found = check(*facts, {}, rule_ids());
  REQUIRE(found);
  CHECK(inspect_text(*facts, {}, *found).starts_with("build\n  platform "));
}

TEST_CASE("a single object shows its device code and no platform") {
  const auto path = in_source_tree("tests/data/device_code/plain.o");
  std::ifstream in(path, std::ios::binary);
  REQUIRE(in);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const Result<WheelFacts> facts = gather_files("plain.o", {loose("plain.o", bytes)});
  REQUIRE(facts);
  const std::string text = inspect_text(*facts, {}, {});
  CHECK(text.find("platform         none: no loadable binaries\n") != std::string::npos);
  CHECK(text.find("device code      compute_90 as ptx") != std::string::npos);
  CHECK(text.find("runs on          A100") != std::string::npos);
  CHECK(inspect_json(*facts, {}, {}).find("\"platform_tag\": null") != std::string::npos);
}

}  // namespace
}  // namespace pinwheel::report
