#include "base/files/folder_entries.h"
#include "cli/arena/code/code_tree.h"
#include "cli/arena/submit/setting_values.h"
#include "cli/arena/submit/submission.h"
#include "cli/start/container_text.h"

#include <fmt/format.h>

#include <filesystem>

/// How a job's code comes to its pods.
namespace trainyard::cli::arena {
namespace {

Json make_environment(const Submission& s) {
  Texts values = s.settings.env;
  if (s.settings.sync == SyncMode::kGit) {
    values["GIT_SYNC_REPO"] = s.options().sync_source;
    values["GIT_SYNC_DEST"] = repository_name(s.options().sync_source);
    values["GIT_SYNC_ROOT"] = "/code";
    values["GIT_SYNC_ONE_TIME"] = "true";
  }
  JsonArray list;
  for (const auto& [name, value] : values) {
    list.push_back({{"name", name}, {"value", as_it_is(value)}});
  }
  return list;
}

/// The folder itself may be written as `.`: its name is that of where it is.
std::string folder_name(const std::string& source) {
  std::filesystem::path path = from_root(source).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  return path.filename();
}

/// Null: the image knows what to do.
Json make_command(const Submission& s) {
  switch (s.settings.sync) {
    case SyncMode::kRsync:
      return JsonArray{"rsync", "-avP", as_it_is(s.options().sync_source), "/code"};
    case SyncMode::kUpload:
      return JsonArray{
          "sh", "-c",
          as_it_is(checkout_script(s.code_listing, folder_name(s.options().sync_source)))};
    default:
      return s.embedded ? Json(JsonArray{"trainyard", "git-sync"}) : Json();
  }
}

}  // namespace

bool is_credential(const std::string& variable) {
  return variable == "GIT_SYNC_USERNAME" || variable == "GIT_SYNC_PASSWORD" ||
         variable == "RSYNC_PASSWORD";
}

Json make_code_container(const Submission& s) {
  if (s.settings.sync == SyncMode::kNone) return nullptr;
  const SubmitOptions& o = s.options();
  JsonArray mounts{{{"name", "code-sync"}, {"mountPath", "/code"}}};
  if (s.settings.sync == SyncMode::kUpload) {
    mounts.push_back({{"name", "code-upload"}, {"mountPath", "/upload"}, {"readOnly", true}});
  }
  JsonObject container{{"name", "init-code"},
                       {"image", o.sync_image},
                       {"imagePullPolicy", o.pull_policy},
                       {"env", make_environment(s)},
                       {"volumeMounts", std::move(mounts)}};
  if (Json command = make_command(s); !command.is_null()) container["command"] = std::move(command);
  JsonObject amounts;
  if (!o.cpu.empty()) amounts["cpu"] = o.cpu;
  if (!o.memory.empty()) amounts["memory"] = o.memory;
  if (!amounts.empty()) container["resources"] = {{"requests", amounts}, {"limits", amounts}};
  return container;
}

}  // namespace trainyard::cli::arena
