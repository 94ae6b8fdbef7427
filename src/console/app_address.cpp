#include "console/app_address.h"

namespace trainyard::console {
namespace {

std::string_view path_of(std::string_view target) {
  return target.substr(0, target.find_first_of("?#"));
}

/// Cuts the next step off a path: "/a/b" gives "a" and leaves "/b".
std::string_view cut_step(std::string_view& path) {
  if (!path.starts_with('/')) return {};
  path.remove_prefix(1);
  const std::string_view step = path.substr(0, path.find('/'));
  path.remove_prefix(step.size());
  return step;
}

}  // namespace

const Resource& AppAddress::resource() const {
  return kind == Kind::kNotebook ? contract::kNotebooks : contract::kTensorBoards;
}

const char* AppAddress::word() const {
  return kind == Kind::kNotebook ? "notebook" : "tensorboard";
}

std::string AppAddress::path() const {
  return contract::app_path(key, word());
}

std::optional<AppAddress> parse_app_target(std::string_view target) {
  std::string_view path = path_of(target);
  AppAddress app;
  app.key.ns = cut_step(path);
  const std::string_view kind = cut_step(path);
  app.key.name = cut_step(path);
  if (kind != "tensorboard" && kind != "notebook") return std::nullopt;
  app.kind = kind == "notebook" ? AppAddress::Kind::kNotebook : AppAddress::Kind::kTensorBoard;
  if (!check_label_name(app.key.ns).empty() || !check_subdomain_name(app.key.name).empty()) {
    return std::nullopt;
  }
  return app;
}

bool lacks_slash(std::string_view target, const AppAddress& app) {
  return path_of(target) == app.path();
}

}  // namespace trainyard::console
