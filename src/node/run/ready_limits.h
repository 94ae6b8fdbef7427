#pragma once

#include <chrono>
#include <cstddef>

/// What holds for all that is made before a pod asks for it (ready_folders.h, ready_runs.h).
namespace trainyard::node {

/// As many as a usual job has pods.
inline constexpr std::size_t kReady = 4;
/// Pods that start now come first, and so does a server that has just begun.
inline constexpr std::chrono::milliseconds kCalm(10);
/// Until it is tried again where it does not work: without namespaces, on a full disk.
inline constexpr std::chrono::seconds kLongPause(60);

}  // namespace trainyard::node
