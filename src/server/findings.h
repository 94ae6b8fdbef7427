#pragma once

#include "object/json/json.h"

#include <string>
#include <string_view>
#include <vector>

namespace trainyard::server {

/// Collects what is wrong with an object, each fault with the path of its field and in the words
/// that Kubernetes uses.
class Findings {
 public:
  void required(std::string path, std::string_view why);
  void invalid(std::string path, const Json& value, std::string_view rule);
  void unsupported(std::string path, const Json& value,
                   const std::vector<std::string_view>& allowed);
  void forbidden(std::string path, std::string_view why);
  void not_found(std::string path, const Json& value, std::string_view why);
  void duplicate(std::string path, const Json& value);
  void too_many(std::string path, std::int64_t count, std::string_view rule);

  /// For checks that add to a plain list.
  std::vector<FieldError>& list() { return errors_; }
  std::vector<FieldError> take() && { return std::move(errors_); }

 private:
  void add(std::string path, std::string message, const char* reason);

  std::vector<FieldError> errors_;
};

/// spec.capability.cpu, and spec.capability[nvidia.com/gpu]: names with dots stand in brackets.
std::string member_path(const std::string& path, std::string_view name);

}  // namespace trainyard::server
