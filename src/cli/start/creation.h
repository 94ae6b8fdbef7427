#pragma once

#include "cli/command/jobs_view.h"
#include "cli/start/object_check.h"

#include <string>
#include <vector>

/// Objects from files, and how they get to the server.
namespace trainyard::cli {

/// All objects of a YAML file; - is standard input. Errors name the file and the line.
Result<std::vector<Json>> read_objects(const std::string& file);
/// The same of several files, with where things stand; the error tells of all that cannot be read.
Result<std::vector<FileObject>> read_files(const std::vector<std::string>& files);
std::string shown_name(const std::string& file);

/// Whether all could be created: an error tells of everything that is wrong with any of them.
/// Creates nothing.
awaitable<Result<>> check_objects(Session& session, std::vector<FileObject> objects);

/// Creates an object of whatever kind, in its own namespace or else the session's.
awaitable<Result<FoundJob>> create_object(Session& session, Json object);

/// Whether it is an object that job commands are for.
bool is_job(const Json& object);

}  // namespace trainyard::cli
