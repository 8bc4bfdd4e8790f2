// A receiver that believes only what stockroom has signed. SIGNING_SECRET is what creating the endpoint showed.
import { type IncomingMessage, createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { WebhookVerificationError, verifyWebhook } from 'stockroom/webhooks';

const secret = process.env['SIGNING_SECRET'] ?? '';
/** Every attempt of an event has the same id: remember it, and a repetition does no harm. */
const seen = new Set<string>();

async function receive(request: IncomingMessage): Promise<number> {
  try {
    // The bytes as they came: a body that was parsed and written again has another signature.
    const { event, data, eventId } = verifyWebhook(await buffer(request), request.headers, secret);
    if (eventId !== null && !seen.has(eventId)) console.log(`${event} ${String(data['id'])}`);
    if (eventId !== null) seen.add(eventId);
    return 204;
  } catch (error) {
    console.error(`refused: ${error instanceof WebhookVerificationError ? error.message : String(error)}`);
    return 400;
  }
}

const server = createServer((request, response) => {
  void receive(request).then((status) => response.writeHead(status).end());
});
server.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => console.log(`listening on ${JSON.stringify(server.address())}`));
