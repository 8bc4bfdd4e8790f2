// Counts orders by their webhooks. With --broken it counts a delivery that comes twice twice.
import { type List, createSend, expectEqual, receive, waitForDeliveries } from './service.ts';

const isBroken = process.argv.includes('--broken');
const send = createSend();
const seen = new Set<string>();
let sales = 0;
const receiver = await receive(send, ({ event, data: { eventId } }) => {
  if (event !== 'order.created' || (seen.has(eventId) && !isBroken)) return;
  seen.add(eventId);
  sales += 1;
});
const { data: contacts } = await send<List<{ id: string }>>('GET', '/v1/contacts?search=ana');
for (let sold = 0; sold < 3; sold += 1) await send('POST', '/v1/orders', { module: 'sell', contactId: contacts[0]!.id });
await waitForDeliveries();
receiver.close();
const { pagination } = await send<List<unknown>>('GET', '/v1/orders?module=sell');
expectEqual('Counted sales', sales, pagination.total);
