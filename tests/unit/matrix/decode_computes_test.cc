#include "matrix/settings.h"
#include "matrix/template.h"
#include "unit/matrix/parsed.h"

using namespace pinwheel;
using namespace pinwheel::matrix;
using testing::parsed;
using testing::value_of;
using testing::variant_named;

namespace {

const std::string kTorch =
    "environment: {torch: {spec: torch, index: 'https://w.example/{label}'}}\n";

Error computes_refused(const std::string& body) {
  const Result<Matrix> matrix = parse(testing::kHead + body, "m.yaml");
  if (!matrix) return matrix.error();
  const Result<Expansion> expansion = expand(*matrix);
  if (expansion) FAIL("nothing was refused");
  return expansion.error();
}

Settings settings_of(const Matrix& matrix, const std::string& id) {
  return value_of(settings_for(matrix, variant_named(value_of(expand(matrix)), id)));
}

}  // namespace

TEST_CASE("a declared compute has its label in ids and placeholders") {
  const Matrix matrix = parsed(
      "axes: {compute: [cpu, mtia, gaudi/1.21, gaudi/1.22, xpu, xpu/2025.1]}\n"
      "computes: {mtia: {}, gaudi: {label: hpu}}\n"
      "environment: {variables: {NAME: '{label} {compute.label} {compute.version}'}}\n");
  const Expansion expansion = value_of(expand(matrix));
  CHECK(testing::ids_of(expansion.variants) ==
        std::vector<std::string>{"cpu", "mtia", "hpu1.21", "hpu1.22", "xpu", "xpu2025.1"});
  CHECK(settings_of(matrix, "hpu1.21").environment.variables.at("NAME") == "hpu1.21 hpu1.21 1.21");
  CHECK(settings_of(matrix, "mtia").environment.variables.at("NAME") == "mtia mtia ");
}

TEST_CASE("a line of a compute is an override that comes first") {
  const Matrix matrix = parsed(
      "axes: {compute: [cpu, mtia, gaudi/1.21, gaudi/1.22]}\n"
      "computes:\n"
      "  mtia: {hardware: gpu, index: 'https://mtia.example/{label}'}\n"
      "  gaudi: {hardware: /dev/accel0}\n" +
      kTorch + "overrides: [{when: {compute: gaudi/1.22}, test: {hardware: none}}]\n");
  CHECK(settings_of(matrix, "cpu").environment.torch.index == "https://w.example/cpu");
  CHECK(settings_of(matrix, "cpu").test.hardware == Hardware::none);
  CHECK(settings_of(matrix, "mtia").environment.torch.index == "https://mtia.example/mtia");
  CHECK(settings_of(matrix, "mtia").environment.torch.spec == "torch");
  CHECK(settings_of(matrix, "mtia").test.hardware == Hardware::gpu);
  CHECK(settings_of(matrix, "mtia").test.device.empty());
  CHECK(settings_of(matrix, "gaudi1.21").environment.torch.index == "https://w.example/gaudi1.21");
  CHECK(settings_of(matrix, "gaudi1.21").test.device == "/dev/accel0");
  CHECK(settings_of(matrix, "gaudi1.22").test.hardware == Hardware::none);
}

TEST_CASE("the hardware of tests is a word or a device") {
  const Matrix matrix = parsed(
      "axes: {compute: [cpu, xpu]}\ntest: {hardware: {xpu: /dev/dri/renderD128, default: none}}\n");
  CHECK(settings_of(matrix, "xpu").test.device == "/dev/dri/renderD128");
  CHECK(settings_of(matrix, "xpu").test.hardware == Hardware::gpu);
  CHECK(computes_refused("axes: {compute: [cpu]}\ntest: {hardware: gpuu}\n").message ==
        "`hardware` must be `none`, `gpu` or the path of a device such as `/dev/accel0`, and "
        "`gpuu` is not");
}

TEST_CASE("names and labels of computes that cannot be are refused") {
  const auto message = [](const std::string& line, const std::string& value = "mtia") {
    return computes_refused("axes: {compute: [cpu, " + value + "]}\ncomputes: {" + line + "}\n")
        .message;
  };
  CHECK(message("default: {}") == "`default` cannot be the name of a compute");
  CHECK(message("'a b': {}") == "`a b` cannot be the name of a compute");
  CHECK(message("'mt*': {}") == "`mt*` cannot be the name of a compute");
  CHECK(message("'!mtia': {}") == "`!mtia` cannot be the name of a compute");
  CHECK(message("a/b/c: {}") == "`a/b/c` cannot be the name of a compute");
  CHECK(message("cuda/13.0: {}") == "the compute `cuda/13.0` is known without a line");
  CHECK(message("cuda-13.0: {}") == "`cuda-13.0` is another spelling of `cuda/13.0`");
  CHECK(message("mtia: {label: 'a b'}") == "`a b` cannot be the label of a compute");
  CHECK(message("mtia: {label: MTIA}") == "`MTIA` cannot be the label of a compute");
  CHECK(message("mtia: {label: cpu}") == "the computes `cpu` and `mtia` have the same label `cpu`");
  CHECK(message("mtia: {label: cu130}", "mtia, cuda/13.0") ==
        "the computes `mtia` and `cuda/13.0` have the same label `cu130`");
  CHECK(message("mtia: {}, MTIA: {}", "mtia, MTIA") ==
        "the computes `mtia` and `MTIA` have the same label `mtia`");
  CHECK(message("mtia: {hardware: npu}") ==
        "`hardware` must be `none`, `gpu` or the path of a device such as `/dev/accel0`, and "
        "`npu` is not");
  CHECK(message("mtia: {}, gaudi: {}") == "axis `compute` has no value `gaudi`");
  CHECK(message("mtia: {index: 'https://mtia.example'}") ==
        "`index` is the index of torch, which the matrix does not install");
}

TEST_CASE("a line needs the axis, and its templates the placeholders") {
  CHECK(computes_refused("axes: {python: ['3.12']}\ncomputes: {mtia: {}}\n").message ==
        "axis `compute` has no value `mtia`");
  CHECK(computes_refused("axes: {compute: [mtia]}\ncomputes: {mtia: {index: 'https://{nope}'}}\n" +
                         kTorch)
            .message == "unknown placeholder `{nope}`");
  CHECK(parse(testing::kHead + "axes: {python: ['3.12'], compute: [cpu]}\ncomputes: {mtia: {}}\n"
                               "include: [{python: '3.12', compute: mtia}]\n",
              "m.yaml")
            .has_value());
}
