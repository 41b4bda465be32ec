#pragma once
#include <string>
#include <string_view>

#include "host/store/place.h"
#include "ports/http.h"

namespace pinwheel::host {

/// The fault for an unsuccessful answer of S3 to a request at `base`. The code in its body decides
/// before the status, which servers choose differently: a full bucket answers 400, 403 or 507. The
/// message contains the code and, if a user can fix the fault, the fix.
PlaceFault s3_fault(std::string_view method, const std::string& base,
                    const ports::HttpResponse& response);

/// Whether the bucket itself is missing, not only the requested object.
bool lacks_bucket(const ports::HttpResponse& response);

}  // namespace pinwheel::host
