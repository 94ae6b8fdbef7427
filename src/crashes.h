#pragma once

namespace trainyard {

/// From now on a crash says where it happened, and what was worked on (base/crash_record.h).
void tell_of_crashes();

}  // namespace trainyard
