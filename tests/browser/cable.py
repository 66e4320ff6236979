"""A cable between a browser and the BBS that a test can cut: connections through it break, and new ones fail."""

import contextlib
import socket
import threading
from types import TracebackType
from typing import Self


class Cable:
    """Listens on a port of its own and passes bytes on to another, both ways."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._ends: list[socket.socket] = []
        self._passing: list[threading.Thread] = []
        self._is_cut = False
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.close()
        self.cut()

    def cut(self) -> None:
        """Break all connections, and every new one until it is mended."""
        with self._lock:
            self._is_cut = True
            for end in self._ends:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
            for thread in self._passing:
                thread.join()
            for end in self._ends:
                end.close()
            self._ends.clear()
            self._passing.clear()

    def mend(self) -> None:
        """Let connections through again."""
        with self._lock:
            self._is_cut = False

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                if self._is_cut:
                    near.close()
                    continue
                far = socket.create_connection(("127.0.0.1", self._target))
                self._ends += [near, far]
                for source, sink in ((near, far), (far, near)):
                    thread = threading.Thread(target=self._pass_on, args=(source, sink), daemon=True)
                    self._passing.append(thread)
                    thread.start()

    def passed(self, data: bytes) -> bytes:
        """Return what becomes of bytes on their way."""
        return data

    def _pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(self.passed(data))
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
