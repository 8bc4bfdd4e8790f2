// Sends three orders. With --broken each try of a request is a new one: an answer that is lost makes a second order.
import { type List, createSend, expectEqual } from './service.ts';

const send = createSend({ keepsKey: !process.argv.includes('--broken') });
const { data: contacts } = await send<List<{ id: string }>>('GET', '/v1/contacts?search=ana');
for (let sold = 0; sold < 3; sold += 1) await send('POST', '/v1/orders', { module: 'sell', contactId: contacts[0]!.id });
const { pagination } = await send<List<unknown>>('GET', '/v1/orders?module=sell');
expectEqual('Orders', pagination.total, 3);
