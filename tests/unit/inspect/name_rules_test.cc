#include "unit/catch.h"
#include "unit/inspect/demo_facts.h"

namespace pinwheel::inspect {
namespace {

TEST_CASE("the planned name and version must be the file's, however they are spelled") {
  Expectations expected;
  expected.distribution = "Demo.Kit";
  expected.version = "1.0.0";
  CHECK(finding_texts(pure_facts(), expected).empty());
  expected.distribution = "other";
  expected.version = "1.0+cpu";
  CHECK(finding_texts(pure_facts(), expected) ==
        Texts{"[wheel-name] `demo_kit-1.0-py3-none-any.whl`: has a different name than the plan "
              "(demo_kit, the plan: other)",
              "[wheel-name] `demo_kit-1.0-py3-none-any.whl`: has a different version than the plan "
              "(1.0, the plan: 1.0+cpu)"});
}

TEST_CASE("METADATA and the dist-info directory have the file's name and version") {
  WheelFacts facts = pure_facts();
  facts.metadata = *wheel::parse_metadata("Metadata-Version: 2.1\nName: kit\nVersion: 1.1\n");
  facts.dist_info = "demo_kit-1.1.dist-info";
  facts.members[1].name = "demo_kit-1.1.dist-info/RECORD";
  facts.record = std::vector<wheel::RecordRow>{{"demo/__init__.py", "sha256", "digest", 10},
                                               {"demo_kit-1.1.dist-info/RECORD"}};
  CHECK(finding_texts(facts) ==
        Texts{"[wheel-name] `demo_kit-1.0-py3-none-any.whl`: has a different name than METADATA "
              "(demo_kit, METADATA: kit)",
              "[wheel-name] `demo_kit-1.0-py3-none-any.whl`: has a different version than METADATA "
              "(1.0, METADATA: 1.1)",
              "[wheel-name] `demo_kit-1.1.dist-info`: does not match the file name "
              "(demo_kit-1.0-py3-none-any.whl)"});
}

TEST_CASE("WHEEL lists the tags of the file name, expanded or compressed") {
  WheelFacts facts = pure_facts("py2.py3-none-any");
  CHECK(finding_texts(facts).empty());
  const std::string head = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\n";
  facts.wheel_file = *wheel::parse_wheel_file(head + "Tag: py2.py3-none-any\n");
  CHECK(finding_texts(facts).empty());
  facts.wheel_file = *wheel::parse_wheel_file(head + "Tag: py3-none-any\n");
  CHECK(finding_texts(facts) ==
        Texts{"[wheel-name] `demo_kit-1.0.dist-info/WHEEL`: lists different tags than the file "
              "name (py3-none-any; file name: py2-none-any, py3-none-any)"});
  facts.wheel_file = *wheel::parse_wheel_file(head + "Tag: py3\n");
  CHECK(finding_texts(facts).size() == 2);
}

}  // namespace
}  // namespace pinwheel::inspect
