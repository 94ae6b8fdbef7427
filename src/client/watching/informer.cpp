#include "client/watching/informer.h"

#include "base/crash_record.h"
#include "base/log.h"
#include "base/unexpected.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace trainyard::client {

using namespace std::chrono_literals;

namespace {

constexpr std::chrono::milliseconds kFirstPause = 100ms;
constexpr std::chrono::milliseconds kLongestPause = 10s;
constexpr std::chrono::milliseconds kGoodSpell = 5s;  // a watch that lived so long was no failure

std::string_view version_of(const ObjectPtr& object) {
  return string_at(object->body(), "metadata.resourceVersion");
}

std::int64_t revision_in(const std::string& version) {
  std::int64_t revision = 0;
  std::from_chars(version.data(), version.data() + version.size(), revision);
  return revision;
}

}  // namespace

Informer::Informer(Executor loop, Api& api, Clock& clock, Resource resource, ListOptions options)
    : api_(api),
      clock_(clock),
      resource_(std::move(resource)),
      options_(std::move(options)),
      synced_changed_(loop),
      dice_(std::random_device()()) {}

awaitable<void> Informer::wait_synced() {
  while (!synced_) co_await synced_changed_.wait();
}

void Informer::tell(const ObjectPtr& object, bool deleted) {
  const Json& body = object->body();
  const std::string work = fmt::format("hear of {} {} {} {}", resource_.plural, key_of(body),
                                       uid_of(body), string_at(body, "metadata.resourceVersion"));
  if (crash_record::is_set_aside(work)) {
    log_error("an object at which the server crashed twice is left out", {{"object", work}});
    return;
  }
  const WorkingOn here(work);
  try {
    for (const Listener& listener : listeners_) listener(object, deleted);
  } catch (...) {
    // What the listeners know of the world may be half of it now.
    end_process("informer of " + resource_.plural, std::current_exception());
  }
}

bool Informer::is_newer_known(const ObjectPtr& object) const {
  const auto known = objects_.all().find(key_of(object->body()));
  return known != objects_.all().end() && known->second->revision() > object->revision();
}

void Informer::note(const ObjectPtr& written) {
  // What the watch has brought may have gone since: it knows better.
  if (!synced_ || !keeps_copy_ || written->revision() <= seen_ || is_newer_known(written)) return;
  objects_.put(written);
}

awaitable<Result<>> Informer::list_once() {
  CO_TRY(Listing listing, co_await api_.list(resource_, options_));
  const std::map<Key, Kept> before = objects_.all();
  seen_ = revision_in(listing.resource_version);
  std::map<Key, std::string> listed;
  for (const ObjectPtr& object : listing.items) {
    listed.emplace(key_of(object->body()), uid_of(object->body()));
  }
  for (const auto& [key, object] : before) {
    // Gone, or another object of the same name: the old one was deleted in between.
    const auto now = listed.find(key);
    if (now != listed.end() && now->second == uid_of(object->body())) continue;
    if (object->revision() > seen_) continue;  // noted while the list was under way
    objects_.erase(key);
    tell(object, true);
  }
  for (const ObjectPtr& object : listing.items) {
    if (keeps_copy_ && !is_newer_known(object)) objects_.put(object);
  }
  for (const ObjectPtr& object : listing.items) {
    const auto old = before.find(key_of(object->body()));
    if (old == before.end() || version_of(old->second) != version_of(object)) tell(object, false);
  }
  version_ = listing.resource_version;
  if (synced_) {
    for (const auto& listener : gap_listeners_) listener();
  }
  synced_ = true;
  synced_changed_.notify_all();
  co_return Ok();
}

awaitable<Result<>> Informer::watch_on() {
  CO_TRY(const std::unique_ptr<Watch> watch, co_await api_.watch(resource_, options_, version_));
  while (true) {
    CO_TRY(const WatchEvent event, co_await watch->next());
    version_ = version_of(event.object);
    seen_ = std::max(seen_, event.object->revision());
    ++events_;
    if (event.type == WatchEvent::Type::kBookmark) continue;
    const bool deleted = event.type == WatchEvent::Type::kDeleted;
    if (keeps_copy_ && !is_newer_known(event.object)) {
      if (deleted) {
        objects_.erase(key_of(event.object->body()));
      } else {
        objects_.put(event.object);
      }
    }
    tell(event.object, deleted);
  }
}

awaitable<Result<>> Informer::follow() {
  if (version_.empty()) CO_TRY_OK(co_await list_once());
  co_return co_await watch_on();
}

std::chrono::milliseconds Informer::with_jitter(std::chrono::milliseconds pause) {
  return pause + std::chrono::milliseconds(
                     std::uniform_int_distribution<std::int64_t>(0, pause.count())(dice_));
}

awaitable<void> Informer::run() {
  std::chrono::milliseconds pause = kFirstPause;
  while (true) {
    const std::uint64_t before = events_;
    const TimePoint begin = clock_.now();
    const Result<> ended = co_await follow();
    const bool was_good = events_ != before || clock_.now() - begin >= kGoodSpell;
    if (was_good) pause = kFirstPause;
    if (ended.failed_with(Code::kExpired)) version_.clear();
    if (ended.failed_with(Code::kExpired) && was_good) continue;
    // Servers end every watch after some time; only one that never began deserves a word.
    log_line(was_good ? LogLevel::kDebug : LogLevel::kWarn, "watch interrupted, trying again",
             {{"resource", resource_.plural}, {"cause", ended.error().message()}});
    co_await clock_.sleep_for(with_jitter(pause));
    pause = std::min(pause * 2, kLongestPause);
  }
}

}  // namespace trainyard::client
