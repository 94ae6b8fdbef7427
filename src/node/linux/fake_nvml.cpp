// A library that looks like NVIDIA's, with two GPUs, for tests. FAKE_NVML=broken: it does not
// start.
#include <cstdio>
#include <cstdlib>
#include <string>

extern "C" {

struct FakeMemory {
  unsigned long long total, free, used;
};

struct FakeUtilization {
  unsigned gpu, memory;
};

int nvmlInit_v2() {
  const char* mode = std::getenv("FAKE_NVML");
  return mode != nullptr && std::string(mode) == "broken" ? 9 : 0;
}
int nvmlShutdown() {
  return 0;
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 2;
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  static int devices[2] = {0, 1};
  if (index > 1) return 2;
  *device = &devices[index];
  return 0;
}
int nvmlDeviceGetName(void* /*device*/, char* name, unsigned size) {
  std::snprintf(name, size, "Fake H100");
  return 0;
}
int nvmlDeviceGetUUID(void* device, char* uuid, unsigned size) {
  std::snprintf(uuid, size, "GPU-fake-%d", *static_cast<int*>(device));
  return 0;
}
int nvmlDeviceGetMemoryInfo(void* /*device*/, FakeMemory* memory) {
  *memory = {80ULL << 30, 60ULL << 30, 20ULL << 30};
  return 0;
}
int nvmlDeviceGetUtilizationRates(void* device, FakeUtilization* utilization) {
  *utilization = {90U + static_cast<unsigned>(*static_cast<int*>(device)), 40};
  return 0;
}
int nvmlDeviceGetTemperature(void* /*device*/, int sensor, unsigned* degrees) {
  *degrees = 61;
  return sensor == 0 ? 0 : 2;
}
int nvmlDeviceGetPowerUsage(void* /*device*/, unsigned* milliwatts) {
  *milliwatts = 350'500;
  return 0;
}
int nvmlDeviceGetClockInfo(void* /*device*/, int clock, unsigned* megahertz) {
  *megahertz = clock == 1 ? 1500 : 0;
  return 0;
}
}
