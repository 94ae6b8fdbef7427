#include "store/store.h"

#include "base/check.h"
#include "store/collection.h"
#include "store/resting.h"
#include "store/turns.h"
#include "store/writer.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::store {
namespace {

/// What is stored can be read again: that is made sure of before anybody is told that it is stored.
Result<ObjectPtr> make_object(Json body, std::int64_t revision) {
  make_path(body, "metadata.resourceVersion") = std::to_string(revision);
  std::string text = to_text(body);
  if (auto readable = check_json(text); !readable) {
    return Error(Code::kInvalid,
                 "the object cannot be written as JSON: " + readable.error().message());
  }
  return StoredObject::from_text(std::move(text), revision);
}

/// Texts first: a tree of what is stored would have to be made. Members may stand in another order.
bool is_as_stored(const Json& decision, const StoredObject& current) {
  const std::string text = to_text(decision);
  if (text.size() != current.text().size()) return false;
  return text == current.text() || same_json(decision, current.whole());
}

}  // namespace

struct Store::Planned {
  Collection* collection = nullptr;
  Key key;
  Change change;
  bool unchanged = false;
};

/// A write from its wait for its turn until it is visible. Shared with the writer's callback: the
/// coroutine may be cancelled while the disk works, and the write must still become visible.
struct Store::Transaction {
  Transaction(const Executor& loop, std::shared_ptr<Turns> turns, std::vector<ObjectId> ids)
      : changed(loop), turn(std::move(turns), std::move(ids), changed) {}

  Notifier changed;  // its turn has come, or its outcome is known
  Turns::Turn turn;
  bool repeats = false;  // some object is written more than once
  std::vector<Planned> plans;
  std::vector<Row> rows;
  std::vector<std::shared_ptr<void>> kept;
  std::optional<Result<>> outcome;
};

std::string collection_of(const Resource& resource) {
  return resource.group.empty() ? resource.plural : resource.group + "/" + resource.plural;
}

Store::Store(Executor loop, Journal& journal)
    : loop_(std::move(loop)),
      journal_(journal),
      resting_(std::make_unique<Resting>(loop_, collections_)),
      turns_(std::make_shared<Turns>()),
      self_(std::make_shared<Store*>(this)) {}

Store::~Store() {
  writer_.reset();
  *self_ = nullptr;
}

Result<std::unique_ptr<Store>> Store::open(Executor loop, Clock& clock, Journal& journal) {
  std::unique_ptr<Store> store(new Store(std::move(loop), journal));
  TRY_OK(store->load());
  store->writer_ = std::make_unique<Writer>(journal, clock, store->loop_);
  return store;
}

Result<> Store::load() {
  TRY(Contents contents, journal_.load());
  loaded_revision_ = contents.revision;
  for (const Row& row : contents.rows) {
    loaded_revision_ = std::max(loaded_revision_, row.state.revision);
  }
  visible_revision_ = loaded_revision_;
  next_revision_ = loaded_revision_ + 1;
  for (Row& row : contents.rows) {
    if (auto readable = check_json(*row.state.text); !readable) {
      return Error(Code::kInternal,
                   fmt::format("the stored object {} {} is damaged ({}): "
                               "restore the data folder from a backup",
                               row.collection, row.key, readable.error().message()));
    }
    collection(row.collection)
        .load(row.key, StoredObject::from_text(std::move(row.state.text), row.state.revision));
  }
  return Ok();
}

const Collection* Store::find(const std::string& name) const {
  const auto found = collections_.find(name);
  return found == collections_.end() ? nullptr : found->second.get();
}

Collection& Store::collection(const std::string& name) {
  auto& slot = collections_[name];
  if (!slot) slot = std::make_unique<Collection>(loop_, loaded_revision_);
  return *slot;
}

ObjectPtr Store::get(const std::string& collection, const Key& key) const {
  const Collection* found = find(collection);
  return found == nullptr ? nullptr : found->get(key);
}

Store::Figures Store::figures() const {
  Figures figures;
  for (const auto& [name, collection] : collections_) figures.objects[name] = collection->size();
  figures.revision = visible_revision_;
  figures.history_bytes = history_bytes_;
  const Writer::Figures& written = writer_->figures();
  figures.commits = written.commits;
  figures.rows = written.rows;
  figures.commit_seconds = written.seconds;
  return figures;
}

std::int64_t Store::changed_at(const std::string& collection) const {
  const Collection* found = find(collection);
  return found == nullptr ? 0 : found->changed_at();
}

Listing Store::list(const std::string& collection, const std::string& ns) const {
  Page all;
  all.ns = ns;
  return *page(collection, all);
}

Result<Listing> Store::list_at(const std::string& collection, const std::string& ns,
                               std::int64_t revision) const {
  Page all;
  all.ns = ns;
  all.revision = revision;
  return page(collection, all);
}

Result<Listing> Store::page(const std::string& collection, const Page& page) const {
  if (page.revision > visible_revision_) {
    return Error(Code::kTimeout, fmt::format("Too large resource version: {}, current: {}",
                                             page.revision, visible_revision_));
  }
  Listing listing;
  if (const Collection* found = find(collection)) {
    TRY(listing, found->list(page));
  }
  listing.revision = page.revision == 0 ? visible_revision_ : page.revision;
  return listing;
}

Result<Store::Planned> Store::plan(Write& write, ObjectPtr current) const {
  TRY(Decision decision, write.edit(current));
  Planned planned;
  planned.key = write.key;
  if (!decision) {
    CHECK(current != nullptr);
    planned.change.type = Change::Type::kDeleted;
    TRY(planned.change.object, make_object(current->whole(), next_revision_));
  } else if (current != nullptr && is_as_stored(*decision, *current)) {
    planned.unchanged = true;
    planned.change.object = current;
  } else {
    planned.change.type = current ? Change::Type::kModified : Change::Type::kAdded;
    TRY(planned.change.object, make_object(*std::move(decision), next_revision_));
  }
  planned.change.before = std::move(current);
  return planned;
}

/// Runs the edits. Nothing has happened when one of them refuses.
Result<std::vector<ObjectPtr>> Store::plan(std::vector<Write>& writes, Transaction& transaction) {
  const std::int64_t first_revision = next_revision_;
  std::vector<ObjectPtr> written;
  written.reserve(writes.size());
  for (Write& write : writes) {
    Collection& target = collection(write.collection);
    ObjectPtr current = target.get(write.key);
    if (transaction.repeats) {
      for (const Planned& earlier : transaction.plans) {
        if (earlier.collection != &target || earlier.key != write.key) continue;
        current = earlier.change.type == Change::Type::kDeleted ? nullptr : earlier.change.object;
      }
    }
    auto planned = plan(write, std::move(current));
    if (!planned) {
      next_revision_ = first_revision;
      return std::move(planned).error();
    }
    planned->collection = &target;
    written.push_back(planned->change.object);
    if (planned->unchanged) continue;
    ++next_revision_;
    const Change& change = planned->change;
    transaction.rows.push_back(Row{write.collection, write.key, RowState(*change.object),
                                   change.before == nullptr ? RowState() : RowState(*change.before),
                                   change.type == Change::Type::kDeleted});
    transaction.plans.push_back(*std::move(planned));
  }
  return written;
}

std::shared_ptr<Store::Transaction> Store::begin(std::vector<Write>& writes) {
  std::vector<ObjectId> ids;
  ids.reserve(writes.size());
  for (const Write& write : writes) ids.push_back({&collection(write.collection), write.key});
  if (ids.size() > 1) {
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  }
  const bool repeats = ids.size() < writes.size();
  auto transaction = std::make_shared<Transaction>(loop_, turns_, std::move(ids));
  transaction->repeats = repeats;
  for (Write& write : writes) {
    if (write.keep != nullptr) transaction->kept.push_back(std::move(write.keep));
  }
  return transaction;
}

void Store::submit(std::shared_ptr<Transaction> transaction) {
  std::vector<Row> rows = std::move(transaction->rows);
  writer_->submit(std::move(rows),
                  [self = self_, transaction = std::move(transaction)](const Result<>& committed) {
                    if (*self != nullptr) (*self)->finish(*transaction, committed);
                  });
}

void Store::finish(Transaction& transaction, const Result<>& committed) {
  if (committed) {
    for (const Planned& planned : transaction.plans) publish(planned);
  }
  transaction.kept.clear();
  transaction.outcome = committed;
  transaction.changed.notify_all();
  transaction.turn.end();
}

void Store::publish(const Planned& planned) {
  Collection& target = *planned.collection;
  history_bytes_ -= target.history_bytes();
  target.publish(planned.key, planned.change);
  history_bytes_ += target.history_bytes();
  visible_revision_ = planned.change.object->revision();
  cut_histories(target);
  resting_->soon();
}

void Store::cut_histories(Collection& grown) {
  const auto cut = [this](Collection& collection) {
    history_bytes_ -= collection.history_bytes();
    collection.drop_oldest_change();
    history_bytes_ += collection.history_bytes();
  };
  if (grown.history_size() > kHistory) cut(grown);
  while (history_bytes_ > kHistoryBytes) {
    // The one that takes the most room loses its oldest change: others keep theirs.
    const auto largest = std::max_element(
        collections_.begin(), collections_.end(), [](const auto& left, const auto& right) {
          return left.second->history_bytes() < right.second->history_bytes();
        });
    cut(*largest->second);
  }
}

awaitable<Result<ObjectPtr>> Store::write(Write write) {
  std::vector<Write> writes;
  writes.push_back(std::move(write));
  CO_TRY(std::vector<ObjectPtr> written, co_await write_all(std::move(writes)));
  co_return written.front();
}

awaitable<Result<std::vector<ObjectPtr>>> Store::write_all(std::vector<Write> writes) {
  const auto transaction = begin(writes);
  while (!transaction->turn.has_come()) co_await transaction->changed.wait();
  auto written = plan(writes, *transaction);
  if (!written || transaction->plans.empty()) {
    transaction->turn.end();
    co_return written;
  }
  submit(transaction);
  while (!transaction->outcome) co_await transaction->changed.wait();
  if (!*transaction->outcome) co_return transaction->outcome->error();
  co_return written;
}

Result<std::unique_ptr<Store::Cursor>> Store::watch(const std::string& name, std::int64_t revision,
                                                    const std::string& ns) {
  Collection& watched = collection(name);
  if (revision > visible_revision_) {
    return Error(Code::kExpired,
                 fmt::format("too old resource version: {} ({})", revision, visible_revision_));
  }
  TRY(const std::uint64_t place, watched.place_after(revision));
  return std::unique_ptr<Cursor>(new Cursor(watched, place, ns));
}

Result<std::optional<Change>> Store::Cursor::try_next() {
  if (place_ < collection_.first_place()) {
    return Error(Code::kExpired, "this watch fell too far behind: list again");
  }
  for (; place_ < collection_.end_place(); ++place_) {
    if (!ns_.empty() && collection_.key_at(place_).ns != ns_) continue;
    return std::optional<Change>(collection_.change_at(place_++));
  }
  return std::optional<Change>();
}

awaitable<void> Store::Cursor::wait() {
  if (place_ >= collection_.end_place()) co_await collection_.changed().wait();
}

void Store::Cursor::wake() {
  collection_.changed().notify_all();
}

}  // namespace trainyard::store
