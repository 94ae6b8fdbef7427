#pragma once

#include "console/app_address.h"
#include "http/wire/message.h"

#include <string>

/// What visitors see where no app answers.
namespace trainyard::console {

/// For strangers; the same whether the app exists or not.
http::Response login_page(const AppAddress& app, const std::string& console_url);
/// For strangers at a path that could be no app's.
http::Response login_page();
/// A login link that was used already or is too old.
http::Response spent_link_page();
/// Takes the browser on, with its new cookie.
http::Response welcome_page(const std::string& path);

http::Response forbidden_page(const AppAddress& app, const std::string& visitor);
http::Response missing_page(const AppAddress& app);
/// For an app that is there and does not answer, as its status says: it is starting (the page looks
/// again by itself), suspended or failed.
http::Response waiting_page(const AppAddress& app, const Json& object);
/// It runs, but nothing can be heard of it.
http::Response silent_page(const AppAddress& app, const std::string& cause);

/// For programs: a Kubernetes Status.
http::Response refusal(int status, const char* reason, const std::string& message);

std::string escape_html(std::string_view text);

}  // namespace trainyard::console
