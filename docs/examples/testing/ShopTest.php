<?php
// PHPUnit against a real service: `stockroom exec -- phpunit ShopTest.php` in this folder.
use PHPUnit\Framework\TestCase;

final class ShopTest extends TestCase
{
    protected function setUp(): void
    {
        self::control('POST', '/tenants/shop/reset', new stdClass());
    }

    public function testAnOpenOrderCommitsStock(): void
    {
        foreach ([30, 40] as $quantity) {
            $this->setUp();
            $this->assertSame(100, self::available());
            $this->assertSame(201, self::sell($quantity)[0]);
            $this->assertSame(100 - $quantity, self::available());
        }
    }

    public function testAnOrderIsDeliveredSigned(): void
    {
        $server = stream_socket_server('tcp://127.0.0.1:0');
        $endpoint = self::api('GET', '/v1/webhooks')[1]['data'][0];
        $url = 'http://' . stream_socket_get_name($server, false) . '/hooks';
        self::api('PATCH', '/v1/webhooks/' . $endpoint['id'], ['targetUrl' => $url]);
        self::sell(1);
        [$headers, $body] = self::receive($server);
        self::control('GET', '/wait?for=delivery&event=order.created&timeout=10s');
        $secret = hex2bin(str_repeat('ab', 32)); // As in stockroom.fixtures.yaml.
        $signature = hash_hmac('sha256', $headers['x-service-timestamp'] . '.' . $body, $secret);
        $this->assertSame('v1=' . $signature, $headers['x-service-signature']);
        $this->assertSame('order.created', json_decode($body, true)['event']);
        self::control('POST', '/requests/verify', ['operation' => 'orders.create', 'body' => ['module' => 'sell']]);
    }

    public function testAFaultFailsOneRequest(): void
    {
        self::control('POST', '/faults', ['target' => 'GET /v1/stock-levels', 'status' => 503, 'times' => 1]);
        $this->assertSame(503, self::api('GET', '/v1/stock-levels')[0]);
        $this->assertSame(100, self::available());
    }

    private static function send(string $url, array $headers, string $method, mixed $body): array
    {
        $content = $body === null ? '' : json_encode($body);
        $headers[] = 'Content-Type: application/json';
        $options = ['method' => $method, 'header' => $headers, 'content' => $content, 'ignore_errors' => true];
        $reply = file_get_contents($url, false, stream_context_create(['http' => $options]));
        preg_match('/ (\d{3})/', $http_response_header[0], $status);
        return [(int) $status[1], json_decode($reply, true)];
    }

    private static function api(string $method, string $path, mixed $body = null): array
    {
        $headers = ['X-API-Key: ' . getenv('STOCKROOM_API_KEY'), 'Idempotency-Key: ' . bin2hex(random_bytes(16))];
        return self::send(getenv('STOCKROOM_URL') . $path, $headers, $method, $body);
    }

    private static function control(string $method, string $path, mixed $body = null): void
    {
        $headers = ['Authorization: Bearer ' . getenv('STOCKROOM_CONTROL_TOKEN')];
        [$status, $reply] = self::send(getenv('STOCKROOM_CONTROL_URL') . '/control' . $path, $headers, $method, $body);
        self::assertLessThan(300, $status, json_encode($reply));
    }

    private static function sell(int $quantity): array
    {
        $item = self::api('GET', '/v1/items?sku=BOLT')[1]['data'][0];
        $contact = self::api('GET', '/v1/contacts')[1]['data'][0];
        $lines = [['itemId' => $item['id'], 'quantity' => $quantity]];
        return self::api('POST', '/v1/orders', ['module' => 'sell', 'status' => 'open', 'contactId' => $contact['id'], 'lines' => $lines]);
    }

    private static function available(): int
    {
        return self::api('GET', '/v1/stock-levels')[1]['data'][0]['available'];
    }

    /** Reads one request and answers it. */
    private static function receive($server): array
    {
        $client = stream_socket_accept($server, 10);
        $headers = [];
        while (($line = rtrim(fgets($client))) !== '') {
            [$name, $value] = array_pad(explode(': ', $line, 2), 2, '');
            $headers[strtolower($name)] = $value;
        }
        $body = stream_get_contents($client, (int) $headers['content-length']);
        fwrite($client, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
        fclose($client);
        return [$headers, $body];
    }
}
