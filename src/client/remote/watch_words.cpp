#include "client/remote/watch_words.h"

namespace trainyard::client {

std::string_view word_of(WatchEvent::Type type) {
  switch (type) {
    case WatchEvent::Type::kAdded:
      return "ADDED";
    case WatchEvent::Type::kModified:
      return "MODIFIED";
    case WatchEvent::Type::kDeleted:
      return "DELETED";
    case WatchEvent::Type::kBookmark:
      break;
  }
  return "BOOKMARK";
}

}  // namespace trainyard::client
