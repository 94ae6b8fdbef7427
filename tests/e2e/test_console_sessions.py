"""Logins in Chromium: what a page gets that somebody else serves on this machine, new tabs, the way out, and the origins of
apps."""

import http.client
import json
import re

import pytest
from apps_client import echo_app, wait_condition
from cluster import free_ports
from console_client import Browser
from harness import wait_for
from jobs import pod
from pages import Visitor, chromium, expect_soon  # noqa: F401 (a fixture)

# A page that tells in its log what the browser has sent along.
THIEF = """
import http.server
class Thief(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        print("got", self.headers.get("Cookie", "nothing"), flush=True)
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<title>thief</title>")
http.server.HTTPServer(("127.0.0.1", {port}), Thief).serve_forever()
"""


@pytest.fixture(scope="module")
def shown(shared_server):
    for name in ["one", "two"]:
        echo_app(shared_server, name) if name == "one" else shared_server.create(board_like(shared_server, "one", name))
    for name in ["one", "two"]:
        wait_condition(shared_server, "tensorboard", name, "Ready", "True", timeout=60)
    return shared_server


def board_like(server, name, other):
    spec = server.get("tensorboard", name)["spec"]
    return {"apiVersion": "tensorstack.dev/v1beta1", "kind": "TensorBoard", "metadata": {"name": other},
            "spec": {key: spec[key] for key in ["image", "logDir"]}}


@pytest.fixture
def visitor(chromium, shown):  # noqa: F811
    made = Visitor(chromium, shown, "en")
    yield made
    made.context.close()


def tab_at(visitor, address):
    tab = visitor.context.new_page()
    tab.goto(address)
    return tab


def expect_signed_out(tab):
    tab.get_by_role("heading", name="You are not signed in").wait_for()
    tab.get_by_text("trainyard open").wait_for()


def is_in(tab):
    tab.get_by_role("navigation", name="Pages").wait_for()
    tab.locator("nav.side").get_by_role("link", name="Pod", exact=True).click()
    tab.get_by_role("row", name="managed-tensorboard").first.wait_for()


def tries(tab, script):
    """What the script resolves to, or "refused"."""
    return tab.evaluate(f"Promise.race([{script}, new Promise(r => setTimeout(r, 5000, 'silence'))])"
                        ".catch(() => 'refused')")


def reads(address):
    return f"fetch('{address}', {{credentials: 'include'}}).then(answer => answer.text())"


def connects(address):
    return (f"new Promise(done => {{ const socket = new WebSocket('{address}');"
            "socket.onmessage = message => done(message.data); socket.onclose = () => done('refused');"
            "socket.onopen = () => socket.send('{\"id\": 1}') })")


# ---- the console ---------------------------------------------------------------------------------


def test_a_page_on_another_port_gets_the_cookie_and_nothing_by_it(visitor, shown):
    [port] = free_ports(1)
    shown.create(pod("thief", f"python3 -c '{THIEF.format(port=port)}'"))
    shown.wait_phase("thief", "Running", "pod")
    tab = visitor.context.new_page()

    def visited():
        try:
            return tab.goto(f"http://127.0.0.1:{port}/")
        except Exception:  # it does not listen yet
            return None
    wait_for("the thief's page", visited)
    got = wait_for("what it got", lambda: re.search(r"got .*(trainyard_session=\w+)", shown.kubectl("logs", "thief")))
    thief = Browser(shown.console)
    thief.cookie = got[1]
    for path in ["/api/v1/namespaces/kube-system/secrets", "/openapi/v3", "/ws"]:
        assert thief.ask(path)[0] == 401, path
    assert thief.ask("/open/default/tensorboard/one", "POST", "{}")[0] == 401
    assert thief.ask("/logout", "POST")[0] == 401
    # Nor can the page itself ask in its visitor's name.
    assert tries(tab, reads(f"http://{shown.console}/api/v1/namespaces")) == "refused"
    assert tries(tab, connects(f"ws://{shown.console}/ws")) == "refused"
    assert tab.evaluate("sessionStorage.length") == 0
    heard = tries(tab, "new Promise(done => { const channel = new BroadcastChannel('trainyard-login');"
                       "channel.onmessage = ({data}) => done(data); channel.postMessage({ask: true}) })")
    assert heard == "silence", "the other tabs answer their own origin"
    is_in(visitor.page)


def test_a_login_link_works_once_and_leaves_no_trace(chromium, visitor, shown):  # noqa: F811
    link = shown.cli("open").out.strip()
    token = link.split("#token=")[1]
    sent = []
    tab = visitor.context.new_page()
    tab.on("request", lambda request: sent.append(request.url + json.dumps(request.headers)))
    tab.goto(link)
    is_in(tab)
    secret = tab.evaluate("sessionStorage.getItem('trainyard-secret')")
    assert token not in tab.url and secret not in tab.url
    assert all(token not in each.split("#")[0] for each in sent), "it is in no address that a server sees"
    assert not any(secret in each.split("{")[0] for each in sent)
    other = chromium.new_context(locale="en")
    late = other.new_page()
    late.goto(link)
    late.get_by_text("This login link was used already or is too old.").wait_for()
    expect_signed_out(late)
    assert not other.cookies()
    other.close()


def test_a_new_tab_gets_in_by_one_that_is_open_and_says_how_if_there_is_none(visitor, shown):
    second = tab_at(visitor, f"http://{shown.console}/")
    is_in(second)
    visitor.page.close()
    third = tab_at(visitor, f"http://{shown.console}/")
    is_in(third)
    third.reload()
    is_in(third)
    second.close()
    third.close()
    alone = tab_at(visitor, f"http://{shown.console}/")
    assert visitor.context.cookies(), "the cookie is still there"
    expect_signed_out(alone)
    alone.get_by_text("when the last one was closed").wait_for()
    # It goes on by itself when a link was followed in another tab.
    tab_at(visitor, shown.cli("open").out.strip())
    is_in(alone)


def test_signing_out_ends_the_session_for_all_tabs(visitor, shown):
    second = tab_at(visitor, f"http://{shown.console}/")
    is_in(second)
    kept = Browser(shown.console)
    [cookie] = [c for c in visitor.context.cookies() if c["name"] == "trainyard_session"]
    kept.cookie = f"trainyard_session={cookie['value']}"
    kept.secret = second.evaluate("sessionStorage.getItem('trainyard-secret')")
    assert kept.ask("/api/v1/namespaces")[0] == 200
    visitor.page.get_by_role("button", name="Account").click()
    visitor.page.get_by_role("button", name="Sign out").click()
    expect_signed_out(visitor.page)
    expect_signed_out(second)
    assert kept.ask("/api/v1/namespaces")[0] == 401


def test_no_other_page_may_frame_the_console(visitor, shown):
    tab = tab_at(visitor, f"http://{shown.apps}/")
    tab.set_content(f"<iframe src='http://{shown.console}/'></iframe>")
    frame = tab.frames[-1]
    expect_soon("the frame to be refused", lambda: "chrome-error" in frame.url or frame.content().count("app") == 0,
                lambda: frame.url)


# ---- apps ----------------------------------------------------------------------------------------


def opened(visitor, shown, name):
    tab = tab_at(visitor, shown.cli("open", "tensorboard", name).out.strip())
    tab.wait_for_url(re.compile(rf"/default/tensorboard/{name}/"))
    tab.get_by_text('"method"').wait_for()
    return tab


def test_two_apps_are_two_origins(visitor, shown):
    one, two = opened(visitor, shown, "one"), opened(visitor, shown, "two")
    origins = [tab.evaluate("location.origin") for tab in (one, two)]
    port = shown.apps.split(":")[1]
    assert origins[0] != origins[1]
    assert all(re.fullmatch(rf"http://[0-9a-f]{{32}}\.localhost:{port}", origin) for origin in origins), origins
    one.evaluate("localStorage.setItem('mine', 'secret')")
    assert two.evaluate("localStorage.getItem('mine')") is None
    # A confused app: the page of one, with all that its visitor has open of the other.
    for path in ["x", "cookies"]:
        assert tries(one, reads(f"{origins[1]}/default/tensorboard/two/{path}")) == "refused"
    assert tries(one, connects(f"{origins[1].replace('http', 'ws')}/default/tensorboard/two/ws")) == "refused"
    assert tries(one, connects(f"{origins[0].replace('http', 'ws')}/default/tensorboard/one/ws")) == '{"id": 1}'
    # Under its own name the other is not to be had either.
    assert "Please log in" in tries(one, reads("/default/tensorboard/two/x"))
    one.evaluate(f"location = '{origins[1]}/default/tensorboard/two/x'")
    one.get_by_role("heading", name="Please log in").wait_for()


def test_an_apps_page_does_not_reach_the_console(visitor, shown):
    one = opened(visitor, shown, "one")
    assert tries(one, reads(f"http://{shown.console}/api/v1/namespaces")) == "refused"
    assert tries(one, connects(f"ws://{shown.console}/ws")) == "refused"
    names = {cookie["name"] for cookie in visitor.context.cookies(one.url)}
    assert names == {"trainyard_app"}, names
    assert one.evaluate("document.cookie") == ""
    told = json.loads(tries(one, reads("x")))
    assert "cookie" not in {name.lower() for name, _ in told["headers"]}


def test_the_address_that_the_api_tells_leads_in_through_the_console(visitor, shown):
    url = shown.get("tensorboard", "one")["status"]["url"]
    tab = tab_at(visitor, url)
    tab.get_by_role("heading", name="Please log in").wait_for()
    tab.get_by_role("link", name="opens it from there").click()
    tab.wait_for_url(re.compile(r"http://[0-9a-f]{32}\.localhost:\d+/default/tensorboard/one/"))
    tab.get_by_text('"method"').wait_for()


def test_who_is_not_signed_in_is_told_how_and_led_on(chromium, shown):  # noqa: F811
    context = chromium.new_context(locale="en")
    tab = context.new_page()
    tab.goto(f"http://{shown.console}/open/default/tensorboard/one")
    expect_signed_out(tab)
    context.new_page().goto(shown.cli("open").out.strip())
    tab.wait_for_url(re.compile(r"http://[0-9a-f]{32}\.localhost:\d+/default/tensorboard/one/"))
    context.close()


def test_an_app_that_is_not_there_says_so(visitor, shown):
    tab = tab_at(visitor, f"http://{shown.console}/open/default/tensorboard/none")
    tab.get_by_text('tensorboard "none" not found').wait_for()


def test_a_browser_that_does_not_know_the_name_is_told_what_to_do(visitor, shown):
    tab = visitor.context.new_page()
    tab.route(re.compile(r"\.localhost:"), lambda route: route.abort("namenotresolved"))
    tab.goto(f"http://{shown.console}/open/default/tensorboard/one")
    tab.get_by_role("heading", name="This browser does not find the name of the app").wait_for()
    assert re.search(r"127\.0\.0\.1 [0-9a-f]{32}\.localhost", tab.locator("pre.command").inner_text())


def test_logging_out_closes_apps(visitor, shown):
    one = opened(visitor, shown, "one")
    one.evaluate("window.live = new WebSocket('ws'); live.onclose = () => { document.title = 'closed' };"
                 "new Promise(done => { live.onopen = done })")
    visitor.page.get_by_role("button", name="Account").click()
    visitor.page.get_by_role("button", name="Sign out").click()
    expect_soon("the app's socket to close", lambda: one.title() == "closed", one.title)
    assert "Please log in" in tries(one, reads("x"))
    cookies = "; ".join(f"{c['name']}={c['value']}" for c in visitor.context.cookies(one.url))
    again = http.client.HTTPConnection(shown.apps, timeout=20)
    again.request("GET", "/default/tensorboard/one/x", headers={"Host": one.url.split("/")[2], "Cookie": cookies})
    assert again.getresponse().status == 401
