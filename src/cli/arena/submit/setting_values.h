#pragma once

#include "cli/arena/submit/settings.h"

/// What single flags of a submission mean. Pure.
namespace trainyard::cli::arena {

/// A flag says something that cannot be.
Error wrong(std::string text);

Result<std::vector<ClaimMount>> read_claims(const std::vector<std::string>& texts);
Result<std::vector<HostMount>> read_host_folders(const std::vector<std::string>& texts);
Result<std::map<std::string, std::string>> read_devices(const std::vector<std::string>& texts);
/// By folder, in the order in which folders come first.
Result<std::vector<ConfigFolder>> read_config_files(const std::vector<std::string>& texts,
                                                    const ReadLocal& read_local);
Result<JsonArray> read_tolerations(const std::vector<std::string>& texts);
/// "w,p" and "Worker,PS" are Worker,PS.
Result<std::string> read_role_sequence(const std::string& text);

/// The folder that a repository's files come to: its last part, without slashes and .git behind it.
std::string repository_name(std::string_view source);

/// KEY=VALUE, parted at the first '='. `flag` is for the error.
Result<std::map<std::string, std::string>> read_pairs(const std::vector<std::string>& texts,
                                                      const std::string& flag);

}  // namespace trainyard::cli::arena
