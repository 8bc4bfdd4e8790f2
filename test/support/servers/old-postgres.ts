/** Speaks enough of the PostgreSQL protocol to look like a server of an old version, which the packages do not have. */
import { once } from 'node:events';
import { type AddressInfo, type Socket, createServer } from 'node:net';

const SSL_REQUEST = 80_877_103;
const LENGTH_BYTES = 4;

/** Lets anyone in without a password. Every query returns one row: what the store asks for before it uses a server. */
export async function startOldPostgres(version: string, number: string) {
  const row = [number, 'UTF8', 'off', version];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    let isStarted = false;
    let buffered = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      buffered = Buffer.concat([buffered, chunk]);
      for (;;) {
        // The first message has no type.
        const typeBytes = isStarted ? 1 : 0;
        if (buffered.length < typeBytes + LENGTH_BYTES) return;
        const length = buffered.readInt32BE(typeBytes) + typeBytes;
        if (buffered.length < length) return;
        const message = buffered.subarray(0, length);
        buffered = buffered.subarray(length);
        if (isStarted) answer(socket, String.fromCodePoint(message[0]!), row);
        else if (message.readInt32BE(LENGTH_BYTES) === SSL_REQUEST) socket.write('N');
        else {
          isStarted = true;
          const settings = Object.entries({ server_version: version, client_encoding: 'UTF8', server_encoding: 'UTF8' });
          socket.write(
            Buffer.concat([toMessage('R', int32(0)), ...settings.map(([name, value]) => toMessage('S', text(name), text(value)))]),
          );
          socket.write(READY);
        }
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `postgres://someone@127.0.0.1:${String((server.address() as AddressInfo).port)}/old`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

const int16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255]);
const int32 = (value: number): Buffer => Buffer.concat([int16(value >>> 16), int16(value & 65_535)]);
const text = (value: string): Buffer => Buffer.from(`${value}\0`);
const toMessage = (type: string, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int32(body.length + LENGTH_BYTES), body]);
};
const READY = toMessage('Z', Buffer.from('I'));
const TEXT_TYPE = 25;
const toColumn = (name: string): Buffer =>
  Buffer.concat([text(name), int32(0), int16(0), int32(TEXT_TYPE), int16(-1), int32(-1), int16(0)]);

/** The messages of a simple query, and of an extended one step by step. */
function answer(socket: Socket, type: string, values: readonly string[]): void {
  const description = toMessage('T', int16(values.length), ...values.map((_, at) => toColumn(`column${String(at)}`)));
  const row = toMessage('D', int16(values.length), ...values.flatMap((value) => [int32(value.length), Buffer.from(value)]));
  const complete = toMessage('C', text('SELECT 1'));
  const replies: Record<string, Buffer[]> = {
    Q: [description, row, complete, READY],
    P: [toMessage('1')],
    B: [toMessage('2')],
    D: [description],
    E: [row, complete],
    S: [READY],
  };
  socket.write(Buffer.concat(replies[type] ?? []));
}
