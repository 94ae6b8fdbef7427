#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace trainyard {

/// SHA-256 of what comes in pieces. sha256_hex() of base/crypto/ids.h is the same for a text.
class Sha256 {
 public:
  Sha256();
  void add(std::string_view bytes);
  /// Of all so far, in lower-case hex. Once.
  std::string hex();

 private:
  struct Free {
    void operator()(void* context) const;
  };
  std::unique_ptr<void, Free> context_;
};

}  // namespace trainyard
