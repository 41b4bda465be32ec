#include "host/index/upload_target.h"

namespace pinwheel::host {
namespace {

struct Open {
  Result<ports::BasicCredentials> operator()(const ports::BasicCredentials& known) const {
    return known;
  }
  Result<ports::BasicCredentials> operator()(const MintCredentials& mint) const { return mint(); }
};

}  // namespace

Result<OpenIndex> open_index(const UploadTarget& target) {
  OpenIndex index{target.name, target.endpoint};
  if (!target.credentials) return index;
  TRY(index.credentials, std::visit(Open{}, *target.credentials));
  return index;
}

}  // namespace pinwheel::host
