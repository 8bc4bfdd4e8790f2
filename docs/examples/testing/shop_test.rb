# minitest against a real service: `stockroom exec -- ruby shop_test.rb` in this folder.
require "json"
require "minitest/autorun"
require "net/http"
require "openssl"
require "securerandom"
require "socket"

SECRET = ["ab" * 32].pack("H*") # As in stockroom.fixtures.yaml.

class ShopTest < Minitest::Test
  def setup
    control(:post, "/tenants/shop/reset", {})
  end

  [30, 40].each do |quantity|
    define_method("test_an_open_order_commits_#{quantity}") do
      assert_equal 100, available
      assert_equal "201", sell(quantity).code
      assert_equal 100 - quantity, available
    end
  end

  def test_an_order_is_delivered_signed
    server = TCPServer.new("127.0.0.1", 0)
    endpoint = data(api(:get, "/v1/webhooks")).first
    api(:patch, "/v1/webhooks/#{endpoint["id"]}", { targetUrl: "http://127.0.0.1:#{server.addr[1]}/hooks" })
    delivery = Thread.new { receive(server) }
    sell(1)
    control(:get, "/wait?for=delivery&event=order.created&timeout=10s")
    headers, body = delivery.value
    signature = OpenSSL::HMAC.hexdigest("SHA256", SECRET, "#{headers["x-service-timestamp"]}.#{body}")
    assert_equal "v1=#{signature}", headers["x-service-signature"]
    assert_equal "order.created", JSON.parse(body)["event"]
    control(:post, "/requests/verify", { operation: "orders.create", body: { module: "sell" } })
  end

  def test_a_fault_fails_one_request
    control(:post, "/faults", { target: "GET /v1/stock-levels", status: 503, times: 1 })
    assert_equal "503", api(:get, "/v1/stock-levels").code
    assert_equal 100, available
  end

  private

  def send_request(base, headers, method, path, body)
    uri = URI(base + path)
    request = Net::HTTP.const_get(method.to_s.capitalize).new(uri, { "Content-Type" => "application/json" }.merge(headers))
    request.body = JSON.generate(body) if body
    Net::HTTP.start(uri.host, uri.port) { |http| http.request(request) }
  end

  def api(method, path, body = nil)
    headers = { "X-API-Key" => ENV["STOCKROOM_API_KEY"], "Idempotency-Key" => SecureRandom.uuid }
    send_request(ENV["STOCKROOM_URL"], headers, method, path, body)
  end

  def control(method, path, body = nil)
    headers = { "Authorization" => "Bearer #{ENV["STOCKROOM_CONTROL_TOKEN"]}" }
    response = send_request("#{ENV["STOCKROOM_CONTROL_URL"]}/control", headers, method, path, body)
    assert_operator response.code.to_i, :<, 300, response.body
  end

  def data(response) = JSON.parse(response.body)["data"]

  def available = data(api(:get, "/v1/stock-levels")).first["available"]

  def sell(quantity)
    item = data(api(:get, "/v1/items?sku=BOLT")).first
    contact = data(api(:get, "/v1/contacts")).first
    lines = [{ itemId: item["id"], quantity: quantity }]
    api(:post, "/v1/orders", { module: "sell", status: "open", contactId: contact["id"], lines: lines })
  end

  # Reads one request and answers it.
  def receive(server)
    client = server.accept
    headers = {}
    while (line = client.gets.chomp) != ""
      name, value = line.split(": ", 2)
      headers[name.downcase] = value
    end
    body = client.read(headers["content-length"].to_i)
    client.write("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
    client.close
    [headers, body]
  end
end
