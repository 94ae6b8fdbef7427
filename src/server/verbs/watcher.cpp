#include "server/verbs/watcher.h"

#include <fmt/format.h>

#include <charconv>

namespace trainyard::server {

using client::WatchEvent;

Result<std::unique_ptr<Watcher>> Watcher::open(Verbs& verbs, KindPtr kind,
                                               const client::ListOptions& options,
                                               const std::string& from_version) {
  auto watcher = std::make_unique<Watcher>();
  watcher->verbs_ = &verbs;
  watcher->kind_ = kind;
  TRY(watcher->selection_, Selection::parse(*kind, options));
  std::int64_t revision = 0;
  if (from_version.empty() || from_version == "0") {
    TRY(const Page page, verbs.list(*kind, ListRequest{options, 0, "", "", ""}));
    watcher->initial_.assign(page.listing.objects.begin(), page.listing.objects.end());
    revision = page.listing.revision;
  } else {
    const char* end = from_version.data() + from_version.size();
    const auto parsed = std::from_chars(from_version.data(), end, revision);
    if (parsed.ec != std::errc() || parsed.ptr != end) {
      return Error(Code::kBadRequest, fmt::format("resourceVersion: Invalid value: \"{}\": must be "
                                                  "a number that this server gave out",
                                                  from_version));
    }
  }
  watcher->first_revision_ = revision;
  TRY(watcher->cursor_, verbs.store().watch(kind->collection, revision));
  return watcher;
}

std::optional<WatchEvent> Watcher::select(const store::Change& change) const {
  using Type = store::Change::Type;
  const bool was = change.before != nullptr && selection_.matches(*change.before);
  const bool is = change.type != Type::kDeleted && selection_.matches(*change.object);
  if (is)
    return WatchEvent{was ? WatchEvent::Type::kModified : WatchEvent::Type::kAdded, change.object};
  if (!was) return std::nullopt;
  if (change.type == Type::kDeleted) return WatchEvent{WatchEvent::Type::kDeleted, change.object};
  // It goes on, out of this watcher's sight: shown as it was last, at the version of the change.
  Json last = change.before->whole();
  make_path(last, "metadata.resourceVersion") = std::to_string(change.object->revision());
  return WatchEvent{WatchEvent::Type::kDeleted, std::make_shared<const StoredObject>(
                                                    std::move(last), change.object->revision())};
}

Result<std::optional<WatchEvent>> Watcher::try_next() {
  if (!initial_.empty()) {
    WatchEvent event{WatchEvent::Type::kAdded, std::move(initial_.front())};
    initial_.pop_front();
    return std::optional(std::move(event));
  }
  while (true) {
    TRY(const std::optional<store::Change> change, cursor_->try_next());
    if (!change) return std::optional<WatchEvent>();
    if (auto event = select(*change)) {
      event->object = verbs_->present(*kind_, std::move(event->object));
      return event;
    }
  }
}

}  // namespace trainyard::server
