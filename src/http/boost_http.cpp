// The parts of Boost.Asio's TLS and of Boost.Beast that need no templates, once for the whole
// program.
#include <boost/asio/ssl/impl/src.hpp>
#include <boost/beast/src.hpp>
