#include "node/linux/nvml.h"

#include "node/linux/nvml_types.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <memory>

namespace trainyard::node {
namespace {

using nvml::Device;
using nvml::kSuccess;
using nvml::Memory;

struct Closer {
  void operator()(void* library) const { ::dlclose(library); }
};
using Library = std::unique_ptr<void, Closer>;

template <class Function>
bool look_up(const Library& library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(::dlsym(library.get(), name));
  return function != nullptr;
}

struct Calls {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*count)(unsigned*) = nullptr;
  int (*handle)(unsigned, Device*) = nullptr;
  int (*name)(Device, char*, unsigned) = nullptr;
  int (*uuid)(Device, char*, unsigned) = nullptr;
  int (*memory)(Device, Memory*) = nullptr;
};

bool look_up_all(const Library& library, Calls& calls) {
  return look_up(library, "nvmlInit_v2", calls.init) &&
         look_up(library, "nvmlShutdown", calls.shutdown) &&
         look_up(library, "nvmlDeviceGetCount_v2", calls.count) &&
         look_up(library, "nvmlDeviceGetHandleByIndex_v2", calls.handle) &&
         look_up(library, "nvmlDeviceGetName", calls.name) &&
         look_up(library, "nvmlDeviceGetUUID", calls.uuid) &&
         look_up(library, "nvmlDeviceGetMemoryInfo", calls.memory);
}

Error broken(const std::string& library, std::string_view what) {
  return {Code::kUnavailable,
          fmt::format("GPUs cannot be found: {} {}; does nvidia-smi work?", library, what)};
}

/// The library is C: its types have the same form as ours, and other names.
[[clang::no_sanitize("function")]]
Result<Gpu> describe(const Calls& calls, const std::string& library, unsigned number) {
  Device device = nullptr;
  std::array<char, 96> name{};
  std::array<char, 96> uuid{};
  Memory memory{};
  if (calls.handle(number, &device) != kSuccess ||
      calls.name(device, name.data(), name.size()) != kSuccess ||
      calls.uuid(device, uuid.data(), uuid.size()) != kSuccess ||
      calls.memory(device, &memory) != kSuccess) {
    return broken(library, fmt::format("says nothing of GPU {}", number));
  }
  return Gpu{name.data(), uuid.data(), static_cast<std::int64_t>(memory.total)};
}

Result<std::vector<Gpu>> describe_all(const Calls& calls, const std::string& library) {
  unsigned count = 0;
  if (calls.count(&count) != kSuccess) return broken(library, "does not say how many there are");
  std::vector<Gpu> gpus;
  for (unsigned number = 0; number < count; ++number) {
    TRY(Gpu gpu, describe(calls, library, number));
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

}  // namespace

Result<std::vector<Gpu>> find_gpus(const std::string& library) {
  const Library loaded(::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!loaded) return std::vector<Gpu>();
  Calls calls;
  if (!look_up_all(loaded, calls)) return broken(library, "is too old");
  if (const int failed = calls.init(); failed != kSuccess) {
    return broken(library, fmt::format("does not start (error {})", failed));
  }
  auto gpus = describe_all(calls, library);
  calls.shutdown();
  return gpus;
}

}  // namespace trainyard::node
