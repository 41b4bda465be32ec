#include "host/store/copy_results.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "host/store/tree_inventory.h"

namespace pinwheel::host {
namespace {

/// Whether a file is missing or has another size than its blob.
bool lacks_files(const BlobFiles& files) {
  return std::any_of(files.begin(), files.end(), [](const auto& each) {
    std::error_code code;
    return !std::filesystem::is_regular_file(each.second, code) ||
           std::filesystem::file_size(each.second, code) != each.first.size || code;
  });
}

}  // namespace

Result<CopiedResults> copy_results(
    const std::filesystem::path& from, TreePlace& to,
    const std::function<bool(const store::StoredResult& result)>& wanted) {
  CopiedResults out;
  for (const TreeResult& one : read_results(from)) {
    if (!wanted(one.result) || !store::is_address_of(one.address, one.result)) {
      ++out.left_out;
      continue;
    }
    BlobFiles files;
    for (const store::StoredOutput& output : one.result.outputs) {
      files[output.blob] = from / "cas" / output.blob.sha256;
    }
    if (lacks_files(files)) {
      out.damaged.insert(one.result.step);
      continue;
    }
    PlaceResult<Kept> kept = to.put({one.address}, one.result, files);
    if (!kept && kept.error().kind == FaultKind::wrong_bytes) {
      out.damaged.insert(one.result.step);
      continue;
    }
    if (!kept) return fail(std::move(kept).error().error);
    ++(*kept == Kept::new_one ? out.copied : out.there_already);
  }
  return out;
}

}  // namespace pinwheel::host
