"""Peers on telnetlib3: `room.py echo` sends every key back, `room.py room` sends every line to all. Prints its port."""

import asyncio
import sys

import telnetlib3

writers: set[telnetlib3.TelnetWriter] = set()


async def echo(reader: telnetlib3.TelnetReader, writer: telnetlib3.TelnetWriter) -> None:
    """Send each key back."""
    while key := await reader.read(1):
        writer.write(key)


async def room(reader: telnetlib3.TelnetReader, writer: telnetlib3.TelnetWriter) -> None:
    """Send each line to everybody here."""
    writers.add(writer)
    try:
        while line := await reader.readline():
            for one in writers:
                one.write(line)
    finally:
        writers.discard(writer)


async def main() -> None:
    """Serve until the process is ended."""
    shell = echo if sys.argv[1] == "echo" else room
    server = await telnetlib3.create_server(host="127.0.0.1", port=0, shell=shell, connect_maxwait=0.5, encoding="utf8")
    sockets = server.sockets or ()
    sys.stdout.write(f"{sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
