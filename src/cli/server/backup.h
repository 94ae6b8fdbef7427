#pragma once

#include "cli/command/context.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

/// `trainyard backup` and `trainyard restore`.
namespace trainyard::cli {

/// What only the store can do with its files.
struct StoreTools {
  std::function<Result<>(const std::filesystem::path& file, const std::filesystem::path& to)> copy;
  /// Reads all of it, and replaces the objects of which `edit` makes others.
  std::function<Result<>(const std::filesystem::path& file,
                         const std::function<std::optional<Json>(const Json&)>& edit)>
      edit;
};

struct BackupOptions {
  std::string file;
  bool logs = false;
  bool volumes = false;
  bool dry_run = false;
};

Result<int> backup(const Flags& flags, const StoreTools& store, const BackupOptions& options);
Result<int> restore(const Flags& flags, const StoreTools& store, const std::string& file);

}  // namespace trainyard::cli
