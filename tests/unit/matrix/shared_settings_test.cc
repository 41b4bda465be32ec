#include "matrix/shared_settings.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "unit/matrix/parsed.h"

using namespace pinwheel;
using namespace pinwheel::matrix;
using testing::parsed;
using testing::value_of;

namespace {

/// Every text of the settings that a key decides here.
std::vector<std::string> texts_of(const Settings& settings) {
  std::vector<std::string> texts = settings.build.command;
  for (const auto& [name, value] : settings.environment.variables) texts.push_back(name + value);
  for (const auto* const list : {&settings.environment.pip, &settings.build.arch_list}) {
    texts.insert(texts.end(), list->begin(), list->end());
  }
  texts.push_back(settings.environment.torch.spec);
  texts.push_back(settings.environment.torch.index);
  texts.push_back(std::to_string(static_cast<int>(settings.test.hardware)));
  texts.push_back(std::to_string(settings.build.timeout.count()));
  return texts;
}

/// Compares the shared settings of each variant with its own; returns how many are distinct.
size_t distinct_settings(const Matrix& matrix) {
  const Expansion expansion = value_of(expand(matrix));
  SharedSettings shared(matrix);
  std::set<std::shared_ptr<const Settings>> distinct;
  for (const Variant& variant : expansion.variants) {
    CAPTURE(variant.id);
    const auto settings = value_of(shared.of(variant));
    CHECK(texts_of(*settings) == texts_of(value_of(settings_for(matrix, variant))));
    const auto environment = value_of(shared.own_environment_of(variant));
    CHECK(environment->variables == value_of(own_environment(matrix, variant)).variables);
    distinct.insert(settings);
  }
  return distinct.size();
}

const std::string kSharedAxes =
    "axes: {python: ['3.11', '3.12'], compute: [cpu, cuda/13.0], torch: ['2.12', '2.13', "
    "nightly]}\n";

}  // namespace

TEST_CASE("variants share settings that no placeholder, condition or key distinguishes") {
  CHECK(distinct_settings(parsed(kSharedAxes + "build: {command: [make]}\n")) == 2);
  CHECK(distinct_settings(parsed("axes: {python: ['3.11', '3.12'], flavor: [a, b, c]}\n"
                                 "build: {command: [make]}\n")) == 1);
}

TEST_CASE("a placeholder, a condition or a key of a value separates settings") {
  CHECK(distinct_settings(parsed(kSharedAxes + "build: {command: [make, 'T={torch.nodot}']}\n")) ==
        6);
  CHECK(distinct_settings(parsed(
            kSharedAxes + "build: {command: [make]}\n"
                          "overrides: [{when: {python: '3.12'}, build: {timeout: 2 h}}]\n")) == 4);
  CHECK(distinct_settings(parsed(
            kSharedAxes + "environment: {torch: {spec: {nightly: '--pre torch', default: torch}}}\n"
                          "build: {command: [make]}\n")) == 4);
  CHECK(distinct_settings(parsed(
            kSharedAxes + "build: {command: [make], arch-list: ['9.0']}\n"
                          "test: {hardware: {'cuda/*': gpu}}\n"
                          "environment: {variables: {LABEL: '{label}', PY: '{python}'}}\n")) == 4);
}

TEST_CASE("an attribute of an `include` separates settings") {
  CHECK(distinct_settings(parsed("axes: {python: ['3.11', '3.12']}\n"
                                 "attributes: [size]\n"
                                 "include: [{python: '3.12', size: large}]\n"
                                 "build: {command: [make]}\n"
                                 "overrides: [{when: {size: large}, build: {timeout: 2 h}}]\n")) ==
        2);
}

TEST_CASE("the answer of a backend separates the settings of its variant") {
  Matrix matrix =
      parsed("axes: {python: ['3.11', '3.12'], flavor: [a, b]}\nbuild: {timeout: 2 h}\n");
  matrix.backend_answers["cp311-a"].texts = {"numpy"};
  CHECK(distinct_settings(matrix) == 2);
}

TEST_CASE("an error is that of the variant each time") {
  const Matrix matrix = parsed(
      "axes: {python: ['3.11'], flavor: [torch, other]}\n"
      "environment: {torch: {spec: '{flavor}'}}\nbuild: {command: [make]}\n");
  const Expansion expansion = value_of(expand(matrix));
  SharedSettings shared(matrix);
  for (int time = 0; time < 2; ++time) {
    CHECK(shared.of(expansion.variants[0]).has_value());
    const auto refused = shared.of(expansion.variants[1]);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message == settings_for(matrix, expansion.variants[1]).error().message);
  }
}

TEST_CASE("a variant is found with its settings") {
  const Matrix matrix = parsed(
      "axes: {python: ['3.11', '3.12'], flavor: [torch, other]}\n"
      "environment: {torch: {spec: '{flavor}'}}\nbuild: {command: [make]}\n");
  const Expansion expansion = value_of(expand(matrix));
  const VariantIndex variants(expansion.variants);
  SharedSettings shared(matrix);
  const ConfiguredVariant found = value_of(configured(variants, shared, "cp312-torch"));
  CHECK(&found.variant == value_of(variants.find("cp312-torch")));
  CHECK(found.settings == value_of(shared.of(found.variant)));
  CHECK(found.settings->environment.torch.spec == "torch");
  const auto refused = configured(variants, shared, "cp312-other");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == shared.of(expansion.variants[3]).error().message);
  const auto missing = configured(variants, shared, "absent");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().kind == ErrorKind::internal);
}
