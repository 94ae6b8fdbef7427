#include "base/unexpected.h"

#include "base/crash_record.h"
#include "base/crypto/ids.h"
#include "base/log.h"

#include <boost/asio/error.hpp>
#include <boost/asio/multiple_exceptions.hpp>
#include <boost/system/system_error.hpp>
#include <cxxabi.h>
#include <fmt/format.h>
#include <unwind.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <typeinfo>
#include <unistd.h>

extern "C" const char __ehdr_start;  // where this program begins in memory: the linker knows

namespace trainyard {
namespace {

constexpr std::size_t kDeepest = 48;

struct Stack {
  std::array<std::uintptr_t, kDeepest> frames{};
  std::size_t count = 0;
};

thread_local Stack last_throw;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic<std::uint64_t> contained{0};

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* to) {
  auto& stack = *static_cast<Stack*>(to);
  if (stack.count == stack.frames.size()) return _URC_END_OF_STACK;
  stack.frames[stack.count++] = _Unwind_GetIP(context);
  return _URC_NO_REASON;
}

/// Without the allocator and without locks: it may be broken what they need.
void write_address(std::uintptr_t address) {
  const auto base = reinterpret_cast<std::uintptr_t>(&__ehdr_start);
  std::array<char, 64> line{};
  const auto end = fmt::format_to_n(line.data(), line.size(), "  trainyard+{:#x}\n",
                                    address > base ? address - base : address);
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), end.size);
}

void write_stack(const Stack& stack) {
  for (std::size_t i = 0; i < stack.count; ++i) write_address(stack.frames[i]);
}

std::string type_of_current() {
  const std::type_info* type = abi::__cxa_current_exception_type();
  if (type == nullptr) return "an exception of unknown type";
  int status = 0;
  char* name = abi::__cxa_demangle(type->name(), nullptr, nullptr, &status);
  std::string text = status == 0 ? name : type->name();
  std::free(name);
  return text;
}

}  // namespace

std::string describe(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return fmt::format("{} ({})", error.what(), type_of_current());
  } catch (...) {
    return type_of_current();
  }
}

bool is_cancellation(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const boost::asio::multiple_exceptions& several) {
    // Out of `a || b` when both fail, as they do when the task is cancelled.
    return is_cancellation(several.first_exception());
  } catch (const boost::system::system_error& error) {
    return error.code() == boost::asio::error::operation_aborted;
  } catch (...) {
    return false;
  }
}

std::string contain(std::string_view where, const std::exception_ptr& failure) {
  contained.fetch_add(1, std::memory_order_relaxed);
  const std::string id = random_hex(4);
  log_error("internal error", {{"id", id}, {"where", where}, {"what", describe(failure)}});
  return id;
}

std::string internal_error_text(const std::string& id) {
  return fmt::format(
      "Trainyard itself failed here, and tries again. The server's log says more beside the id {}: "
      "please report it.",
      id);
}

std::uint64_t contained_failures() {
  return contained.load(std::memory_order_relaxed);
}

void end_process(std::string_view task, const std::exception_ptr& failure) {
  log_error("a task that all need has failed, so the process ends",
            {{"task", task}, {"what", describe(failure)}});
  std::fflush(stderr);
  write_stack(last_throw);
  std::abort();
}

void note_throw() {
  last_throw.count = 0;
  _Unwind_Backtrace(add_frame, &last_throw);
}

void print_stack() {
  Stack stack;
  _Unwind_Backtrace(add_frame, &stack);
  write_stack(stack);
}

}  // namespace trainyard
