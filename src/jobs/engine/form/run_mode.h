#pragma once

#include "jobs/engine/form/form.h"

/// What spec.runMode makes of a job: debugging, and pods that go on after a pause.
namespace trainyard::jobs {

bool debugs(const Json& job);
/// Whether it was held at least once: from then on its pods are those of a job that goes on.
bool was_paused(const Json& job);

/// The container of that name, otherwise the first.
Json& main_container(Json& pod, std::string_view name);

/// A pod as the replica's template says, with what resumeSpecs change after a pause.
Json make_template_pod(const Json& job, const ReplicaGroup& group, std::string_view main_name);
/// Where the job is in debug mode: has the main container do `usual`, or what the job says, instead
/// of what it would run. Where `usual` is empty, that stays.
void apply_debug(Json& pod, const Json& job, const ReplicaGroup& group, std::string_view main_name,
                 JsonArray usual = {"sleep", "inf"});

}  // namespace trainyard::jobs
