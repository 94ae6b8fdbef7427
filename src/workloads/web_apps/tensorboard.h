#pragma once

#include "workloads/web_apps/app_kind.h"

namespace trainyard::workloads {

/// The real tensorboard over folders of volumes, in a network where only the proxy reaches it.
class TensorBoard final : public AppKind {
 public:
  const Resource& resource() const override { return contract::kTensorBoards; }
  const char* name() const override { return "TensorBoard"; }
  const char* word() const override { return "tensorboard"; }
  AppForm read(const Json& app) const override;
  std::string how_to_install(const std::optional<contract::ImageMap>& map) const override;
};

}  // namespace trainyard::workloads
