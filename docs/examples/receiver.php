<?php
// A receiver that verifies signatures, with nothing but PHP: php -S 127.0.0.1:3000 receiver.php
// SIGNING_SECRET is what creating the endpoint showed.
const TOLERANCE_S = 300;
const BODY_MAX_BYTES = 262144; // No delivery is larger.

function is_signed(string $rawBody, string $timestamp, string $signatures): bool
{
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > TOLERANCE_S) {
        return false;
    }
    $expected = hash_hmac('sha256', "$timestamp.$rawBody", hex2bin(getenv('SIGNING_SECRET')));
    // One signature for each secret: "v1=…", or "v1=…,v1=…" while the secret is rotated.
    foreach (explode(',', $signatures) as $part) {
        if (hash_equals($expected, preg_replace('/^v1=/', '', trim($part)))) {
            return true;
        }
    }
    return false;
}

$rawBody = file_get_contents('php://input', length: BODY_MAX_BYTES + 1);
if (
    strlen($rawBody) > BODY_MAX_BYTES
    || !is_signed($rawBody, $_SERVER['HTTP_X_SERVICE_TIMESTAMP'] ?? '', $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '')
) {
    http_response_code(400);
    exit;
}
$delivery = json_decode($rawBody, true);
file_put_contents('php://stdout', "{$delivery['event']} {$delivery['data']['id']}\n");
http_response_code(204);
