#include "publish/upload_event.h"

#include "unit/catch.h"

using namespace pinwheel::publish;

TEST_CASE("an upload prints one line per file and stage") {
  UploadEvent event{UploadStage::sending, "pypi", "a.whl", "ab", 12'000'000, 3, 5, 1};
  CHECK(to_line(event) == "uploading a.whl (3/5, 12 MB) to pypi\n");
  event.attempt = 2;
  CHECK(to_line(event) == "uploading a.whl (3/5, 12 MB) to pypi, attempt 2\n");
  event.stage = UploadStage::sent;
  CHECK(to_line(event) == "uploaded a.whl (3/5, 12 MB) to pypi, sha256=ab\n");
  event.stage = UploadStage::already_there;
  CHECK(to_line(event) == "already in pypi: a.whl (3/5, 12 MB), sha256=ab\n");
  CHECK(to_json_line(event) ==
        R"({"event":"upload","stage":"already_there","target":"pypi","file":"a.whl",)"
        R"("sha256":"ab","size":12000000,"number":3,"count":5,"attempt":2})"
        "\n");
}
