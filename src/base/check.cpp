#include "base/check.h"

#include "base/unexpected.h"

#include <cstdio>
#include <cstdlib>

namespace trainyard {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: this must always hold, and does not: %s\n", file, line, condition);
  print_stack();
  std::abort();
}

}  // namespace trainyard
