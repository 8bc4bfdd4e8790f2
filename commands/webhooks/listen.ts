import { Flags } from '@oclif/core';
import { ApiCommand } from '../../src/cli/api-command.ts';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { Failure, usage } from '../../src/cli/failure.ts';
import type { Format } from '../../src/cli/formats.ts';
import { checkedUrl } from '../../src/cli/address.ts';
import { type Heard, listenFromAfar, routesOf, startListening, tenantOf } from '../../src/cli/listener.ts';
import { visible } from '../../src/cli/width.ts';
import { globalEventFlags, eventList } from '../../src/cli/webhook-command.ts';
import { adminTransport, daemonTransport, expectDaemon } from '../../src/client/daemon.ts';
import { whyUnwritable } from '../../src/client/reasons.ts';
import { createClient } from '../../src/client/client.ts';
import { findTarget } from '../../src/client/target.ts';

/** The last is that of a terminal window that is closed. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** For people: what, whether it is genuine, what the receiver said. */
function lineOf({ event, verified, forwarded, eventId, deliveryId }: Heard): string {
  const genuine = verified === null ? 'not received here' : verified ? 'verified' : 'NOT VERIFIED';
  return visible(`${event}  ${genuine}${forwarded === null ? '' : `  → ${String(forwarded)}`}  ${eventId ?? deliveryId}`);
}

export default class WebhooksListen extends ApiCommand {
  static override summary = 'Receive events here: verify, print and forward each one';
  static override description = `Registers a temporary endpoint, and removes it at the end. With --forward-to every delivery goes on to your own receiver, with its body and headers unchanged; what your receiver answers is what stockroom records, so failures are retried.
With --since last, what happened since the last time this command listened comes first, each event once, also after it was killed.
A service elsewhere (--url, or a profile with an address) needs --public-url: an address from which a tunnel leads to --port on this machine. Without one its public API is asked every now and then, and events are only told, not received.`;
  static override flags = {
    'forward-to': Flags.string({ helpValue: 'URL', description: 'Your receiver.' }),
    route: Flags.string({
      helpValue: 'EVENT=URL',
      multiple: true,
      multipleNonGreedy: true,
      description: 'Another receiver for one event. Repeatable.',
    }),
    ...globalEventFlags,
    'public-url': Flags.string({
      helpValue: 'URL',
      description: 'Where the service reaches this command: the far end of a tunnel to --port.',
    }),
    port: Flags.integer({ helpValue: 'N', min: 1, max: 65_535, description: 'Port of the receiver on this machine. Default: a free one.' }),
    since: Flags.string({ options: ['last'], description: 'Go on where the last run ended.' }),
  };
  static override examples = [
    '<%= config.bin %> webhooks listen',
    '<%= config.bin %> webhooks listen --forward-to http://127.0.0.1:3000/hooks --since last',
    '<%= config.bin %> webhooks listen --public-url https://my-tunnel.example --port 4100 --forward-to http://127.0.0.1:3000/hooks',
    '<%= config.bin %> webhooks listen --events order.created,order.updated --route order.created=http://127.0.0.1:3000/new-orders --json',
  ];

  protected override get format(): Format {
    return this.wantsJson || !process.stdout.isTTY ? 'ndjson' : 'table';
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(WebhooksListen);
    const events = eventList(flags.events);
    const routes = routesOf(events, flags['forward-to'], flags.route);
    const { profile, url, 'data-dir': dataDir } = this.globals as { profile?: string; url?: string; 'data-dir'?: string };
    const target = findTarget({ profile, url, dataDir }, process.env, process.cwd());
    const { value: directory } = target.dataDir;
    const publicUrl = flags['public-url'];
    if (publicUrl !== undefined) checkedUrl(publicUrl, '--public-url');
    if (!target.local && publicUrl === undefined && (flags['forward-to'] ?? flags.route ?? flags.port) !== undefined) {
      throw usage('a service elsewhere cannot reach a receiver here', 'add --public-url with the address of a tunnel to --port');
    }
    const daemon = () => expectDaemon(findTarget({ dataDir: directory }, process.env, process.cwd()).daemon, directory);
    if (target.local) daemon();
    const common = {
      events,
      goOn: flags.since === 'last',
      name: target.local ? target.profile.value : `${target.profile.value}-${new URL(target.url.value).host.replaceAll(/[^\w.]/gu, '_')}`,
      env: process.env,
      note: (text: string) => this.note(this.paintFor(process.stderr)('dim', text)),
      // A reader that has gone is noticed below.
      print: (line: Heard) =>
        void this.out.write(this.format === 'ndjson' ? `${JSON.stringify(line)}\n` : `${lineOf(line)}\n`).catch(() => undefined),
    };
    if (!target.local && publicUrl === undefined) {
      await listenFromAfar({ ...common, client: await this.connect() });
      return;
    }
    const client = await this.connect();
    const { key } = await this.reach();
    const retry = this.retryPolicy();
    // Always with the key of the endpoint, whichever profile is in use by then.
    const connect = () => (target.local ? createClient({ transport: daemonTransport(daemon(), directory), key, retry }) : client);
    const admin = () => createClient({ transport: adminTransport(daemon(), directory), retry });
    const local = target.local ? { daemon, admin, tenant: await this.awaiting(tenantOf(client)) } : undefined;
    const ended = Promise.withResolvers<number>();
    // Not earlier: until there is an endpoint to remove, a signal ends the command at once.
    const begun = () => this.endWith(ended.resolve);
    const listener = await startListening({ ...common, connect, local, routes, publicUrl, port: flags.port, begun });
    common.note(`listening for ${events.length === 1 ? String(events[0]) : `${String(events.length)} events`}; Ctrl-C ends it`);
    const end = await Promise.race([ended.promise, listener.ended]);
    if (typeof end === 'number') {
      await this.awaiting(listener.stop());
      this.exit(end);
    }
    // Whatever keeps the rest from being tidied up follows from this.
    await listener.stop().catch(() => undefined);
    throw new Failure('endpoint_gone', end, { exit: EXIT.notFound, hint: 'start the command again for another one' });
  }

  private endWith(end: (exit: number) => void): void {
    for (const [signal, exit] of Object.entries(SIGNALS)) process.once(signal, () => end(exit));
    // A reader who has seen enough (`| head -1`) ends it, too: the launcher would not wait until the endpoint is removed.
    process.stdout.removeAllListeners('error').on('error', (error: NodeJS.ErrnoException) => {
      const isLeft = error.code === 'EPIPE';
      if (!isLeft) this.note(`the output cannot be written: ${whyUnwritable(error)}`);
      end(isLeft ? EXIT.ok : EXIT.unexpected);
    });
  }
}
