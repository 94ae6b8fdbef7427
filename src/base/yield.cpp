#include "base/yield.h"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace trainyard {

awaitable<void> yield_to_others() {
  co_await boost::asio::post(boost::asio::use_awaitable);
}

}  // namespace trainyard
