#pragma once
#include <vector>

#include "wheel/record.h"
#include "wheel/zip_reader.h"

namespace pinwheel::wheel {

/// The members with their digests by sha384 or sha512 if RECORD has such digests; these members are
/// read again, in pieces. Fails for a member that cannot be read, with kind `check`.
Result<std::vector<MemberDigest>> with_long_digests(std::vector<MemberDigest> members,
                                                    const std::vector<RecordRow>& rows,
                                                    const ZipReader& zip);

}  // namespace pinwheel::wheel
