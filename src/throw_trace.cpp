#include "base/unexpected.h"

#include <boost/system/system_error.hpp>

#include <typeinfo>

// The linker has every `throw` of the program come here first (--wrap): where something was thrown
// is gone when it is caught. Not what a cancelled coroutine ends by: there are many of these.
extern "C" {
[[noreturn]] void __real___cxa_throw(void* thrown, std::type_info* type, void (*destroy)(void*));

[[noreturn]] void __wrap___cxa_throw(void* thrown, std::type_info* type, void (*destroy)(void*)) {
  if (*type != typeid(boost::system::system_error)) trainyard::note_throw();
  __real___cxa_throw(thrown, type, destroy);
}
}
