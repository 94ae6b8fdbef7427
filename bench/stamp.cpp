// stamp FILE: writes the time at which it was executed, for pods.cpp.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

int main(int argc, char** argv) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  if (argc != 2) return 2;
  const std::string beside = std::string(argv[1]) + ".new";
  std::FILE* file = std::fopen(beside.c_str(), "w");
  if (file == nullptr) return 1;
  std::fprintf(file, "%lld\n", static_cast<long long>(now.tv_sec) * 1'000'000'000 + now.tv_nsec);
  return std::fclose(file) == 0 && std::rename(beside.c_str(), argv[1]) == 0 ? 0 : 1;
}
