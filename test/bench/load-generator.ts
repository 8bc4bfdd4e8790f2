/**
 * The load generator, a process of its own: keeps `connections` keep-alive connections busy for a while, one request under way on each.
 *
 * Ours, rather than wrk or autocannon, because it has to be there wherever npm is, send a fresh Idempotency-Key and a fresh SKU with
 * every write, and look at every status: an error counted as a success would be the fastest reply of all. It speaks HTTP/1.1 over bare
 * sockets with one read buffer per connection and parses nothing but the status and the length, which costs it about 11 µs a request:
 * some 90,000 a second from one core, more than twice what any Hapi program answers. `busy` in the result shows when it was the limit.
 */
import { randomBytes } from 'node:crypto';
import { type Socket, connect } from 'node:net';
import { cpuMicros } from './machine.ts';

/** One request of a run as text; `{n}` in path, headers or body becomes a number that was never sent before, always of the same length. */
export interface Shot {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The only status that counts as an answer. */
  readonly status: number;
  /** Sent and checked, but in none of the figures. */
  readonly untimed?: true;
}

export interface Job {
  readonly port: number;
  readonly connections: number;
  readonly warmupMs: number;
  readonly measureMs: number;
  /** The process whose CPU time is counted. */
  readonly pid: number;
  /** Taken in turn, every connection starting elsewhere. */
  readonly shots: readonly Shot[];
}

export interface Load {
  readonly requests: number;
  /** Answers per second. */
  readonly rate: number;
  /** Milliseconds from the first byte sent to the last byte read. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** CPU microseconds of the server per answer; null where the system does not report them. */
  readonly cpu: number | null;
  /** Share of its core that the generator itself used. */
  readonly busy: number;
}

export type Answer = { readonly load: Load } | { readonly error: string };

const HEAD_END = '\r\n\r\n';
const LENGTH = /\r\ncontent-length: *(\d+)/iu;
const READ_BYTES = 262_144;
const MARK = '{n}';
const COUNTER_DIGITS = 9;

if (process.send) {
  process.on('message', (job: Job) => {
    run(job).then(
      (load) => process.send?.({ load } satisfies Answer),
      (error: unknown) => process.send?.({ error: error instanceof Error ? error.message : String(error) } satisfies Answer),
    );
  });
  process.on('disconnect', () => process.exit());
}

async function run(job: Job): Promise<Load> {
  const shots = job.shots.map((shot) => ({
    write: getWriter(shot, job.port),
    status: shot.status,
    untimed: shot.untimed,
    name: `${shot.method} ${shot.path}`,
  }));
  const nextShot = (turn: number) => shots[turn % shots.length] as (typeof shots)[number];
  const latencies: number[] = [];
  let measuring = false;
  let ended = false;
  let fail: (error: Error) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => (fail = reject));

  const sockets = Array.from({ length: job.connections }, (_, index) => {
    let turn = Math.floor((index * shots.length) / job.connections);
    let shot = nextShot(turn);
    let sentAt = 0;
    const next = () => {
      shot = nextShot((turn += 1));
      sentAt = performance.now();
      shot.write(socket);
    };
    const socket = open(job.port, {
      keepsBody: (status) => status !== shot.status,
      onReply(status, body) {
        if (status !== shot.status) {
          fail(new Error(`${shot.name} was answered ${String(status)} instead of ${String(shot.status)}: ${body}`));
          return;
        }
        if (measuring && !shot.untimed) latencies.push(performance.now() - sentAt);
        if (!ended) next();
      },
      onBroken: (error) => ended || fail(new Error(`${shot.name}: ${error.message}`)),
    });
    socket.once('connect', next);
    return socket;
  });

  try {
    await Promise.race([sleep(job.warmupMs), failed]);
    const before = { at: performance.now(), cpu: cpuMicros(job.pid), own: process.cpuUsage() };
    measuring = true;
    await Promise.race([sleep(job.measureMs), failed]);
    measuring = false;
    const elapsed = performance.now() - before.at;
    const cpu = cpuMicros(job.pid);
    const own = process.cpuUsage(before.own);
    ended = true;
    const requests = latencies.length;
    if (requests === 0) throw new Error(`${nextShot(0).name}: no answer within ${String(job.measureMs)} ms`);
    latencies.sort((a, b) => a - b);
    const rank = (share: number) => latencies[Math.min(requests - 1, Math.floor(requests * share))] ?? 0;
    return {
      requests,
      rate: (requests / elapsed) * 1000,
      p50: rank(0.5),
      p99: rank(0.99),
      max: rank(1),
      cpu: cpu === undefined || before.cpu === undefined ? null : (cpu - before.cpu) / requests,
      busy: (own.user + own.system) / 1000 / elapsed,
    };
  } finally {
    ended = true;
    for (const socket of sockets) socket.destroy();
  }
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** How to send a shot. What does not change is put together once. */
function getWriter({ method, path, headers, body }: Shot, port: number): (socket: Socket) => void {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body.replaceAll(MARK, uniqueNumber(0)))) };
  const lines = Object.entries({ host: `127.0.0.1:${String(port)}`, ...headers, ...length }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const text = `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`;
  if (!text.includes(MARK)) {
    const bytes = Buffer.from(text);
    return (socket) => socket.write(bytes);
  }
  const parts = text.split(MARK);
  return (socket) => socket.write(parts.join(uniqueNumber((sent += 1))));
}

/** One counter for all requests of this process, and a name for the process: nothing is ever sent twice. */
const processName = randomBytes(4).toString('hex');
let sent = 0;
const uniqueNumber = (number: number): string => `${processName}${String(number).padStart(COUNTER_DIGITS, '0')}`;

interface Listener {
  /** Only the body of a wrong answer is worth reading. */
  keepsBody(status: number): boolean;
  onReply(status: number, body: string): void;
  onBroken(error: Error): void;
}

/** A connection that reports whole replies. */
function open(port: number, { keepsBody, onReply, onBroken }: Listener): Socket {
  let split = '';
  let status = 0;
  let head = '';
  let missing = 0;
  let keeps = false;
  let body = '';
  const received = (count: number, buffer: Uint8Array) => {
    const chunk = buffer as Buffer;
    let position = 0;
    while (position < count) {
      if (missing > 0) {
        const taken = Math.min(missing, count - position);
        if (keeps) body += chunk.toString('utf8', position, position + taken);
        missing -= taken;
        position += taken;
      } else {
        const end = split === '' ? chunk.indexOf(HEAD_END, position, 'latin1') : -1;
        if (end >= 0 && end + HEAD_END.length <= count) {
          head = chunk.toString('latin1', position, end);
          position = end + HEAD_END.length;
        } else {
          // A head in several reads is rare, so it may cost a copy.
          const text = split + chunk.toString('latin1', position, count);
          const at = text.indexOf(HEAD_END);
          if (at < 0) {
            split = text;
            return true;
          }
          head = text.slice(0, at);
          position = count - (text.length - at - HEAD_END.length);
          split = '';
        }
        status = Number(head.slice(9, 12));
        body = '';
        keeps = keepsBody(status);
        missing = Number(LENGTH.exec(head)?.[1] ?? 0);
        if (missing === 0 && status !== 204) {
          onBroken(new Error(`a reply without Content-Length: ${head}`));
          return false;
        }
      }
      if (missing === 0) onReply(status, body);
    }
    return true;
  };
  const socket = connect({
    port,
    host: '127.0.0.1',
    noDelay: true,
    onread: { buffer: Buffer.allocUnsafe(READ_BYTES), callback: received },
  });
  socket.on('error', onBroken);
  socket.on('close', () => onBroken(new Error('the server closed the connection')));
  return socket;
}
