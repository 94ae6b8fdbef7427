#include "store/store.h"

#include "base/check.h"
#include "store/writer.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::store {
namespace {

ObjectPtr with_revision(Json body, std::int64_t revision) {
  make_path(body, "metadata.resourceVersion") = std::to_string(revision);
  return std::make_shared<const StoredObject>(std::move(body), revision);
}

Row row_of(const std::string& collection, const Key& key, const Change& change) {
  Row row;
  row.collection = collection;
  row.ns = key.ns;
  row.name = key.name;
  row.revision = change.object->revision();
  row.deleted = change.type == Change::Type::kDeleted;
  if (!row.deleted) row.body = to_text(change.object->body());
  return row;
}

}  // namespace

std::string collection_of(const Resource& resource) {
  return resource.group.empty() ? resource.plural : resource.group + "/" + resource.plural;
}

Store::Store(Executor loop, Journal& journal)
    : loop_(std::move(loop)), journal_(journal), settled_(loop_) {}

Store::~Store() = default;

Result<std::unique_ptr<Store>> Store::open(Executor loop, Journal& journal) {
  std::unique_ptr<Store> store(new Store(std::move(loop), journal));
  TRY_OK(store->load());
  store->writer_ = std::make_unique<Writer>(journal, store->loop_);
  return store;
}

Result<> Store::load() {
  TRY(Contents contents, journal_.load());
  visible_revision_ = contents.revision;
  next_revision_ = contents.revision + 1;
  for (Row& row : contents.rows) {
    auto body = parse_json(row.body);
    if (!body) {
      return Error(Code::kInternal,
                   fmt::format("the stored object {} {}/{} is damaged ({}): "
                               "restore the data folder from a backup",
                               row.collection, row.ns, row.name, body.error().message()));
    }
    collection(row.collection).objects[Key{row.ns, row.name}] =
        std::make_shared<const StoredObject>(*std::move(body), row.revision);
  }
  return Ok();
}

Store::Collection& Store::collection(const std::string& name) {
  auto& slot = collections_[name];
  if (!slot) slot = std::make_unique<Collection>(loop_, visible_revision_);
  return *slot;
}

ObjectPtr Store::get(const std::string& collection, const Key& key) const {
  const auto found = collections_.find(collection);
  if (found == collections_.end()) return nullptr;
  const auto object = found->second->objects.find(key);
  return object == found->second->objects.end() ? nullptr : object->second;
}

Listing Store::list(const std::string& collection, const std::string& ns) const {
  Listing listing;
  listing.revision = visible_revision_;
  const auto found = collections_.find(collection);
  if (found == collections_.end()) return listing;
  const auto& objects = found->second->objects;
  auto object = ns.empty() ? objects.begin() : objects.lower_bound(Key{ns, ""});
  for (; object != objects.end() && (ns.empty() || object->first.ns == ns); ++object) {
    listing.objects.push_back(object->second);
  }
  return listing;
}

Result<Store::Planned> Store::plan(Write& write) {
  const ObjectPtr current = get(write.collection, write.key);
  TRY(Decision decision, write.edit(current));
  Planned planned{write.collection, write.key, {}, false};
  planned.change.before = current;
  if (!decision) {
    CHECK(current != nullptr);
    planned.change.type = Change::Type::kDeleted;
    planned.change.object = with_revision(current->body(), next_revision_);
    return planned;
  }
  if (current != nullptr && *decision == current->body()) {
    planned.unchanged = true;
    planned.change.object = current;
    return planned;
  }
  planned.change.type = current ? Change::Type::kModified : Change::Type::kAdded;
  planned.change.object = with_revision(*std::move(decision), next_revision_);
  return planned;
}

void Store::publish(const Planned& planned) {
  Collection& target = collection(planned.collection);
  if (planned.change.type == Change::Type::kDeleted) {
    target.objects.erase(planned.key);
  } else {
    target.objects[planned.key] = planned.change.object;
  }
  visible_revision_ = planned.change.object->revision();
  target.history.push_back(planned.change);
  if (target.history.size() > kHistory) {
    target.since = target.history.front().object->revision();
    target.history.pop_front();
    ++target.dropped;
  }
  target.changed.notify_all();
}

awaitable<Result<ObjectPtr>> Store::write(Write write) {
  std::vector<Write> writes;
  writes.push_back(std::move(write));
  CO_TRY(std::vector<ObjectPtr> written, co_await write_all(std::move(writes)));
  co_return written.front();
}

awaitable<Result<std::vector<ObjectPtr>>> Store::write_all(std::vector<Write> writes) {
  const auto is_busy = [this](const Write& write) {
    return busy_.contains(Id(write.collection, write.key));
  };
  while (std::any_of(writes.begin(), writes.end(), is_busy)) co_await settled_.wait();

  const std::int64_t first_revision = next_revision_;
  std::vector<Planned> plans;
  std::vector<Row> rows;
  std::vector<ObjectPtr> written;
  for (Write& write : writes) {
    auto planned = plan(write);
    if (!planned) {
      next_revision_ = first_revision;  // nothing has left this function yet
      co_return std::move(planned).error();
    }
    written.push_back(planned->change.object);
    if (planned->unchanged) continue;
    ++next_revision_;
    rows.push_back(row_of(planned->collection, planned->key, planned->change));
    plans.push_back(*std::move(planned));
  }
  if (plans.empty()) co_return written;

  for (const Planned& planned : plans) busy_.insert(Id(planned.collection, planned.key));
  // Shared with the callback: this coroutine may be cancelled while the disk works, and the write
  // must still become visible.
  struct Outcome {
    explicit Outcome(const Executor& loop) : arrived(loop) {}
    std::optional<Result<>> result;
    Notifier arrived;
  };
  auto outcome = std::make_shared<Outcome>(loop_);
  writer_->submit(std::move(rows),
                  [this, outcome, plans = std::move(plans)](const Result<>& committed) {
                    for (const Planned& planned : plans) {
                      busy_.erase(Id(planned.collection, planned.key));
                      if (committed) publish(planned);
                    }
                    outcome->result = committed;
                    outcome->arrived.notify_all();
                    settled_.notify_all();
                  });
  while (!outcome->result) co_await outcome->arrived.wait();
  if (!*outcome->result) co_return outcome->result->error();
  co_return written;
}

Result<std::unique_ptr<Store::Cursor>> Store::watch(const std::string& name,
                                                    std::int64_t revision) {
  Collection& watched = collection(name);
  if (revision < watched.since || revision > visible_revision_) {
    return Error(Code::kExpired,
                 fmt::format("too old resource version: {} ({})", revision, watched.since));
  }
  const auto next = std::partition_point(
      watched.history.begin(), watched.history.end(),
      [&](const Change& change) { return change.object->revision() <= revision; });
  const auto offset = static_cast<std::uint64_t>(next - watched.history.begin());
  return std::unique_ptr<Cursor>(new Cursor(watched, watched.dropped + offset));
}

Result<std::optional<Change>> Store::Cursor::try_next() {
  if (position_ < collection_.dropped) {
    return Error(Code::kExpired, "this watch fell too far behind: list again");
  }
  const std::uint64_t offset = position_ - collection_.dropped;
  if (offset >= collection_.history.size()) return std::optional<Change>();
  ++position_;
  return std::optional<Change>(collection_.history[offset]);
}

awaitable<void> Store::Cursor::wait() {
  const std::uint64_t end = collection_.dropped + collection_.history.size();
  if (position_ >= end) co_await collection_.changed.wait();
}

}  // namespace trainyard::store
