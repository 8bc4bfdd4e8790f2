/** Clients that change records of all kinds, and repeat a request at the next daemon when one does not answer. */
import type { FailoverClient, FailoverReply } from './failover-client.ts';

const WRITERS = 5;

export interface ChangeWork {
  /** Changes that were acknowledged so far. */
  readonly count: number;
  readonly done: Promise<unknown>;
}

/** Works until `isOver`. */
export function startChanging(client: FailoverClient, isOver: () => boolean): ChangeWork {
  let count = 0;
  const send = async (...args: Parameters<FailoverClient['send']>): Promise<FailoverReply> => {
    const reply = await client.send(...args);
    if (reply.status < 300) count += 1;
    else if (![404, 409].includes(reply.status)) throw new Error(`${args[0]} ${args[1]}: ${JSON.stringify(reply)}`);
    return reply;
  };
  const create = async (path: string, body: object, first: number): Promise<string> =>
    (await send('POST', path, body, first)).body.data.id as string;
  const write = async (writer: number): Promise<void> => {
    const shared = await create('/v1/items', { name: `Shared ${String(writer)}`, sku: `S-${String(writer)}` }, writer);
    const customer = await create('/v1/contacts', { name: 'Shop', contactType: 'customer' }, writer);
    for (let step = 0; !isOver(); step += 1) {
      const text = `${String(writer)}-${String(step)}`;
      await send('PATCH', `/v1/items/${shared}`, { name: `Shared ${text}` }, step);
      const item = await create('/v1/items', { name: `Item ${text}` }, step);
      await send('PATCH', `/v1/contacts/${customer}`, { company: text }, step);
      await send('DELETE', `/v1/items/${item}`, undefined, step);
      const lines = [{ itemId: shared, quantity: 5, unitCost: 1 + (step % 7) }];
      const receipt = await create('/v1/stock-documents', { type: 'receipt', lines }, step);
      if (step % 4 === 3) await send('DELETE', `/v1/stock-documents/${receipt}`, undefined, step);
      else {
        await send('POST', `/v1/stock-documents/${receipt}/submit`, {}, step);
        await send('POST', `/v1/stock-documents/${receipt}/approve`, {}, step);
        if (step % 5 === 4) await send('POST', `/v1/stock-documents/${receipt}/cancel`, { reason: 'test' }, step);
      }
      const order = await create(
        '/v1/orders',
        { module: 'sell', contactId: customer, status: 'open', lines: [{ itemId: shared, quantity: 2 }] },
        step,
      );
      await send('PATCH', `/v1/orders/${order}`, { priority: 'high' }, step);
      await send('PATCH', `/v1/orders/${order}`, { status: step % 3 === 0 ? 'cancelled' : 'completed' }, step);
    }
  };
  const done = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  // The caller awaits it at the end.
  done.catch(() => undefined);
  return {
    get count() {
      return count;
    },
    done,
  };
}
