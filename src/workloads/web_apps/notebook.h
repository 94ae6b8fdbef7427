#pragma once

#include "workloads/web_apps/app_kind.h"

namespace trainyard::workloads {

/// JupyterLab in the container `notebook` of a pod of the user's, on a socket file that only the
/// proxy reaches, with an account that may do in its own namespace what its owner does there.
class Notebook final : public AppKind {
 public:
  const Resource& resource() const override { return contract::kNotebooks; }
  const char* name() const override { return "Notebook"; }
  const char* word() const override { return "notebook"; }
  AppForm read(const Json& app) const override;
  std::string how_to_install(const std::optional<contract::ImageMap>& map) const override;
};

}  // namespace trainyard::workloads
