# A receiver that verifies signatures, with nothing but Ruby. SIGNING_SECRET is what creating the endpoint showed.
require 'json'
require 'openssl'
require 'socket'

TOLERANCE_S = 300
BODY_MAX_BYTES = 262_144 # No delivery is larger.
KEY = [ENV.fetch('SIGNING_SECRET')].pack('H*')

def signed?(raw_body, timestamp, signatures)
  return false unless timestamp.match?(/\A\d+\z/) && (Time.now.to_i - timestamp.to_i).abs <= TOLERANCE_S

  expected = OpenSSL::HMAC.hexdigest('SHA256', KEY, "#{timestamp}.#{raw_body}")
  # One signature for each secret: "v1=…", or "v1=…,v1=…" while the secret is rotated.
  signatures.split(',').any? do |part|
    OpenSSL.secure_compare(part.strip.delete_prefix('v1='), expected)
  end
end

def receive(client)
  client.gets("\r\n", 8_192)
  headers = {}
  while (line = client.gets("\r\n", 8_192)&.chomp("\r\n")) && !line.empty?
    name, value = line.split(':', 2)
    headers[name.downcase] = value.to_s.strip
  end
  length = headers['content-length'].to_i
  raw_body = length.between?(1, BODY_MAX_BYTES) ? client.read(length) : ''
  return 400 unless signed?(raw_body, headers['x-service-timestamp'].to_s, headers['x-service-signature'].to_s)

  delivery = JSON.parse(raw_body)
  puts "#{delivery['event']} #{delivery['data']['id']}"
  $stdout.flush
  204
end

server = TCPServer.new('127.0.0.1', ENV.fetch('PORT', '3000').to_i)
loop do
  Thread.start(server.accept) do |client|
    status = receive(client)
    client.write("HTTP/1.1 #{status} #{status == 204 ? 'No Content' : 'Bad Request'}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
  ensure
    client.close
  end
end
