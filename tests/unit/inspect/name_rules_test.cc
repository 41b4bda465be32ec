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

TEST_CASE("WHEEL and the plan have the build number of the file name") {
  const std::string head = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n";
  WheelFacts facts = pure_facts("2-py3-none-any");
  facts.wheel_file = *wheel::parse_wheel_file(head + "Build: 2\n");
  Expectations expected;
  expected.build_number = 2;
  CHECK(finding_texts(facts, expected).empty());
  expected.build_number = 3;
  CHECK(finding_texts(facts, expected) ==
        Texts{"[wheel-name] `demo_kit-1.0-2-py3-none-any.whl`: has a different build number than "
              "the plan (2, the plan: 3)"});
  for (const auto& [line, stated] :
       {std::pair("", "none"), std::pair("Build: 3\n", "3"), std::pair("Build: 2a\n", "2a")}) {
    facts.wheel_file = *wheel::parse_wheel_file(head + line);
    CHECK(finding_texts(facts) ==
          Texts{"[wheel-name] `demo_kit-1.0.dist-info/WHEEL`: has a different build number than "
                "the file name (" +
                std::string(stated) + "; file name: 2)"});
  }
  facts = pure_facts();
  facts.wheel_file = *wheel::parse_wheel_file(head + "Build: 1\n");
  CHECK(finding_texts(facts) ==
        Texts{"[wheel-name] `demo_kit-1.0.dist-info/WHEEL`: has a different build number than the "
              "file name (1; file name: none)"});
}

}  // namespace
}  // namespace pinwheel::inspect
