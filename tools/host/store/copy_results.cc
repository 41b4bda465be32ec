#include "host/store/copy_results.h"

#include <utility>

#include "host/store/tree_inventory.h"

namespace pinwheel::host {
namespace {

/// Whether a result lies where its domain and its names put it.
bool is_at_home(const TreeResult& one) {
  const store::StoredResult& result = one.result;
  const store::Domain domain = result.writer.domain;
  return one.address == store::result_address(domain, result.key) ||
         one.address == store::hand_off_address(domain, result.plan, result.step);
}

}  // namespace

Result<CopiedResults> copy_results(
    const std::filesystem::path& from, TreePlace& to,
    const std::function<bool(const store::StoredResult& result)>& wanted) {
  CopiedResults out;
  for (const TreeResult& one : read_results(from)) {
    if (!wanted(one.result) || !is_at_home(one)) {
      ++out.left_out;
      continue;
    }
    BlobFiles files;
    for (const store::StoredOutput& output : one.result.outputs) {
      files[output.blob] = from / "cas" / output.blob.sha256;
    }
    PlaceResult<Kept> kept = to.put({one.address}, one.result, files);
    if (!kept) return fail(std::move(kept).error().error);
    ++(*kept == Kept::new_one ? out.copied : out.there_already);
  }
  return out;
}

}  // namespace pinwheel::host
