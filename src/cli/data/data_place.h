#pragma once

#include "base/result.h"

#include <string>

namespace trainyard::cli {

/// NAME:PATH, a file or folder in a volume; or, without a colon, a path on this machine.
struct DataPlace {
  std::string volume;           // empty: on this machine
  std::string path;             // below the volume; empty: all of it
  bool must_be_folder = false;  // it was written with a slash at its end

  std::string text() const { return volume.empty() ? path : volume + ":" + path; }
};

/// "data:a/b" is in a volume; "./data:a", "/x:y" and "file" are not. kInvalid when it leads out of
/// its volume as it is written; links that do are found when it is opened.
Result<DataPlace> parse_place(const std::string& text);
/// What must name a volume; NAME alone is all of it.
Result<DataPlace> parse_volume_place(const std::string& text);

}  // namespace trainyard::cli
