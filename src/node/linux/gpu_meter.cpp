#include "node/linux/gpu_meter.h"

#include "node/linux/nvml_types.h"

#include <dlfcn.h>

#include <limits>

namespace trainyard::node {
namespace {

using nvml::Device;
using nvml::kSuccess;
using nvml::Memory;
struct Utilization {
  unsigned gpu;
  unsigned memory;
};
constexpr int kGpuSensor = 0;
constexpr int kSmClock = 1;
constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

template <class Function>
void look_up(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(::dlsym(library, name));
}

}  // namespace

struct GpuMeter::Driver {
  explicit Driver(void* opened) : library(opened) {
    look_up(library, "nvmlInit_v2", init);
    look_up(library, "nvmlShutdown", shutdown);
    look_up(library, "nvmlDeviceGetHandleByIndex_v2", handle);
    look_up(library, "nvmlDeviceGetUtilizationRates", utilization);
    look_up(library, "nvmlDeviceGetTemperature", temperature);
    look_up(library, "nvmlDeviceGetPowerUsage", power);
    look_up(library, "nvmlDeviceGetClockInfo", clock);
    look_up(library, "nvmlDeviceGetMemoryInfo", memory);
  }
  /// The library is C: its types have the same form as ours, and other names.
  [[clang::no_sanitize("function")]]
  ~Driver() {
    if (works) shutdown();
    ::dlclose(library);
  }
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  [[clang::no_sanitize("function")]]
  void start() {
    works = init != nullptr && shutdown != nullptr && handle != nullptr && init() == kSuccess;
  }
  GpuUsage read(int number) const;

  void* library;
  bool works = false;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*handle)(unsigned, Device*) = nullptr;
  int (*utilization)(Device, Utilization*) = nullptr;
  int (*temperature)(Device, int, unsigned*) = nullptr;
  int (*power)(Device, unsigned*) = nullptr;  // in thousandths of a watt
  int (*clock)(Device, int, unsigned*) = nullptr;
  int (*memory)(Device, Memory*) = nullptr;
};

[[clang::no_sanitize("function")]]
GpuUsage GpuMeter::Driver::read(int number) const {
  GpuUsage usage{kUnknown, kUnknown, kUnknown, kUnknown, kUnknown, kUnknown};
  Device device = nullptr;
  if (!works || handle(static_cast<unsigned>(number), &device) != kSuccess) return usage;
  Utilization busy{};
  unsigned amount = 0;
  Memory held{};
  if (utilization != nullptr && utilization(device, &busy) == kSuccess) {
    usage.utilization = static_cast<float>(busy.gpu);
  }
  if (temperature != nullptr && temperature(device, kGpuSensor, &amount) == kSuccess) {
    usage.temperature = static_cast<float>(amount);
  }
  if (power != nullptr && power(device, &amount) == kSuccess) {
    usage.power = static_cast<float>(amount) / 1000;
  }
  if (clock != nullptr && clock(device, kSmClock, &amount) == kSuccess) {
    usage.sm_clock = static_cast<float>(amount);
  }
  if (memory != nullptr && memory(device, &held) == kSuccess && held.total > 0) {
    usage.memory_used = static_cast<float>(held.used);
    usage.memory_share = 100 * usage.memory_used / static_cast<float>(held.total);
  }
  return usage;
}

GpuMeter::GpuMeter(std::string library) : library_(std::move(library)) {}
GpuMeter::~GpuMeter() = default;

std::vector<GpuUsage> GpuMeter::read(const std::vector<int>& numbers) {
  if (!tried_) {
    tried_ = true;
    if (void* opened = ::dlopen(library_.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      driver_ = std::make_unique<Driver>(opened);
      driver_->start();
    }
  }
  std::vector<GpuUsage> usages;
  for (const int number : numbers) {
    usages.push_back(driver_
                         ? driver_->read(number)
                         : GpuUsage{kUnknown, kUnknown, kUnknown, kUnknown, kUnknown, kUnknown});
  }
  return usages;
}

}  // namespace trainyard::node
