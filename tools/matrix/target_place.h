#pragma once
#include "matrix/target_kind.h"

namespace pinwheel::matrix {

/// Where published files lie: on a server, which takes uploads, or in a directory of the checkout.
enum class TargetPlace { server, directory };

constexpr TargetPlace place_of(TargetKind kind) {
  switch (kind) {
    case TargetKind::pypi:
    case TargetKind::testpypi:
    case TargetKind::index:
      break;
    case TargetKind::directory:
      return TargetPlace::directory;
  }
  return TargetPlace::server;
}

}  // namespace pinwheel::matrix
