#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace trainyard {

/// What went wrong, in the few classes that a caller can react to. Each maps to one reason of a
/// Kubernetes Status (server/status.h); new situations add detail to the message, not a code here.
enum class Code : std::uint8_t {
  kInvalid,        // the object breaks a rule of its kind; causes say where
  kBadRequest,     // the request itself makes no sense
  kUnauthorized,   // nobody known is asking
  kForbidden,      // somebody known is asking for what is not theirs
  kNotFound,       //
  kAlreadyExists,  //
  kConflict,       // somebody else changed the object in between: read again, retry
  kExpired,        // the asked revision is no longer kept: list again
  kTooLarge,       //
  kUnsupported,    // media type, method or verb that is not served
  kTimeout,        //
  kCancelled,      // the caller went away; never logged as an error, never retried
  kUnavailable,    // disk full, connection lost: may work later
  kInternal,       // a bug or a broken machine
};

/// One field's problem inside an invalid object.
struct FieldError {
  std::string field;    // spec.replicaSpecs[0].replicas
  std::string message;  // Invalid value: -1: must be at least 0
  std::string reason;   // FieldValueInvalid, FieldValueRequired, …
};

class Error {
 public:
  Error(Code code, std::string message) : code_(code), message_(std::move(message)) {}
  Error(Code code, std::string message, std::vector<FieldError> causes)
      : code_(code), message_(std::move(message)), causes_(std::move(causes)) {}

  Code code() const { return code_; }
  const std::string& message() const { return message_; }
  const std::vector<FieldError>& causes() const { return causes_; }

  /// The same error, told from one step further out: "reading config.yaml: " + message.
  Error within(const std::string& context) && {
    message_ = context + ": " + message_;
    return std::move(*this);
  }

 private:
  Code code_;
  std::string message_;
  std::vector<FieldError> causes_;
};

struct Ok {};

/// A value or an Error. Member names follow std::expected, which may replace it one day.
/// Default-constructible because Asio's co_spawn demands it.
template <class T = Ok>
class [[nodiscard]] Result {
 public:
  Result() : state_(Error(Code::kInternal, "result was never set")) {}
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  explicit operator bool() const { return has_value(); }
  bool has_value() const { return state_.index() == 0; }

  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }

  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

  T value_or(T fallback) && {
    return has_value() ? std::get<0>(std::move(state_)) : std::move(fallback);
  }
  bool failed_with(Code code) const { return !has_value() && error().code() == code; }

 private:
  std::variant<T, Error> state_;
};

}  // namespace trainyard

// TRY(auto x, f()) binds the value or returns the error; TRY_OK(f()) for a Result<> whose value
// nobody needs. CO_TRY and CO_TRY_OK are the same inside coroutines.
#define TY_JOIN_INNER(a, b) a##b
#define TY_JOIN(a, b) TY_JOIN_INNER(a, b)
#define TY_TRY(holder, declaration, expression, leave) \
  auto holder = (expression);                          \
  if (!holder) leave std::move(holder).error();        \
  declaration = *std::move(holder)
#define TY_TRY_OK(holder, expression, leave) \
  if (auto holder = (expression); !holder) leave std::move(holder).error()

#define TRY(declaration, expression) \
  TY_TRY(TY_JOIN(try_, __LINE__), declaration, expression, return)
#define TRY_OK(expression) TY_TRY_OK(TY_JOIN(try_, __LINE__), expression, return)
#define CO_TRY(declaration, expression) \
  TY_TRY(TY_JOIN(try_, __LINE__), declaration, expression, co_return)
#define CO_TRY_OK(expression) TY_TRY_OK(TY_JOIN(try_, __LINE__), expression, co_return)
