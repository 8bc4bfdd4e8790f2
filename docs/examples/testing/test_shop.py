# pytest against a real service: `stockroom exec -- pytest` in this folder.
import hashlib
import hmac
import json
import os
import threading
import urllib.error
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

SECRET = bytes.fromhex("ab" * 32)  # As in stockroom.fixtures.yaml.


def send(url, headers, method, body):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **headers}, method=method)
    try:
        with urllib.request.urlopen(request) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def api(method, path, body=None):
    headers = {"X-API-Key": os.environ["STOCKROOM_API_KEY"], "Idempotency-Key": str(uuid.uuid4())}
    return send(os.environ["STOCKROOM_URL"] + path, headers, method, body)


def control(method, path, body=None):
    headers = {"Authorization": "Bearer " + os.environ["STOCKROOM_CONTROL_TOKEN"]}
    status, reply = send(os.environ["STOCKROOM_CONTROL_URL"] + "/control" + path, headers, method, body)
    assert status < 300, reply
    return reply


def sell(quantity):
    item = api("GET", "/v1/items?sku=BOLT")[1]["data"][0]
    contact = api("GET", "/v1/contacts")[1]["data"][0]
    line = {"itemId": item["id"], "quantity": quantity}
    return api("POST", "/v1/orders", {"module": "sell", "status": "open", "contactId": contact["id"], "lines": [line]})


def available():
    return api("GET", "/v1/stock-levels")[1]["data"][0]["available"]


@pytest.fixture(autouse=True)
def reset():
    control("POST", "/tenants/shop/reset", {})


@pytest.fixture
def deliveries():
    received = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self):
            received.append((self.headers, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

    server = HTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    endpoint = api("GET", "/v1/webhooks")[1]["data"][0]
    api("PATCH", "/v1/webhooks/" + endpoint["id"], {"targetUrl": f"http://127.0.0.1:{server.server_port}/hooks"})
    yield received
    server.shutdown()


@pytest.mark.parametrize("quantity", [30, 40])
def test_an_open_order_commits_stock(quantity):
    assert available() == 100
    assert sell(quantity)[0] == 201
    assert available() == 100 - quantity


def test_an_order_is_delivered_signed(deliveries):
    sell(1)
    control("GET", "/wait?for=delivery&event=order.created&timeout=10s")
    [(headers, body)] = deliveries
    signed = headers["X-Service-Timestamp"].encode() + b"." + body
    assert headers["X-Service-Signature"] == "v1=" + hmac.new(SECRET, signed, hashlib.sha256).hexdigest()
    assert json.loads(body)["event"] == "order.created"
    control("POST", "/requests/verify", {"operation": "orders.create", "body": {"module": "sell"}})


def test_a_fault_fails_one_request():
    control("POST", "/faults", {"target": "GET /v1/stock-levels", "status": 503, "times": 1})
    assert api("GET", "/v1/stock-levels")[0] == 503
    assert available() == 100
