import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createLineTransport } from './line-transport.ts';

/** The replies to a client that writes `text` and closes its end. Each request is answered with its method. */
async function collectReplies(text: string): Promise<unknown[]> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const transport = createLineTransport(input, output, () => output.end());
  Object.assign(transport, {
    onmessage: ({ id, method }: { id: number; method: string }) => void transport.send({ jsonrpc: '2.0', id, result: { method } }),
  });
  await transport.start();
  input.end(text);
  const parts: Buffer[] = [];
  output.on('data', (part: Buffer) => parts.push(part));
  await once(output, 'end');
  const lines = Buffer.concat(parts).toString('utf8').split('\n');
  expect(lines.pop()).toBe('');
  return lines.map((line) => JSON.parse(line) as unknown);
}
const ping = (id: number) => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' });
const pong = (id: number) => ({ jsonrpc: '2.0', id, result: { method: 'ping' } });

test('line transport answers every line, including a last line without newline', async () => {
  expect(await collectReplies(`${ping(1)}\n\r\n${ping(2)}\r\n`)).toEqual([pong(1), pong(2)]);
  expect(await collectReplies(`${ping(1)}\n${ping(2)}`)).toEqual([pong(1), pong(2)]);
  expect(await collectReplies('')).toEqual([]);
});

test('line transport answers an incomplete message with a parse error', async () => {
  expect(await collectReplies(`${ping(1)}\n${ping(2).slice(0, -1)}`)).toEqual([
    pong(1),
    { jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'the line is not valid JSON' } },
  ]);
});
