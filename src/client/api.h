#pragma once

#include "base/async.h"
#include "base/result.h"
#include "object/values/metadata.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trainyard::client {

struct ListOptions {
  std::string ns;      // empty: all namespaces
  std::string labels;  // a label selector
  std::string fields;  // a field selector
  /// Only apiVersion, kind and metadata are needed, without managedFields. The answer may hold
  /// more.
  bool metadata_only = false;
};

struct Listing {
  std::vector<ObjectPtr> items;
  std::string resource_version;  // watch from here
};

struct WatchEvent {
  enum class Type : std::uint8_t { kAdded, kModified, kDeleted, kBookmark };
  Type type = Type::kAdded;
  ObjectPtr object;
};

class Watch {
 public:
  virtual ~Watch() = default;
  /// The next event. kExpired: the place is gone, list again. kUnavailable: the connection was
  /// lost, watch again from the last version seen.
  virtual awaitable<Result<WatchEvent>> next() = 0;
};

enum class PatchType : std::uint8_t { kMerge, kStrategic, kJson };

struct DeleteOptions {
  std::optional<std::int64_t> grace_seconds;
  std::string uid;               // when set: only this very object
  std::string resource_version;  // when set: only in this very state
  /// What becomes of the objects that belong to it: Background, Foreground or Orphan; empty is
  /// what an earlier request asked for, else Background.
  std::string propagation;
};

/// Which node a pod shall run on.
struct Binding {
  Key pod;
  std::string node;
  std::map<std::string, std::string> annotations{};  // that the pod gets along with it
};

inline constexpr const char* kGpuResource = "nvidia.com/gpu";

/// On a pod that asks for GPUs: which of its node's it has, by number, such as "0,2". The scheduler
/// writes it together with the node, so that no two pods ever have the same one.
inline constexpr const char* kGpusAnnotation = "trainyard.dev/gpus";

/// The Kubernetes API as its user sees it. Controllers know nothing else: in embedded mode it is
/// the store in the same process, on a cluster HTTPS. Whoever has written something through it
/// reads at least that state back.
class Api {
 public:
  virtual ~Api() = default;

  virtual awaitable<Result<ObjectPtr>> get(Resource resource, Key key) = 0;
  virtual awaitable<Result<Listing>> list(Resource resource, ListOptions options) = 0;
  virtual awaitable<Result<std::unique_ptr<Watch>>> watch(Resource resource, ListOptions options,
                                                          std::string from_version) = 0;
  virtual awaitable<Result<ObjectPtr>> create(Resource resource, std::string ns, Json object) = 0;
  /// Conflict when the object has changed since the version that `object` carries.
  virtual awaitable<Result<ObjectPtr>> update(Resource resource, Json object) = 0;
  virtual awaitable<Result<ObjectPtr>> update_status(Resource resource, Json object) = 0;
  virtual awaitable<Result<ObjectPtr>> patch(Resource resource, Key key, PatchType type, Json patch,
                                             std::string subresource) = 0;
  virtual awaitable<Result<>> remove(Resource resource, Key key, DeleteOptions options) = 0;
  /// All pods or none: a gang is never half-placed. Only the embedded scheduler binds.
  virtual awaitable<Result<>> bind(std::vector<Binding> bindings) = 0;
  /// A token of a service account: a TokenRequest in, the same with its status out.
  virtual awaitable<Result<Json>> request_token(Key account, Json request) = 0;
};

}  // namespace trainyard::client
