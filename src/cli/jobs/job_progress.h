#pragma once

#include "client/remote/remote_api.h"

#include <map>
#include <string>

namespace trainyard::cli {

/// How far jobs have come, in words, by the uid of the job; from the answer of pods?progress=true.
/// Pure.
std::map<std::string, std::string> read_job_progress(const Json& answer);

/// Of the jobs in a namespace, or in all; with `pods` only of those pods. Nothing where the server
/// is not ours or does not tell.
awaitable<std::map<std::string, std::string>> job_progress(client::RemoteApi& api, std::string ns,
                                                           std::string pods);

}  // namespace trainyard::cli
