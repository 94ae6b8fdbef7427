#pragma once

namespace trainyard::contract {

/// `shared` on a pod whose containers ask for no CPU and have no limit: on a node that runs
/// processes they take turns with all others of that kind, as programs that somebody starts by hand
/// do. Ranks of MPI spin while they wait, and pass the CPU on (sched_yield) only to those with whom
/// they share a group of the kernel's scheduler.
inline constexpr const char* kCpuAnnotation = "trainyard.dev/cpu";

}  // namespace trainyard::contract
