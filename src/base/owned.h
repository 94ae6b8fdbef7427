#pragma once

#include <memory>

namespace trainyard {

/// What a C library makes and its own function frees: Owned<X509, X509_free>.
template <auto kFree>
struct Release {
  template <class T>
  void operator()(T* object) const {
    kFree(object);
  }
};
template <class T, auto kFree>
using Owned = std::unique_ptr<T, Release<kFree>>;

}  // namespace trainyard
