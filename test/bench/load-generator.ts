/**
 * The load generator, a process of its own: autocannon keeps `connections` keep-alive connections busy for a while, one request under way
 * on each. Its results are per second and cover the warm-up, so the figures come from its responses: every status is checked, because an
 * error counted as a success would be the fastest reply of all. `busy` shows when the generator itself was the limit.
 */
import { createHistogram } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon, { type Client, type Options } from 'autocannon';
import { type Answer, type Job, type Load, type Shot, UNIQUE } from './load.ts';
import { cpuMicros } from './machine.ts';

if (process.send) {
  process.on('message', (job: Job) => {
    run(job).then(
      (load) => process.send?.({ load } satisfies Answer),
      (error: unknown) => process.send?.({ error: error instanceof Error ? error.message : String(error) } satisfies Answer),
    );
  });
  process.on('disconnect', () => process.exit());
}

const TIMEOUT_S = 60;
/** How often autocannon looks whether it should stop. */
const SAMPLE_MS = 10;

async function run({ port, connections, warmupMs, measureMs, pid, shots }: Job): Promise<Load> {
  const microseconds = createHistogram();
  const sent = new Map<Client, { readonly shots: readonly Shot[]; replies: number }>();
  const firstReply = Promise.withResolvers<void>();
  let isMeasuring = false;
  const failure = Promise.withResolvers<never>();
  // Failures after the measurement have no reader.
  failure.promise.catch(() => undefined);
  const fail = (message: string) => failure.reject(new Error(message));

  const ended = Promise.withResolvers<void>();
  const options: Options = {
    url: `http://127.0.0.1:${String(port)}`,
    connections,
    duration: (warmupMs + measureMs) / 1_000 + TIMEOUT_S,
    timeout: TIMEOUT_S,
    sampleInt: SAMPLE_MS,
    idReplacement: shots.some((shot) => JSON.stringify(shot).includes(UNIQUE)),
    setupClient(client) {
      const part = choosePart(shots, sent.size, connections);
      sent.set(client, { shots: part, replies: 0 });
      client.setRequests(part.map(toRequest));
    },
  };
  const instance = autocannon(options, (error: unknown) => (error instanceof Error ? ended.reject(error) : ended.resolve()));
  instance.on('response', (client, status, _bytes, milliseconds) => {
    const own = sent.get(client);
    const shot = own?.shots[own.replies % own.shots.length];
    if (own === undefined || shot === undefined) return;
    own.replies += 1;
    firstReply.resolve();
    if (status !== shot.status) fail(`${shot.method} ${shot.path} was answered ${String(status)} instead of ${String(shot.status)}`);
    else if (isMeasuring && !shot.untimed) microseconds.record(Math.max(1, Math.round(milliseconds * 1_000)));
  });
  instance.on('reqError', (error: Error) => fail(`${String(shots[0]?.path)}: ${error.message}`));

  try {
    // Building the requests of all connections takes a part of a second.
    await Promise.race([firstReply.promise, failure.promise]);
    await Promise.race([sleep(warmupMs), failure.promise]);
    const before = { at: performance.now(), cpu: cpuMicros(pid), own: process.cpuUsage() };
    isMeasuring = true;
    await Promise.race([sleep(measureMs), failure.promise]);
    isMeasuring = false;
    const elapsed = performance.now() - before.at;
    const cpu = cpuMicros(pid);
    const own = process.cpuUsage(before.own);
    const requests = microseconds.count;
    if (requests === 0) throw new Error(`${String(shots[0]?.path)}: no reply within ${String(measureMs)} ms`);
    return {
      requests,
      rate: (requests / elapsed) * 1_000,
      p50: microseconds.percentile(50) / 1_000,
      p99: microseconds.percentile(99) / 1_000,
      max: microseconds.max / 1_000,
      cpu: cpu === undefined || before.cpu === undefined ? null : (cpu - before.cpu) / requests,
      busy: (own.user + own.system) / 1_000 / elapsed,
    };
  } finally {
    instance.stop();
    await ended.promise;
  }
}

const toRequest = ({ method, path, headers, body }: Shot) => ({ method, path, headers, ...(body === undefined ? {} : { body }) });

/** The shots of one connection: its part, or all of them when there are fewer shots than connections. */
function choosePart(shots: readonly Shot[], index: number, connections: number): readonly Shot[] {
  const size = Math.floor(shots.length / connections);
  return size === 0 ? shots : shots.slice(index * size, (index + 1) * size);
}
