// Debian's libboost1.81-dev carries Boost.JSON as headers only: its code is compiled here, once.
#include <boost/json/src.hpp>
