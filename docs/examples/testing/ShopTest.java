// Plain Java 17 against a real service: `stockroom exec -- java ShopTest.java` in this folder. With JUnit the methods become tests.
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.HexFormat;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

class ShopTest {
    static final HttpClient CLIENT = HttpClient.newHttpClient();

    record Delivery(String timestamp, String signature, byte[] body) {}

    static HttpResponse<String> send(HttpRequest.Builder request, String method, String body) throws Exception {
        request.header("Content-Type", "application/json");
        request.method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        return CLIENT.send(request.build(), BodyHandlers.ofString());
    }

    static HttpResponse<String> api(String method, String path, String body) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(System.getenv("STOCKROOM_URL") + path))
                .header("X-API-Key", System.getenv("STOCKROOM_API_KEY"))
                .header("Idempotency-Key", UUID.randomUUID().toString());
        return send(request, method, body);
    }

    static void control(String method, String path, String body) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(System.getenv("STOCKROOM_CONTROL_URL") + "/control" + path))
                .header("Authorization", "Bearer " + System.getenv("STOCKROOM_CONTROL_TOKEN"));
        var response = send(request, method, body);
        check(response.statusCode() < 300, response.body());
    }

    /** The first value of a field; a program would use a JSON library. */
    static String field(String json, String name) {
        var matcher = Pattern.compile("\"" + name + "\":\"?([^\",}]+)").matcher(json);
        check(matcher.find(), "no " + name + " in " + json);
        return matcher.group(1);
    }

    static void check(boolean isTrue, String message) {
        if (!isTrue) throw new AssertionError(message);
    }

    static int sell(int quantity) throws Exception {
        var item = field(api("GET", "/v1/items?sku=BOLT", null).body(), "id");
        var contact = field(api("GET", "/v1/contacts", null).body(), "id");
        var line = "{\"itemId\":\"%s\",\"quantity\":%d}".formatted(item, quantity);
        return api("POST", "/v1/orders", "{\"module\":\"sell\",\"status\":\"open\",\"contactId\":\"%s\",\"lines\":[%s]}".formatted(contact, line))
                .statusCode();
    }

    static String available() throws Exception {
        return field(api("GET", "/v1/stock-levels", null).body(), "available");
    }

    static void anOpenOrderCommitsStock(int quantity) throws Exception {
        check(available().equals("100"), available());
        check(sell(quantity) == 201, "the order was not created");
        check(available().equals(String.valueOf(100 - quantity)), available());
    }

    static void anOrderIsDeliveredSigned() throws Exception {
        var delivery = new CompletableFuture<Delivery>();
        var server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/hooks", exchange -> {
            var headers = exchange.getRequestHeaders();
            var body = exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
            delivery.complete(new Delivery(headers.getFirst("X-Service-Timestamp"), headers.getFirst("X-Service-Signature"), body));
        });
        server.start();
        try {
            var endpoint = field(api("GET", "/v1/webhooks", null).body(), "id");
            api("PATCH", "/v1/webhooks/" + endpoint, "{\"targetUrl\":\"http://127.0.0.1:%d/hooks\"}".formatted(server.getAddress().getPort()));
            sell(1);
            control("GET", "/wait?for=delivery&event=order.created&timeout=10s", null);
            var received = delivery.get(10, TimeUnit.SECONDS);
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(HexFormat.of().parseHex("ab".repeat(32)), "HmacSHA256")); // As in stockroom.fixtures.yaml.
            mac.update((received.timestamp() + ".").getBytes());
            check(received.signature().equals("v1=" + HexFormat.of().formatHex(mac.doFinal(received.body()))), "the signature is wrong");
            control("POST", "/requests/verify", "{\"operation\":\"orders.create\",\"body\":{\"module\":\"sell\"}}");
        } finally {
            server.stop(0);
        }
    }

    static void aFaultFailsOneRequest() throws Exception {
        control("POST", "/faults", "{\"target\":\"GET /v1/stock-levels\",\"status\":503,\"times\":1}");
        check(api("GET", "/v1/stock-levels", null).statusCode() == 503, "the fault did not trigger");
        check(available().equals("100"), available());
    }

    interface Test {
        void run() throws Exception;
    }

    public static void main(String[] arguments) throws Exception {
        Test[] tests = {
            () -> anOpenOrderCommitsStock(30),
            () -> anOpenOrderCommitsStock(40),
            ShopTest::anOrderIsDeliveredSigned,
            ShopTest::aFaultFailsOneRequest,
        };
        for (var test : tests) {
            control("POST", "/tenants/shop/reset", "{}");
            test.run();
        }
        System.out.println(tests.length + " tests passed");
    }
}
