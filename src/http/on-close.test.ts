import { once } from 'node:events';
import { type ServerResponse, createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { onClose } from './on-close.ts';

test('work that waits for the end of a response runs once, whether the client disconnects before or after it is registered', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  for (const isBefore of [true, false]) {
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
    const closed = once(response, 'close');
    const disconnect = async () => {
      client.destroy();
      await closed;
    };
    let runs = 0;
    if (isBefore) await disconnect();
    onClose(response, () => (runs += 1));
    if (!isBefore) await disconnect();
    expect(runs).toBe(1);
  }
});
