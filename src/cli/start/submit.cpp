#include "cli/command/commands.h"
#include "cli/command/print.h"
#include "cli/start/creation.h"
#include "cli/start/job_end.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::cli {

Result<int> submit(const Flags& flags, const SubmitOptions& options) {
  TRY(std::vector<FileObject> objects, read_files(options.files));
  TRY(const std::unique_ptr<Session> session, Session::open(flags));
  // Before anything is created: a broken one leaves nothing half done.
  TRY_OK(session->run(check_objects(*session, objects)));
  std::vector<FoundJob> created;
  for (FileObject& object : objects) {
    auto one = session->run(create_object(*session, std::move(object.object)));
    if (!one) return std::move(one).error().within(place_of(object, ""));
    fmt::print(stderr, "{} {} created\n", string_at(one->body(), "kind"), name_of(one->body()));
    created.push_back(*std::move(one));
  }
  if (!options.follow) {
    std::vector<ObjectPtr> shown;
    for (const FoundJob& one : created) shown.push_back(one.object);
    print_objects(flags, shown);
    return 0;
  }
  int code = 0;
  for (const FoundJob& one : created) {
    if (!is_job(one.body())) continue;
    TRY(const int end, follow_to_end(*session, one, OnInterrupt::kLeave));
    code = std::max(code, end == 0 ? 0 : 1);
  }
  return code;
}

}  // namespace trainyard::cli
