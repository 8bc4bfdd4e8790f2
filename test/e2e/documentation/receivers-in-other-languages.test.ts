/** The receivers in other languages and the test vector of docs/webhooks.md. A language whose runtime is missing is skipped, with the reason. */
import { spawn, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import { verifyWebhook } from '../../../src/webhook-verifier/verify.ts';
import { findFreePort } from '../../support/servers/free-port.ts';

const folder = fileURLToPath(new URL('../../../docs/examples', import.meta.url));
const SECRET = 'ab'.repeat(32);
const EVENT = '{"event":"order.created","data":{"id":"one","eventId":"event-1","name":"Größe"}}';

/** File → the command that runs it; `PORT` stands for the port. */
const RECEIVERS: Readonly<Record<string, { readonly version: readonly string[]; readonly run: readonly string[] }>> = {
  'receiver.py': { version: ['python3', '--version'], run: ['python3', 'receiver.py'] },
  'receiver.go': { version: ['go', 'version'], run: ['go', 'run', 'receiver.go'] },
  'receiver.php': { version: ['php', '--version'], run: ['php', '-S', '127.0.0.1:PORT', 'receiver.php'] },
  'receiver.rb': { version: ['ruby', '--version'], run: ['ruby', 'receiver.rb'] },
};

const sign = (secret: string, timestamp: string, body: string): string =>
  `v1=${createHmac('sha256', Buffer.from(secret, 'hex')).update(`${timestamp}.${body}`).digest('hex')}`;

const hasRuntime = ([command = '', ...args]: readonly string[]): boolean => spawnSync(command, args).status === 0;

test.for(Object.entries(RECEIVERS))(
  '%s accepts signed deliveries, also during a rotation, and no others',
  async ([, { version, run }], { skip }) => {
    if (!hasRuntime(version)) skip(`${version[0] ?? ''} is not installed on this machine`);
    const port = await findFreePort();
    const [command = '', ...args] = run.map((part) => part.replace('PORT', String(port)));
    const env = { ...process.env, PORT: String(port), SIGNING_SECRET: SECRET };
    // A group of its own: `go run` starts the program as a child.
    const child = spawn(command, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    onTestFinished(() => void process.kill(-(child.pid ?? 0), 'SIGKILL'));
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
    const post = async (body: string, headers: Record<string, string>): Promise<number> => {
      const response = await fetch(`http://127.0.0.1:${String(port)}/hooks`, { method: 'POST', body, headers });
      await response.arrayBuffer();
      return response.status;
    };
    await expect.poll(() => post('{}', {}).catch(() => errors), { timeout: 120_000 }).toBe(400);

    const now = String(Math.floor(Date.now() / 1_000));
    const signed = (timestamp: string, signature = sign(SECRET, timestamp, EVENT)) => ({
      'content-type': 'application/json',
      'x-service-timestamp': timestamp,
      'x-service-signature': signature,
    });
    expect(await post(EVENT, signed(now))).toBe(204);
    expect(await post(EVENT, signed(now, `${sign('cd'.repeat(32), now, EVENT)},${sign(SECRET, now, EVENT)}`))).toBe(204);
    const stale = String(Number(now) - 301);
    const wrong: readonly (readonly [string, Record<string, string>])[] = [
      [EVENT, signed(stale)],
      [`${EVENT} `, signed(now)],
      [EVENT, signed(now, sign('cd'.repeat(32), now, EVENT))],
      [EVENT, signed(now, 'v1=zz')],
      [EVENT, signed('soon')],
      ['', {}],
      ['x'.repeat(300_000), {}],
    ];
    for (const [body, headers] of wrong) expect(await post(body, headers).catch(() => 400), JSON.stringify(headers)).toBe(400);
    await expect.poll(() => lines).toEqual(['order.created one', 'order.created one']);
  },
);

test('the test vector of docs/webhooks.md has the signatures that receivers compute', () => {
  const page = readFileSync(new URL('../../../docs/webhooks.md', import.meta.url), 'utf8');
  const read = (name: string): string => new RegExp(`^${name} +(.+)$`, 'mu').exec(page)?.[1] ?? `no ${name} on the page`;
  const [secret, timestamp, body, signature] = ['secret', 'timestamp', 'body', 'signature'].map(read) as [string, string, string, string];
  expect(sign(secret, timestamp, body)).toBe(signature);
  const headers = { 'x-service-timestamp': timestamp, 'x-service-signature': signature };
  const now = new Date(Number(timestamp) * 1_000);
  expect(verifyWebhook(body, headers, secret, { now }).event).toBe('order.created');
  // The form of the secret for libraries of Standard Webhooks.
  const base64 = `whsec_${Buffer.from(secret, 'hex').toString('base64')}`;
  expect(read('whsec')).toBe(base64);
  expect(new Webhook(base64).sign(read('webhook-id'), now, body)).toBe(read('webhook-signature'));
});
