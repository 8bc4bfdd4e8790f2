# A receiver that verifies signatures, with nothing but Python. SIGNING_SECRET is what creating the endpoint showed.
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE_S = 300
BODY_MAX_BYTES = 262_144  # No delivery is larger.
KEY = bytes.fromhex(os.environ["SIGNING_SECRET"])


def is_signed(raw_body: bytes, timestamp: str, signatures: str) -> bool:
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > TOLERANCE_S:
        return False
    expected = hmac.new(KEY, timestamp.encode() + b"." + raw_body, hashlib.sha256).hexdigest()
    # One signature for each secret: "v1=…", or "v1=…,v1=…" while the secret is rotated.
    given = (part.strip().removeprefix("v1=").encode() for part in signatures.split(","))
    return any(hmac.compare_digest(each, expected.encode()) for each in given)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > BODY_MAX_BYTES:
            return self.answer(400)
        raw_body = self.rfile.read(int(length))
        if not is_signed(raw_body, self.headers.get("X-Service-Timestamp", ""), self.headers.get("X-Service-Signature", "")):
            return self.answer(400)
        delivery = json.loads(raw_body)
        print(delivery["event"], delivery["data"]["id"], flush=True)
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_arguments):
        pass


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Receiver).serve_forever()
