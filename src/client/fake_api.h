#pragma once

#include "base/clock.h"
#include "base/notifier.h"
#include "client/api.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace trainyard::client {

/// For tests of controllers: the API in memory, for any kind, without checks of what is written.
/// Versions, generations, finalizers, deletion, the end of namespaces and watches are as the server
/// has them. Faults are up to the test.
class FakeApi final : public Api {
 public:
  FakeApi(Executor loop, Clock& clock);

  awaitable<Result<ObjectPtr>> get(Resource resource, Key key) override;
  awaitable<Result<Listing>> list(Resource resource, ListOptions options) override;
  awaitable<Result<std::unique_ptr<Watch>>> watch(Resource resource, ListOptions options,
                                                  std::string from_version) override;
  awaitable<Result<ObjectPtr>> create(Resource resource, std::string ns, Json object) override;
  awaitable<Result<ObjectPtr>> update(Resource resource, Json object) override;
  awaitable<Result<ObjectPtr>> update_status(Resource resource, Json object) override;
  awaitable<Result<ObjectPtr>> patch(Resource resource, Key key, PatchType type, Json patch,
                                     std::string subresource) override;
  awaitable<Result<>> remove(Resource resource, Key key, DeleteOptions options) override;
  awaitable<Result<>> bind(std::vector<Binding> bindings) override;
  awaitable<Result<Json>> request_token(Key account, Json request) override;

  struct Call {
    std::string verb;  // get, list, watch, create, update, patch, remove
    Resource resource;
    Key key;
    std::string subresource;
  };
  /// Runs before each call; the error that it returns is the call's answer.
  std::function<Result<>(const Call&)> before_call;
  /// Runs after each successful write; its error is the answer of a call that *has* happened.
  std::function<Result<>(const Call&)> after_write;

  // What a test does itself, without faults.
  /// Creates or replaces, with its status.
  ObjectPtr put(const Resource& resource, Json object);
  /// nullptr when there is none.
  ObjectPtr find(const Resource& resource, const Key& key) const;
  std::vector<ObjectPtr> all(const Resource& resource) const;
  /// A merge patch, as the user's request would do it.
  Result<> user_patches(const Resource& resource, const Key& key, const Json& patch);
  /// As the user's request would.
  Result<> user_removes(const Resource& resource, const Key& key, DeleteOptions options = {});
  /// It is gone, whatever its finalizers say: a pod whose processes have ended.
  void erase(const Resource& resource, const Key& key);
  /// Kinds that are not served answer kNotFound.
  void stop_serving(const Resource& resource) { unserved_.insert(resource); }
  void serve(const Resource& resource) { unserved_.erase(resource); }
  /// Every watch ends as if its connection were lost.
  void break_watches();
  /// Versions so far are too old to watch from.
  void forget_history();
  void send_bookmarks();
  std::size_t calls(const std::string& verb) const;
  /// How often anything was written, by anybody.
  std::size_t writes() const { return history_.size(); }

 private:
  friend class FakeWatch;
  struct Change {
    std::int64_t revision = 0;
    Resource resource;
    WatchEvent::Type type = WatchEvent::Type::kAdded;
    ObjectPtr object;
    ObjectPtr before;
  };

  Result<> begin(const Call& call);
  Result<ObjectPtr> finish(const Call& call, Result<ObjectPtr> written) const;
  Result<ObjectPtr> current(const Resource& resource, const Key& key) const;
  ObjectPtr write(const Resource& resource, Json object);
  void drop(const Resource& resource, const Key& key);
  Result<ObjectPtr> make(const Resource& resource, const std::string& ns, Json object);
  Result<ObjectPtr> replace(const Resource& resource, const ObjectPtr& before, Json object,
                            const std::string& part);
  Result<> mark_or_drop(const Resource& resource, const ObjectPtr& object,
                        const DeleteOptions& options);

  Clock& clock_;
  std::map<Resource, std::map<Key, ObjectPtr>> objects_;
  std::vector<Change> history_;
  std::set<Resource> unserved_;
  std::map<std::string, std::size_t> calls_;
  std::int64_t revision_ = 0;
  std::int64_t oldest_ = 0;  // versions before it are forgotten
  int broken_ = 0;           // how often connections were cut
  std::int64_t named_ = 0;   // for generateName and uids
  Notifier changed_;
};

}  // namespace trainyard::client
