// A receiver that verifies signatures with nothing but Node. SIGNING_SECRET is what creating the endpoint showed.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type IncomingHttpHeaders, type IncomingMessage, createServer } from 'node:http';

const TOLERANCE_S = 300;
/** No delivery is larger. */
const BODY_MAX_BYTES = 262_144;
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

/** The bytes as they came: a body that was parsed and written again has another signature. Rejects one that no delivery has. */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    if ((bytes += chunk.length) > BODY_MAX_BYTES) throw new Error('the body is too large');
  }
  return Buffer.concat(chunks);
}

async function receive(request: IncomingMessage): Promise<number> {
  try {
    const rawBody = await readBody(request);
    if (!isSigned(rawBody, request.headers)) throw new Error('the signature is missing, wrong or too old');
    const { event, data } = JSON.parse(rawBody.toString()) as { event: string; data: { id: string } };
    console.log(`${event} ${data.id}`);
    return 204;
  } catch (error) {
    console.error(`refused: ${error instanceof Error ? error.message : String(error)}`);
    return 400;
  }
}

if (key.length === 0) throw new Error('Set SIGNING_SECRET to the signing secret of the endpoint');
const server = createServer((request, response) => {
  // A body that was not read to its end must not be taken for the next request.
  void receive(request).then((status) => response.writeHead(status, request.complete ? {} : { connection: 'close' }).end());
});
server.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => console.log(`listening on ${JSON.stringify(server.address())}`));
