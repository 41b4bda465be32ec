#include "pep/license.h"

#include <algorithm>

#include "unit/catch.h"

namespace pinwheel::pep {
namespace {

TEST_CASE("license expressions of SPDX's grammar and list are accepted, in any case") {
  for (const std::string text :
       {"MIT", "mit", "Apache-2.0 OR MIT", "(MIT)", "MIT AND (Apache-2.0 OR BSD-2-Clause)",
        "GPL-3.0-only WITH Classpath-exception-2.0", "gpl-2.0+ with gcc-exception-3.1",
        "LicenseRef-My-Own.1", "MIT OR LicenseRef-x", "((MIT))and(Apache-2.0)", "0BSD"}) {
    INFO(text);
    CHECK(check_license_expression(text));
  }
}

TEST_CASE("anything else is not, and the nearest id is in the hint") {
  for (const std::string text : {"",
                                 " ",
                                 "MIT license",
                                 "GPLv3",
                                 "MIT,Apache-2.0",
                                 "MIT/Apache-2.0",
                                 "MIT OR",
                                 "OR MIT",
                                 "MIT AND AND MIT",
                                 "(MIT",
                                 "MIT)",
                                 "()",
                                 "MIT (Apache-2.0)",
                                 "MIT WITH MIT",
                                 "WITH MIT",
                                 "Apache 2.0",
                                 "LicenseRef-a_b",
                                 "MIT\xe2\x80\x8b",
                                 "BSD",
                                 "Proprietary"}) {
    INFO(text);
    const Done checked = check_license_expression(text);
    REQUIRE_FALSE(checked);
    CHECK(checked.error().kind == ErrorKind::check);
  }
  CHECK(check_license_expression("Apache2.0").error().hint == "did you mean `apache-2.0`?");
}

TEST_CASE("the lists are sorted, as searching needs them") {
  CHECK(std::is_sorted(spdx_licenses().begin(), spdx_licenses().end()));
  CHECK(std::is_sorted(spdx_exceptions().begin(), spdx_exceptions().end()));
}

}  // namespace
}  // namespace pinwheel::pep
