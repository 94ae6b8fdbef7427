/// The compiler's own libraries are linked in. They were built for the glibc of this machine and
/// ask it for two functions that 2.34 (Ubuntu 22.04, RHEL 9) does not have: here they are, made of
/// what it has. Hidden, so that libraries that are loaded later keep those of their system.

#include <dlfcn.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sys/random.h>

#ifdef DLFO_STRUCT_HAS_EH_DBASE  // glibc 2.35 or newer

namespace {

struct Search {
  char* address;
  dl_find_object* found;
};

/// Called for each object of the process, until one has the address.
int look_into(dl_phdr_info* object, std::size_t /*size*/, void* context) {
  const auto& search = *static_cast<Search*>(context);
  const auto address = reinterpret_cast<ElfW(Addr)>(search.address);
  const ElfW(Phdr)* tables = nullptr;
  const ElfW(Phdr)* code = nullptr;
  for (const ElfW(Phdr)* part = object->dlpi_phdr; part != object->dlpi_phdr + object->dlpi_phnum;
       ++part) {
    const ElfW(Addr) begin = object->dlpi_addr + part->p_vaddr;
    const bool inside = address >= begin && address - begin < part->p_memsz;
    if (part->p_type == PT_GNU_EH_FRAME) tables = part;
    if (part->p_type == PT_LOAD && inside) code = part;
  }
  if (code == nullptr || tables == nullptr) return 0;
  const auto place = [&](ElfW(Addr) offset) {
    return search.address + static_cast<std::ptrdiff_t>(object->dlpi_addr + offset - address);
  };
  search.found->dlfo_map_start = place(code->p_vaddr);
  search.found->dlfo_map_end = place(code->p_vaddr + code->p_memsz);
  search.found->dlfo_eh_frame = place(tables->p_vaddr);
  return 1;
}

}  // namespace

/// Where the tables are that say how to unwind the code at `address`; 0 when there are some.
extern "C" __attribute__((visibility("hidden"))) int _dl_find_object(
    void* address, dl_find_object* found) noexcept {
  *found = {};
  Search search{static_cast<char*>(address), found};
  return dl_iterate_phdr(look_into, &search) == 1 ? 0 : -1;
}

#endif

/// What std::random_device is made of.
extern "C" __attribute__((visibility("hidden"))) std::uint32_t arc4random() noexcept {
  std::uint32_t number = 0;
  if (getentropy(&number, sizeof(number)) != 0) std::abort();
  return number;
}
