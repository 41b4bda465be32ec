#pragma once
#include <string>
#include <string_view>

#include "host/store/place.h"
#include "ports/http.h"

namespace pinwheel::host {

/// The fault that an answer of S3 to a request at `base` is, which is not one of success. The code
/// in its body decides before the status, which servers choose differently: a full bucket answers
/// 400, 403 or 507. It is part of the message, and says how to fix what a user can fix.
PlaceFault s3_fault(std::string_view method, const std::string& base,
                    const ports::HttpResponse& response);

/// Whether the bucket itself is missing, not only the object that was asked for.
bool lacks_bucket(const ports::HttpResponse& response);

}  // namespace pinwheel::host
