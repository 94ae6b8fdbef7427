#include "cli/data/data_place.h"

#include "base/files/shared_folder.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::cli {
namespace {

Result<DataPlace> in_volume(const std::string& volume, const std::string& path) {
  DataPlace place;
  place.volume = volume;
  place.must_be_folder = path.ends_with('/');
  TRY(place.path, clean_path(path));
  if (volume.empty()) {
    return Error(Code::kInvalid, fmt::format(":{} names no volume: write NAME:PATH", path));
  }
  return place;
}

}  // namespace

Result<DataPlace> parse_place(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || colon == 0 || text.find('/') < colon) {
    return DataPlace{"", text, text.ends_with('/')};
  }
  return in_volume(text.substr(0, colon), text.substr(colon + 1));
}

Result<DataPlace> parse_volume_place(const std::string& text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  return in_volume(text.substr(0, colon), text.substr(std::min(colon + 1, text.size())));
}

}  // namespace trainyard::cli
