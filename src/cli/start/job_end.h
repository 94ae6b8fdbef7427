#pragma once

#include "cli/command/jobs_view.h"

namespace trainyard::cli {

/// What Ctrl-C means while a job is followed: leave it alone, or end it.
enum class OnInterrupt : std::uint8_t { kLeave, kStop };

/// Prints the job's logs until it has finished, then how it ended. With kStop the job is a program
/// that somebody typed in: all its replicas are waited for. The exit code: 0 when it succeeded, 130
/// after Ctrl-C, otherwise that of the program that failed.
Result<int> follow_to_end(Session& session, const FoundJob& job, OnInterrupt on_interrupt);

}  // namespace trainyard::cli
