"""A WebSocket client that subscribes to every event and reads them, as a page does."""

from __future__ import annotations

import socket
import sys

from websockets.client import ClientProtocol
from websockets.extensions.permessage_deflate import enable_client_permessage_deflate
from websockets.frames import Frame, Opcode
from websockets.uri import parse_uri


def listen(host: str, port: int, token: str) -> None:
    """Read until the server closes the connection."""
    with socket.create_connection((host, port)) as connection:
        protocol = ClientProtocol(
            parse_uri(f"ws://{host}:{port}/ws"), extensions=enable_client_permessage_deflate(None)
        )
        request = protocol.connect()
        request.headers["Authorization"] = f"Bearer {token}"
        protocol.send_request(request)
        subscribed = False
        while True:
            for data in protocol.data_to_send():
                connection.sendall(data)
            received = connection.recv(262_144)
            if not received:
                return
            protocol.receive_data(received)
            if protocol.handshake_exc is not None:
                raise protocol.handshake_exc
            for event in protocol.events_received():
                if not isinstance(event, Frame):
                    protocol.send_text(b'{"type":"subscribe","topic":"global"}')
                elif event.opcode is Opcode.TEXT and not subscribed:
                    subscribed = b'"subscribed"' in bytes(event.data)
                    print("subscribed" if subscribed else bytes(event.data).decode(), flush=True)


if __name__ == "__main__":
    listen(sys.argv[1], int(sys.argv[2]), sys.argv[3])
