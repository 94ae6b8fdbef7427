// The part of Boost.Asio that needs no templates, once for the whole program.
#include <boost/asio/impl/src.hpp>
