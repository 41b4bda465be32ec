#include "unit/catch.h"
#include "unit/inspect/demo_facts.h"

namespace pinwheel::inspect {
namespace {

Texts metadata_findings(const std::string& format, const std::string& lines) {
  WheelFacts facts = pure_facts();
  facts.metadata = *wheel::parse_metadata("Metadata-Version: " + format +
                                          "\nName: demo-kit\nVersion: 1.0\n" + lines);
  Texts out;
  for (const Finding& finding : findings_of(facts)) {
    CHECK(finding.rule == "metadata");
    CHECK(finding.file == "demo_kit-1.0.dist-info/METADATA");
    out.push_back(finding.message);
  }
  return out;
}

TEST_CASE("requirements must be readable and may not be URLs") {
  CHECK(metadata_findings("2.1", "Requires-Dist: a (>=1); extra == 'x'\nRequires-Dist: b[c]~=2.0\n")
            .empty());
  CHECK(
      metadata_findings("2.1",
                        "Requires-Dist: a @ https://example.org/a.whl\nRequires-Dist: b>>2\n") ==
      Texts{"requires `a` from a URL, which PyPI rejects", "has a malformed Requires-Dist `b>>2`"});
  CHECK(metadata_findings("2.1", "Requires-Python: 3.x\n") ==
        Texts{"has a malformed Requires-Python `3.x`"});
}

TEST_CASE("license files must be in the wheel since 2.4") {
  CHECK(metadata_findings("2.1", "License-File: LICENSE\n").empty());
  CHECK(metadata_findings("2.4", "License-File: LICENSE\n") ==
        Texts{"has the License-File `LICENSE`, which is not in the wheel"});
  CHECK(metadata_findings("2.4", "License: MIT\nLicense-Expression: MIT\n") ==
        Texts{"has both License and License-Expression"});
}

TEST_CASE("fields that PyPI's form rejects are findings") {
  CHECK(metadata_findings("2.0", "") == Texts{"has the unknown Metadata-Version `2.0`"});
  CHECK(metadata_findings("2.1", "Summary: a\n  b\n") == Texts{"has a multi-line Summary"});
  CHECK(metadata_findings("2.1", "Summary: " + std::string(512, 's') + "\n").empty());
  CHECK(metadata_findings("2.1", "Summary: " + std::string(513, 's') + "\n") ==
        Texts{"has a Summary of more than 512 characters"});
}

}  // namespace
}  // namespace pinwheel::inspect
