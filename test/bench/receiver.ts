/** A receiver of deliveries, a process of its own: answers every POST with 204; GET tells how many came, and when the first and the last, in milliseconds since 1970. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

let [count, first, last] = [0, 0, 0];
const server = createServer((request, response) => {
  if (request.method === 'GET') {
    const body = JSON.stringify({ count, first, last });
    response.writeHead(200, { 'content-length': body.length }).end(body);
    [count, first, last] = [0, 0, 0];
    return;
  }
  request.resume();
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
