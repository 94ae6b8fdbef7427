"""A git server over HTTP with one repository or several, open or with a login, as code is fetched from."""

import base64
import os
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit


class GitServer:
    """Serves the bare repositories of a folder below http://127.0.0.1:PORT/. With a login, only to who has it."""

    def __init__(self, folder, login=None):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.requests = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.0"

            def do_GET(self):
                outer.requests.append(self.path)
                wanted = "Basic " + base64.b64encode(f"{login[0]}:{login[1]}".encode()).decode() if login else None
                if wanted and self.headers.get("Authorization") != wanted:
                    self.send_response(401)
                    self.send_header("WWW-Authenticate", 'Basic realm="git"')
                    self.end_headers()
                    return
                outer.answer(self)

            do_POST = do_GET

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def url(self, name):
        return f"http://127.0.0.1:{self.http.server_port}/{name}.git"

    def stop(self):
        self.http.shutdown()
        self.http.server_close()

    def answer(self, request):
        """Hands a request to git, which speaks CGI."""
        url = urlsplit(request.path)
        body = request.rfile.read(int(request.headers.get("Content-Length", 0)))
        env = {**os.environ, "GIT_PROJECT_ROOT": str(self.folder), "GIT_HTTP_EXPORT_ALL": "1",
               "PATH_INFO": url.path, "QUERY_STRING": url.query, "REQUEST_METHOD": request.command,
               "CONTENT_TYPE": request.headers.get("Content-Type", ""), "CONTENT_LENGTH": str(len(body)),
               "GIT_PROTOCOL": request.headers.get("Git-Protocol", ""),
               "HTTP_CONTENT_ENCODING": request.headers.get("Content-Encoding", ""), "REMOTE_ADDR": "127.0.0.1"}
        done = subprocess.run(["git", "http-backend"], input=body, env=env, capture_output=True)
        head, _, rest = done.stdout.partition(b"\r\n\r\n")
        lines = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line)
        request.send_response(int(lines.pop("Status", "200").split()[0]))
        for name, value in lines.items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(rest)

    def add(self, name, files, branch="master"):
        """A bare repository NAME.git whose only commit has these files (name → text)."""
        work = self.folder / f"{name}-work"
        work.mkdir()
        for path, text in files.items():
            (work / path).write_text(text)
        self._git("init", "--quiet", f"--initial-branch={branch}", cwd=work)
        self._git("add", "--all", cwd=work)
        self._git("-c", "user.name=t", "-c", "user.email=t@t", "commit", "--quiet", "--message=first", cwd=work)
        self._git("clone", "--quiet", "--bare", work, self.folder / f"{name}.git", cwd=self.folder)
        return self.url(name)

    @staticmethod
    def _git(*words, cwd):
        subprocess.run(["git", *map(str, words)], cwd=cwd, check=True, capture_output=True)
