#pragma once

#include "base/async.h"
#include "base/notifier.h"
#include "object/metadata.h"
#include "store/journal.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace trainyard::store {

class Writer;

/// The objects of one resource, whatever API version they are asked for in: "pods",
/// "batch.tensorstack.dev/pytorchtrainingjobs".
std::string collection_of(const Resource& resource);

struct Change {
  enum class Type : std::uint8_t { kAdded, kModified, kDeleted };
  Type type = Type::kAdded;
  ObjectPtr object;  // the new state; for kDeleted the last one, at the revision of its end
  ObjectPtr before;  // the state that it replaces, for watchers that select
};

struct Listing {
  std::vector<ObjectPtr> objects;  // ordered by namespace and name
  std::int64_t revision = 0;       // a watch from here misses nothing and repeats nothing
};

/// Versioned objects in memory, durable in a Journal. Reads see only what is durable. Lives on the
/// loop thread; the disk is waited for elsewhere.
class Store {
 public:
  class Cursor;

  /// Reads the journal. Its contents must be intact: a row that cannot be read is an error that
  /// names it.
  static Result<std::unique_ptr<Store>> open(Executor loop, Journal& journal);
  ~Store();

  ObjectPtr get(const std::string& collection, const Key& key) const;
  /// All objects, or those of one namespace when `ns` is not empty.
  Listing list(const std::string& collection, const std::string& ns) const;
  std::int64_t revision() const { return visible_revision_; }

  /// What an edit decides about an object: its new body, or nothing to delete it.
  using Decision = std::optional<Json>;
  /// Gets the current state (null: there is none) and decides. Runs when no other write to that
  /// object is under way, so that what it sees is what it replaces.
  using Edit = std::function<Result<Decision>(const ObjectPtr& current)>;
  struct Write {
    std::string collection;
    Key key;
    Edit edit;
  };

  /// Returns the written state once it is durable and visible. A body equal to the current one is
  /// not written. After a deletion: the last state.
  awaitable<Result<ObjectPtr>> write(Write write);
  /// All of them in one transaction, or none.
  awaitable<Result<std::vector<ObjectPtr>>> write_all(std::vector<Write> writes);

  /// Changes after `revision`. kExpired when they are no longer kept.
  Result<std::unique_ptr<Cursor>> watch(const std::string& collection, std::int64_t revision);

  /// How many changes of a collection are kept for watchers that lag or come back.
  static constexpr std::size_t kHistory = 8192;

 private:
  struct Collection {
    explicit Collection(const Executor& loop, std::int64_t start) : since(start), changed(loop) {}
    std::map<Key, ObjectPtr> objects;
    std::deque<Change> history;
    std::uint64_t dropped = 0;  // how many changes have left the front of the history
    std::int64_t since;         // the history holds every change after this revision
    Notifier changed;
  };
  struct Planned {
    std::string collection;
    Key key;
    Change change;
    bool unchanged = false;
  };
  using Id = std::pair<std::string, Key>;

  Store(Executor loop, Journal& journal);
  Result<> load();
  Collection& collection(const std::string& name);
  Result<Planned> plan(Write& write);
  void publish(const Planned& planned);

  Executor loop_;
  Journal& journal_;
  std::map<std::string, std::unique_ptr<Collection>> collections_;
  std::set<Id> busy_;  // objects with a write under way
  Notifier settled_;   // a write under way has ended
  std::int64_t next_revision_ = 1;
  std::int64_t visible_revision_ = 0;
  std::unique_ptr<Writer> writer_;
};

/// A place in a collection's history. A watcher pulls from it at its own pace: one that is too
/// slow finds that its place is gone (kExpired) and costs nobody anything.
class Store::Cursor {
 public:
  /// The next change, when there is one.
  Result<std::optional<Change>> try_next();
  /// Returns when there may be a next change.
  awaitable<void> wait();

 private:
  friend class Store;
  Cursor(Collection& collection, std::uint64_t position)
      : collection_(collection), position_(position) {}
  Collection& collection_;
  std::uint64_t position_;  // counts all changes since the store was opened
};

}  // namespace trainyard::store
