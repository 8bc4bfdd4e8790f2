/**
 * A receiver of deliveries, a process of its own: answers every POST with 200. GET returns how many arrived, when the first and the last, in
 * milliseconds since 1970, and what the first one was.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

let [count, first, last] = [0, 0, 0];
let sample = { headers: {}, body: '' };
const server = createServer((request, response) => {
  if (request.method === 'GET') {
    const body = JSON.stringify({ count, first, last, ...sample });
    response.writeHead(200, { 'content-length': Buffer.byteLength(body) }).end(body);
    [count, first, last] = [0, 0, 0];
    return;
  }
  if (count === 0) text(request).then((body) => (sample = { headers: request.headers, body }), console.error);
  else request.resume();
  request.on('end', () => {
    last = performance.timeOrigin + performance.now();
    if (count === 0) first = last;
    count += 1;
    response.writeHead(200, { 'content-length': 2 }).end('ok');
  });
});
server.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  process.stdout.write(`${JSON.stringify({ data: { url } })}\n`);
});
process.once('SIGTERM', () => process.exit(0));
