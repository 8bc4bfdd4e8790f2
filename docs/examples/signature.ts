// A receiver that verifies signatures with nothing but Node. SIGNING_SECRET is what creating the endpoint showed.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type IncomingHttpHeaders, type IncomingMessage, createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';

const TOLERANCE_S = 300;
// Of hexadecimal digits: the key of the signature is the bytes that they stand for.
const key = Buffer.from(process.env['SIGNING_SECRET'] ?? '', 'hex');

function isSigned(rawBody: Buffer, headers: IncomingHttpHeaders): boolean {
  const timestamp = String(headers['x-service-timestamp']);
  const expected = createHmac('sha256', key).update(`${timestamp}.`).update(rawBody).digest();
  // One signature for each secret: `v1=…`, or `v1=…,v1=…` while the secret is rotated.
  const signatures = String(headers['x-service-signature'])
    .split(',')
    .map((part) => Buffer.from(part.trim().replace(/^v1=/u, ''), 'hex'));
  const isRecent = Math.abs(Date.now() / 1_000 - Number(timestamp)) <= TOLERANCE_S;
  return isRecent && signatures.some((signature) => signature.length === expected.length && timingSafeEqual(signature, expected));
}

async function receive(request: IncomingMessage): Promise<number> {
  // The bytes as they came: a body that was parsed and written again has another signature.
  const rawBody = await buffer(request);
  if (!isSigned(rawBody, request.headers)) {
    console.error('refused: the signature is missing, wrong or too old');
    return 400;
  }
  const { event, data } = JSON.parse(rawBody.toString()) as { event: string; data: { id: string } };
  console.log(`${event} ${data.id}`);
  return 204;
}

if (key.length === 0) throw new Error('Set SIGNING_SECRET to the signing secret of the endpoint');
const server = createServer((request, response) => {
  void receive(request).then((status) => response.writeHead(status).end());
});
server.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => console.log(`listening on ${JSON.stringify(server.address())}`));
