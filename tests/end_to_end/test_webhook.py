"""`deploy/webhook`: each event is posted to a URL, and one that was refused is posted again after a restart."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from tests.end_to_end.bbs import Bbs
from tests.end_to_end.test_yawcctl import command
from tests.systemd.installation import DEPLOY
from tests.waiting import wait_until

NEEDS = "yawc_poker.extras.live"


class Chat(HTTPServer):
    """A server that takes posted events."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Posting)
        self.posted: list[str] = []
        self.refuses = False


class Posting(BaseHTTPRequestHandler):
    """One post."""

    def do_POST(self) -> None:
        chat = self.server
        assert isinstance(chat, Chat)
        event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not chat.refuses:
            chat.posted.append(f"{event['event']} {event.get('name') or event['reason']}")
        self.send_response(503 if chat.refuses else 204)
        self.end_headers()

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        return


@contextmanager
def posting(bbs: Bbs, chat: Chat, position: Path) -> Iterator[subprocess.Popen[bytes]]:
    url = f"http://127.0.0.1:{chat.server_port}/hook"
    hook = subprocess.Popen(
        [sys.executable, DEPLOY / "webhook", url, position, *command(bbs)], stderr=subprocess.DEVNULL
    )
    try:
        yield hook
    finally:
        hook.kill()
        hook.wait()


def test_events_are_posted_and_none_is_lost_when_the_server_fails(bbs: Bbs, tmp_path: Path) -> None:
    position = tmp_path / "position"
    position.write_text("0.0.0")
    with Chat() as chat:
        threading.Thread(target=chat.serve_forever, daemon=True).start()
        with posting(bbs, chat, position) as hook:
            bbs.call().register("Anna")
            wait_until(lambda: chat.posted == ["login Anna"])
            chat.refuses = True
            bbs.call().register("Bert")
            hook.wait(60)  # it ends, and systemd starts it again
        chat.refuses = False
        with posting(bbs, chat, position):
            bbs.yawcctl("say", "hello")
            wait_until(lambda: chat.posted == ["login Anna", "login Bert", "sysop hello"])
        chat.shutdown()
