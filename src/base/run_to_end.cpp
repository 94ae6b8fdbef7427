#include "base/run_to_end.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <exception>

namespace trainyard {

Executor executor_of(boost::asio::io_context& loop) {
  return loop.get_executor();
}

void run_to_end(boost::asio::io_context& loop, awaitable<void> task) {
  bool done = false;
  std::exception_ptr failure;
  boost::asio::co_spawn(loop, std::move(task), [&](std::exception_ptr thrown) {
    failure = std::move(thrown);
    done = true;
  });
  const auto work = boost::asio::make_work_guard(loop);
  loop.restart();
  while (!done) loop.run_one();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace trainyard
