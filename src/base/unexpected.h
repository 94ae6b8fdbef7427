#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

/// What nobody expected: an exception that is no Result, or a broken invariant. It is contained
/// where the state is. Who holds state of its own (a request, a reconcile of one object, a pod's
/// worker) catches it, tells it by contain(), and tries again or answers "internal error". Who
/// holds what all share (the store, its writer, an informer, the loop) ends the process by
/// end_process(): pods live on, and who started the server starts it anew.
namespace trainyard {

/// Its words and its type.
std::string describe(const std::exception_ptr& failure);
/// Whether it is only the way in which a cancelled coroutine ends.
bool is_cancellation(const std::exception_ptr& failure);

/// Logs it with an id, counts it, and returns the id: for people to find the line by.
std::string contain(std::string_view where, const std::exception_ptr& failure);
/// What the owner of the object that it happened with is told.
std::string internal_error_text(const std::string& id);
/// How many were contained since the start.
std::uint64_t contained_failures();

/// Says which task failed, by what, where it was thrown, and ends the process.
[[noreturn]] void end_process(std::string_view task, const std::exception_ptr& failure);

/// Remembers where this thread threw last, for end_process(). Told by src/crashes.cpp.
void note_throw();

/// Writes where this thread is to standard error, one address a line; safe in a signal's handler.
void print_stack();

}  // namespace trainyard
