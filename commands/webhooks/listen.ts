import { Flags } from '@oclif/core';
import { ApiCommand } from '../../src/cli/api-command.ts';
import { usage } from '../../src/cli/failure.ts';
import type { Format } from '../../src/cli/formats.ts';
import { routesOf, startListening } from '../../src/cli/listener.ts';
import { globalEventFlags, eventList } from '../../src/cli/webhook-command.ts';
import { adminTransport, expectDaemon } from '../../src/client/daemon.ts';
import { createClient } from '../../src/client/client.ts';
import { findTarget } from '../../src/client/target.ts';

const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

export default class WebhooksListen extends ApiCommand {
  static override summary = 'Receive events here: verify, print and forward each one';
  static override description = `Registers a temporary endpoint, and removes it at the end. With --forward-to every delivery goes on to your own receiver, with its body and headers unchanged; what your receiver answers is what stockroom records, so failures are retried.
With --since last, what happened since the last time this command listened comes first, each event once, also after it was killed.`;
  static override flags = {
    'forward-to': Flags.string({ helpValue: 'URL', description: 'Your receiver.' }),
    route: Flags.string({
      helpValue: 'EVENT=URL',
      multiple: true,
      multipleNonGreedy: true,
      description: 'Another receiver for one event. Repeatable.',
    }),
    ...globalEventFlags,
    since: Flags.string({ options: ['last'], description: 'Go on where the last run ended.' }),
  };
  static override examples = [
    '<%= config.bin %> webhooks listen',
    '<%= config.bin %> webhooks listen --forward-to http://127.0.0.1:3000/hooks --since last',
    '<%= config.bin %> webhooks listen --events order.created,order.updated --route order.created=http://127.0.0.1:3000/new-orders --json',
  ];

  protected override get format(): Format {
    return this.wantsJson || !process.stdout.isTTY ? 'ndjson' : 'table';
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(WebhooksListen);
    const routes = routesOf(flags['forward-to'], flags.route);
    const { profile, url, 'data-dir': dataDir } = this.globals as { profile?: string; url?: string; 'data-dir'?: string };
    const target = findTarget({ profile, url, dataDir }, process.env, process.cwd());
    if (!target.local) throw usage('listen needs the service of this machine: another one cannot reach a receiver here', 'leave --url out');
    const daemon = expectDaemon(target.daemon, target.dataDir.value);
    const listener = await startListening({
      client: await this.connect(),
      admin: createClient({ transport: adminTransport(daemon, target.dataDir.value), retry: this.retryPolicy() }),
      events: eventList(flags.events),
      routes,
      goOn: flags.since === 'last',
      name: target.profile.value,
      env: process.env,
      note: (text) => this.note(this.paintFor(process.stderr)('dim', text)),
      print: (line) =>
        void this.out.write(
          this.format === 'ndjson'
            ? `${JSON.stringify(line)}\n`
            : `${line.event}  ${line.verified ? 'verified' : 'NOT VERIFIED'}${line.forwarded === null ? '' : `  → ${String(line.forwarded)}`}  ${line.eventId}\n`,
        ),
    });
    const code = await new Promise<number>((resolve) => {
      for (const [signal, exit] of Object.entries(SIGNALS)) process.once(signal, () => resolve(exit));
    });
    await listener.stop();
    this.exit(code);
  }
}
