#pragma once

#include "base/async.h"
#include "base/result.h"
#include "console/app_address.h"
#include "http/message.h"

#include <functional>
#include <string>

namespace trainyard::console {

/// A login link into an app, for whoever is logged in to the console; refused where the apps' own
/// door would refuse them.
using MakeAppLink = std::function<awaitable<Result<std::string>>(AppAddress)>;

/// What leads from a page of the console to an app: /open/NAMESPACE/KIND/NAME. The page has it as a
/// plain link to a new tab, which no browser takes for an unwanted window.
inline constexpr std::string_view kOpenPath = "/open/";

/// Whether a person clicked such a link in the console, or typed it. Apps live on the console's
/// site (not its origin), so that the cookie alone does not tell: their pages could ask, too. A
/// browser that does not say where a request comes from is refused for that reason.
bool is_own_click(const http::Request& request);

/// Sends the browser on to the app, logged in; or a page that says why not.
awaitable<http::Response> answer_open(std::string target, MakeAppLink make_link);
/// For who is not logged in to the console (any more).
http::Response sign_in_page();

}  // namespace trainyard::console
