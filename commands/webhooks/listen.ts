import { HANGUP, watchInterrupts } from '../../src/cli/session/interrupt.ts';
import { defineCommand } from '../../src/cli/command/define-command.ts';
import { EXIT } from '../../src/cli/errors/exit-codes.ts';
import { Failure, usageError } from '../../src/cli/errors/failure.ts';
import { formatDataDirFlag } from '../../src/cli/errors/hints.ts';
import { repeatable } from '../../src/cli/input/common-flags.ts';
import { integerFlag } from '../../src/cli/input/integer-flag.ts';
import { validateUrl } from '../../src/cli/input/service-url.ts';
import { getValueAt } from '../../src/cli/output/fields.ts';
import { formatLogTime } from '../../src/cli/views/local-time.ts';
import { watchPipeReader } from '../../src/cli/output/pipe-reader.ts';
import { withWaitIndicator } from '../../src/cli/output/wait-indicator.ts';
import { apiAccess, type ApiContext } from '../../src/cli/session/api-session.ts';
import { getDataDirForHints, resolveFlags } from '../../src/cli/session/session.ts';
import type { ReceivedDelivery } from '../../src/cli/webhooks/delivery-handler.ts';
import { listenByPolling, startListening } from '../../src/cli/webhooks/listener.ts';
import { parseRoutes } from '../../src/cli/webhooks/routes.ts';
import { eventsFlag } from '../../src/cli/webhooks/webhook-commands.ts';
import { createClient } from '../../src/client/client.ts';
import { createAdminTransport, createDaemonTransport, requireDaemonState } from '../../src/client/transport/daemon-transport.ts';
import { explainWriteError } from '../../src/client/settings/file-errors.ts';
import { SUBSCRIBABLE_EVENTS } from '../../src/contract/events.ts';
import { getAuthContext } from '../../src/contract/resources/auth-context.ts';
import { sanitize } from '../../src/platform/terminal-text.ts';
import { Errors, Flags } from '@oclif/core';
import { dirname } from 'node:path';

/** Formats a delivery for people: time, event, record, signature check, answer of the receiver. `width`: of the longest event. */
function formatLine({ event, verified, forwarded, forwardError, data, deliveryId }: ReceivedDelivery, width: number): string {
  const genuine = verified === null ? 'to another endpoint' : verified ? 'verified' : 'NOT VERIFIED';
  const answer = forwarded === null ? '' : `→ ${forwardError ?? String(forwarded)}`;
  const cells = [
    formatLogTime(new Date().toISOString()),
    event.padEnd(width),
    (findSubject(data) ?? deliveryId).padEnd(SUBJECT_CHARS),
    genuine,
    answer,
  ];
  return sanitize(cells.join('  ').trimEnd());
}

/** The number, SKU or name of a record: of an order, a document, an item, a contact, a user. */
const SUBJECTS = ['orderNumber', 'documentNumber', 'sku', 'name', 'email'];
/** Numbers and most SKUs. */
const SUBJECT_CHARS = 12;

function findSubject(data: unknown): string | undefined {
  const values = SUBJECTS.map((field) => getValueAt(data, field));
  return values.find((value): value is string => typeof value === 'string' && value !== '');
}

export default defineCommand({
  access: apiAccess,
  summary: 'Receive webhook events: verify, print and forward them',
  hiddenAliases: ['listen'],
  description: `Creates an endpoint, disables it on Ctrl-C and reuses it in the next run in the same project, so that its deliveries stay; the response of your receiver (--forward-to) is recorded, so failures are retried. For a remote service pass --public-url, the URL of a tunnel to --port; otherwise its API is polled with at most half of the key's rate limit, and events are only printed.`,
  flags: {
    'forward-to': Flags.string({ helpValue: 'URL', description: 'URL of your receiver.' }),
    route: Flags.string({ helpValue: 'EVENT=URL', ...repeatable, description: 'Receiver of one event. Repeatable.' }),
    ...eventsFlag,
    'public-url': Flags.string({ helpValue: 'URL', description: 'Public URL of a tunnel to --port.' }),
    port: integerFlag({ helpValue: 'N', min: 1, max: 65_535, description: 'Local port to listen on. Default: any free port.' }),
    since: Flags.string({ options: ['last'], description: 'Start with the events missed since the last run.' }),
  },
  examples: [
    'webhooks listen',
    'webhooks listen --forward-to http://127.0.0.1:3000/hooks --since last',
    'webhooks listen --public-url https://my-tunnel.example --port 4100 --forward-to http://127.0.0.1:3000/hooks',
    'webhooks listen --event order.created --event order.updated --route order.created=http://127.0.0.1:3000/new-orders --json',
  ],
  async run(context) {
    const { flags, session } = context;
    const output = context.output.forLines();
    const events = flags.event ?? SUBSCRIBABLE_EVENTS;
    const routes = parseRoutes(events, flags['forward-to'], flags.route);
    const target = resolveFlags(flags);
    const { value: directory } = target.dataDir;
    const publicUrl = flags['public-url'];
    if (publicUrl !== undefined) validateUrl(publicUrl, '--public-url');
    if (!target.isLocal && publicUrl === undefined && (flags['forward-to'] ?? flags.route ?? flags.port) !== undefined) {
      throw usageError('A remote service cannot reach a receiver on this machine', 'Pass --public-url with the URL of a tunnel to --port');
    }
    const getDaemon = () => requireDaemonState(resolveFlags({ 'data-dir': directory }).daemon, directory);
    if (target.isLocal) getDaemon();
    const width = Math.max(...events.map((event) => event.length));
    const isForwarding = (flags['forward-to'] ?? flags.route) !== undefined;
    const common = {
      events,
      resume: flags.since === 'last',
      name: target.isLocal ? target.profile.value : `${target.profile.value}-${new URL(target.url.value).host.replaceAll(/[^\w.]/gu, '_')}`,
      project: target.projectFile === undefined ? process.cwd() : dirname(target.projectFile),
      env: process.env,
      printNote: (text: string) => output.printDimNote(text),
      // A closed stdout is handled in `endOnSignal`.
      print: (line: ReceivedDelivery) =>
        void output.write(output.format === 'ndjson' ? `${JSON.stringify(line)}\n` : `${formatLine(line, width)}\n`).catch(() => undefined),
    };
    watchPipeReader();
    if (!target.isLocal && publicUrl === undefined) {
      await listenByPolling({ ...common, client: await session.connect() });
      return;
    }
    const client = await session.connect();
    const { key } = await session.resolveConnection();
    const retry = session.retryPolicy;
    // Always uses the key that created the endpoint, even if the active profile changes.
    const connect = () => (target.isLocal ? createClient({ transport: createDaemonTransport(getDaemon()), key, retry }) : client);
    const createAdminClient = () => createClient({ transport: createAdminTransport(getDaemon()), retry });
    const readTenantId = async () => (await withWaitIndicator(client.perform(getAuthContext))).body.data.tenant.id;
    const local = target.isLocal ? { getDaemon, createAdminClient, tenant: await readTenantId() } : undefined;
    const ended = Promise.withResolvers<number>();
    // Before the endpoint exists: a signal during its creation must disable it, too.
    endOnSignal(context, ended.resolve);
    // A program that receives forwarded deliveries verifies them itself. A log is no place for a secret.
    const onSecret = (secret: string) => isForwarding && process.stderr.isTTY && output.printNote(`Signing secret: ${secret}`);
    const listener = await startListening({ ...common, connect, local, routes, publicUrl, port: flags.port, onSecret });
    const dataDirFlag = formatDataDirFlag(getDataDirForHints(flags, target));
    if (isForwarding && !process.stderr.isTTY) common.printNote(explainSecret(`${listener.endpointId}${dataDirFlag}`));
    common.printNote(`Listening for ${events.length === 1 ? String(events[0]) : `${String(events.length)} events`}; press Ctrl-C to stop`);
    const end = await Promise.race([ended.promise, listener.ended]);
    if (typeof end === 'number') {
      await withWaitIndicator(listener.stop());
      Errors.exit(end);
    }
    // Errors of the cleanup are consequences of this one.
    await listener.stop().catch(() => undefined);
    throw new Failure('ENDPOINT_GONE', end, { hint: 'Run the command again to create another endpoint' });
  },
});

const explainSecret = (endpoint: string): string =>
  `To verify signatures in your receiver, show a signing secret with \`stockroom webhooks rotate-secret ${endpoint}\`; see \`stockroom help webhooks\``;

function endOnSignal({ output }: ApiContext, end: (exit: number) => void): void {
  const interrupt = watchInterrupts(undefined, HANGUP);
  interrupt.signal.addEventListener('abort', () => end(interrupt.exit ?? EXIT.ok));
  // A closed stdout (`| head -1`) also ends the command. The default handler would exit before the endpoint is disabled.
  process.stdout.removeAllListeners('error').on('error', (error: NodeJS.ErrnoException) => {
    const isPipeClosed = error.code === 'EPIPE';
    if (!isPipeClosed) output.printNote(`Cannot write output: ${explainWriteError(error)}`);
    end(isPipeClosed ? EXIT.ok : EXIT.unexpected);
  });
}
