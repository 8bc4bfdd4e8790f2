// A receiver that believes only what stockroom has signed. SIGNING_SECRET is what creating the endpoint showed.
import { type IncomingMessage, createServer } from 'node:http';
import { WebhookVerificationError, verifyWebhook } from 'stockroom/webhooks';

const secret = process.env['SIGNING_SECRET'] ?? '';
/** No delivery is larger. */
const BODY_MAX_BYTES = 262_144;
/** Every attempt of an event has the same id: remember it, and a repetition does no harm. */
const seen = new Set<string>();

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
    const { event, data, eventId } = verifyWebhook(await readBody(request), request.headers, secret);
    if (eventId !== null && !seen.has(eventId)) console.log(`${event} ${String(data['id'])}`);
    if (eventId !== null) seen.add(eventId);
    return 204;
  } catch (error) {
    console.error(`refused: ${error instanceof WebhookVerificationError ? error.message : String(error)}`);
    return 400;
  }
}

const server = createServer((request, response) => {
  // A body that was not read to its end must not be taken for the next request.
  void receive(request).then((status) => response.writeHead(status, request.complete ? {} : { connection: 'close' }).end());
});
server.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => console.log(`listening on ${JSON.stringify(server.address())}`));
