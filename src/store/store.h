#pragma once

#include "base/async.h"
#include "base/clock.h"
#include "object/values/metadata.h"
#include "store/journal.h"
#include "store/listing.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trainyard::store {

class Collection;
class Resting;
class Turns;
class Writer;

/// The objects of one resource, whatever API version they are asked for in: "pods",
/// "batch.tensorstack.dev/pytorchtrainingjobs".
std::string collection_of(const Resource& resource);

/// Versioned objects in memory, durable in a Journal. Reads see only what is durable. Lives on the
/// loop thread; the disk is waited for elsewhere.
class Store {
 public:
  class Cursor;

  /// Reads the journal. Its contents must be intact: a row that cannot be read is an error that
  /// names it.
  static Result<std::unique_ptr<Store>> open(Executor loop, Clock& clock, Journal& journal);
  ~Store();

  ObjectPtr get(const std::string& collection, const Key& key) const;
  /// All objects, or those of one namespace when `ns` is not empty.
  Listing list(const std::string& collection, const std::string& ns) const;
  /// The same as it was at an earlier revision. kExpired when that is too long ago, kTimeout when
  /// it is yet to come.
  Result<Listing> list_at(const std::string& collection, const std::string& ns,
                          std::int64_t revision) const;
  /// Costs what the page holds and what was written since its revision, however large the
  /// collection is. Errors as from list_at().
  Result<Listing> page(const std::string& collection, const Page& page) const;
  std::int64_t revision() const { return visible_revision_; }
  const Executor& loop() const { return loop_; }
  /// The revision of the collection's last change: whoever keeps something made from it need only
  /// look again when this has moved.
  std::int64_t changed_at(const std::string& collection) const;

  /// What an edit decides about an object: its new body, or nothing to delete it.
  using Decision = std::optional<Json>;
  /// Gets the current state (null: there is none) and decides. Runs when no other write to that
  /// object is under way, so that what it sees is what it replaces. Those that wait for an object
  /// run in the order in which they came.
  using Edit = std::function<Result<Decision>(const ObjectPtr& current)>;
  struct Write {
    std::string collection;
    Key key;
    Edit edit;
    /// Let go, on the loop, when the write is visible or has failed: not before, even when nobody
    /// waits for it any more.
    std::shared_ptr<void> keep = nullptr;
  };

  /// Returns the written state once it is durable and visible. A body equal to the current one is
  /// not written. After a deletion: the last state.
  awaitable<Result<ObjectPtr>> write(Write write);
  /// All of them in one transaction, or none.
  awaitable<Result<std::vector<ObjectPtr>>> write_all(std::vector<Write> writes);

  /// Changes after `revision`, of one namespace or all. kExpired when they are no longer kept.
  Result<std::unique_ptr<Cursor>> watch(const std::string& collection, std::int64_t revision,
                                        const std::string& ns = "");

  /// What it holds, and has written since it was opened.
  struct Figures {
    std::map<std::string, std::size_t> objects;  // by collection
    std::int64_t revision = 0;
    std::size_t history_bytes = 0;
    std::uint64_t commits = 0;
    std::uint64_t rows = 0;
    double commit_seconds = 0;
  };
  Figures figures() const;

  /// How many changes of a collection are kept for watchers that lag or come back, and how many
  /// bytes all collections' may take: beyond it, the largest history is cut.
  static constexpr std::size_t kHistory = 2048;
  static constexpr std::size_t kHistoryBytes = 4UL * 1024 * 1024;

 private:
  struct Planned;
  struct Transaction;

  Store(Executor loop, Journal& journal);
  Result<> load();
  const Collection* find(const std::string& name) const;
  Collection& collection(const std::string& name);
  std::shared_ptr<Transaction> begin(std::vector<Write>& writes);
  Result<std::vector<ObjectPtr>> plan(std::vector<Write>& writes, Transaction& transaction);
  Result<Planned> plan(Write& write, ObjectPtr current) const;
  void submit(std::shared_ptr<Transaction> transaction);
  void finish(Transaction& transaction, const Result<>& committed);
  void publish(const Planned& planned);
  void cut_histories(Collection& grown);

  Executor loop_;
  Journal& journal_;
  std::map<std::string, std::unique_ptr<Collection>> collections_;
  std::unique_ptr<Resting> resting_;
  std::size_t history_bytes_ = 0;  // of all collections
  std::int64_t loaded_revision_ = 0;
  std::int64_t next_revision_ = 1;
  std::int64_t visible_revision_ = 0;
  std::shared_ptr<Turns> turns_;  // shared with writes under way
  std::shared_ptr<Store*> self_;  // what the writer calls back: null once the store is gone
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
  /// Ends wait(), of this cursor and others of the collection, although nothing has changed.
  void wake();

 private:
  friend class Store;
  Cursor(Collection& collection, std::uint64_t place, std::string ns)
      : collection_(collection), place_(place), ns_(std::move(ns)) {}
  Collection& collection_;
  std::uint64_t place_;
  std::string ns_;  // empty: all
};

}  // namespace trainyard::store
