#pragma once

#include "object/values/metadata.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

/// What is agreed between the controllers that run web apps (TensorBoards, notebooks) and the proxy
/// that leads people to them.
namespace trainyard::contract {

using trainyard::kTensorBoards;
inline const Resource kNotebooks{"tensorstack.dev", "v1beta1", "notebooks"};

/// Where TensorBoard listens, in its pod's private network.
inline constexpr std::uint16_t kTensorBoardPort = 6006;
/// A notebook shares the machine's network, since it fetches packages and talks to the API: it
/// listens on a socket file in a volume of its pod, which lies where only the server's user gets.
inline constexpr const char* kNotebookSocketVolume = "trainyard-web";
inline constexpr const char* kNotebookSocketFolder = "/run/trainyard-web";
inline constexpr const char* kNotebookSocketFile = "jupyter.sock";

/// On a TensorBoard or notebook: when it was last used, as the proxy has seen it. Written now and
/// then, not at each request.
inline constexpr const char* kLastUsedAnnotation = "trainyard.dev/last-used";

/// After what time without use an app counts as idle, and after what further time it is suspended.
/// Zero: never.
struct IdleLimits {
  std::chrono::seconds idle_after{std::chrono::hours(1)};
  std::chrono::seconds suspend_after{std::chrono::hours(24)};
};

/// Where an app is below the proxy's address: /NAMESPACE/KIND/NAME, where KIND is tensorboard or
/// notebook. The app itself is told to serve there, so that the proxy changes no path.
inline std::string app_path(const Key& key, std::string_view kind) {
  return "/" + key.ns + "/" + std::string(kind) + "/" + key.name;
}

}  // namespace trainyard::contract
