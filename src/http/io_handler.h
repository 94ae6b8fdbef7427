#pragma once

#include "base/async.h"

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/system/error_code.hpp>

#include <cstddef>
#include <memory>
#include <utility>

namespace trainyard::http {

/// Any handler of a read or a write, in one type: so Asio's sockets and TLS are compiled for this
/// type alone, and not again for each of the many that Beast's WebSocket makes of our own.
class IoHandler {
 public:
  using executor_type = Executor;
  using cancellation_slot_type = boost::asio::cancellation_slot;

  /// `otherwise` is where a handler runs that does not say where.
  template <class Handler>
  IoHandler(Handler handler, const Executor& otherwise)
      : executor_(boost::asio::get_associated_executor(handler, otherwise)),
        slot_(boost::asio::get_associated_cancellation_slot(handler)),
        kept_(std::make_unique<KeptHandler<Handler>>(std::move(handler))) {}

  executor_type get_executor() const noexcept { return executor_; }
  cancellation_slot_type get_cancellation_slot() const noexcept { return slot_; }

  void operator()(boost::system::error_code failure, std::size_t size) {
    kept_.release()->complete(failure, size);
  }

 private:
  struct Kept {
    virtual ~Kept() = default;
    /// Deletes itself before the handler runs, as Asio promises of its operations' memory: the
    /// handler may start the next operation or end whatever owns this one.
    virtual void complete(boost::system::error_code failure, std::size_t size) = 0;
  };

  template <class Handler>
  struct KeptHandler final : Kept {
    explicit KeptHandler(Handler&& kept) : handler(std::move(kept)) {}
    void complete(boost::system::error_code failure, std::size_t size) override {
      Handler taken(std::move(handler));
      delete this;
      std::move(taken)(failure, size);
    }
    Handler handler;
  };

  Executor executor_;
  boost::asio::cancellation_slot slot_;
  std::unique_ptr<Kept> kept_;
};

}  // namespace trainyard::http
