/** Starts a daemon, in the background or in this process. */
import { Flags, type Interfaces } from '@oclif/core';
import { defineCommand } from '../../src/cli/command/define-command.ts';
import { valueList } from '../../src/cli/input/common-flags.ts';
import { integerFlag } from '../../src/cli/input/integer-flag.ts';
import { contractFlag, corsFlag, selectContract, selectCors } from '../../src/cli/input/start-flags.ts';
import { omitUndefined } from '../../src/cli/records/request.ts';
import { type DaemonContext, daemonAccess, reportReplay } from '../../src/cli/session/daemon-session.ts';
import { printStarted } from '../../src/cli/settings/started-daemon.ts';
import { STOPPING } from '../../src/cli/views/daemon-messages.ts';
import { type LoadedDemoTenant, loadDemo } from '../../src/contract/admin/demo.ts';
import { DRAIN_MAX_S, LOG_LEVELS, PORT_MAX } from '../../src/platform/daemon-state.ts';
import { createDaemonClient, fixturesFlag, prepareFixtures } from '../../src/cli/fixtures/started-fixtures.ts';
import { type DaemonFlags, parseTier, resolveConfig } from '../../src/daemon/config.ts';
import { startDaemon } from '../../src/daemon/control/start.ts';
import { runInForeground } from '../../src/daemon/lifecycle/foreground.ts';

const SLOW_STOP_MS = 1_000;

const startFlags = {
  foreground: Flags.boolean({
    description: 'Run in the foreground until Ctrl-C and log to stderr. With --json, print one line when ready.',
  }),
  port: integerFlag({
    min: 0,
    max: PORT_MAX,
    helpValue: 'N',
    description: 'Port to listen on, 0 for any free port; exit code 7 if it is in use. Default: 8625, or the next free port.',
  }),
  host: Flags.string({
    helpValue: 'H',
    description: 'Address to listen on. Default: 127.0.0.1; other than loopback requires --insecure.',
  }),
  insecure: Flags.boolean({ description: 'Allow plain HTTP on an address that other machines can reach.' }),
  demo: Flags.boolean({ description: 'Load the demo data if missing; a start then retries deliveries within a minute.' }),
  fixtures: fixturesFlag,
  ephemeral: Flags.boolean({ description: 'Use a temporary data directory, deleted on stop. The key is not saved.' }),
  snapshot: Flags.string({ helpValue: 'NAME', description: 'Restore this snapshot first, replacing all data.' }),
  store: Flags.string({
    helpValue: 'URL',
    description: 'Store the data in this PostgreSQL database, which several daemons can share. Default: STOCKROOM_STORE, or files.',
  }),
  'public-url': Flags.string({
    helpValue: 'URL',
    description: 'URL under which clients reach the service through a proxy or load balancer (or set STOCKROOM_PUBLIC_URL).',
  }),
  cors: corsFlag,
  contract: contractFlag,
  'allow-registration': Flags.boolean({
    allowNo: true,
    description: 'Let applications register themselves, such as MCP clients. Default: only if all clients are on this machine.',
  }),
  console: Flags.boolean({ allowNo: true, description: 'Serve the console at /console. Default: yes.' }),
  'trust-proxy': Flags.string({
    ...valueList,
    helpValue: 'CIDR,…',
    description: 'Use the X-Forwarded headers of proxies at these addresses (or set STOCKROOM_TRUST_PROXY). Repeatable.',
  }),
  'drain-seconds': integerFlag({
    min: 0,
    max: DRAIN_MAX_S,
    helpValue: 'N',
    description:
      'Serve requests for N more seconds on stop, not ready for a load balancer. Default: 5 with a public URL or a PostgreSQL store, else 0.',
  }),
  'metrics-port': integerFlag({
    min: 0,
    max: PORT_MAX,
    helpValue: 'N',
    description: 'Serve metrics for Prometheus on this port, at /metrics; 0 for any free port.',
  }),
  'otlp-endpoint': Flags.string({
    helpValue: 'URL',
    description: 'Send spans of requests and deliveries to this collector, by OTLP over HTTP.',
  }),
  'metrics-host': Flags.string({ helpValue: 'H', description: 'Address of --metrics-port. Default: 127.0.0.1.' }),
  'control-port': integerFlag({
    min: 0,
    max: PORT_MAX,
    helpValue: 'N',
    description:
      'Serve the admin API on this port, 0 for any free port, with the token of DATA_DIR/control-token or STOCKROOM_CONTROL_TOKEN.',
  }),
  'control-host': Flags.string({
    helpValue: 'H',
    description: 'Address of --control-port. Default: 127.0.0.1; other than loopback requires --insecure.',
  }),
  record: Flags.boolean({
    description: 'Record the last 10,000 requests with headers and bodies, without secrets, for `requests export` and tests.',
  }),
  'test-clock': Flags.boolean({ description: 'Use a test clock, controlled with `stockroom clock`.' }),
  tier: Flags.string({ ...valueList, helpValue: 'NAME=PER_MINUTE,…', description: 'Create or update a rate-limit tier. Repeatable.' }),
  'webhook-retries': Flags.string({
    helpValue: 'demo|S,S,…',
    description: 'Webhook retry schedule: delays in seconds, or demo for all retries within a minute.',
  }),
  'log-level': Flags.option({
    options: LOG_LEVELS,
    description: 'Minimum level to log; debug includes every request. Default: info, or warn in the foreground of a terminal.',
  })(),
};

export default defineCommand({
  access: daemonAccess,
  summary: 'Start the daemon in the background',
  hiddenAliases: ['start'],
  description:
    'Returns when the daemon is ready; succeeds without changes if it already runs with these options, and exits with 5 if it runs with other ones. The first start of a data directory creates the tenant "local" and saves a key with all scopes in your profile.',
  flags: startFlags,
  examples: [
    'daemon start',
    'daemon start --ephemeral --port 0 --test-clock --json',
    'daemon start --foreground --demo',
    'daemon start --data-dir ./stock --tier bulk=6000',
  ],
  async run(context) {
    const { flags, session } = context;
    const fixtures = flags.fixtures === undefined ? undefined : await prepareFixtures(flags.fixtures);
    const config = await resolveConfig({ ...toDaemonFlags(flags), hasFixtures: fixtures !== undefined }, process.env);
    if (flags.foreground) {
      await runInForeground(
        config,
        process.env,
        async (daemon) => {
          noteSlowStop(context);
          try {
            await fixtures?.apply(createDaemonClient(daemon.status.dataDir));
            const firstKey = daemon.firstKey ?? fixtures?.firstKey;
            await printStarted(context, config, { ...daemon, firstKey, wasRunning: false, isForeground: true });
          } catch (error) {
            // Without its fixtures it is not the service that was asked for.
            await daemon.stop();
            throw error;
          }
        },
        reportReplay,
      );
      return;
    }
    const started = await session.withStartProgress('Starting', (observer) => startDaemon(config, process.env, observer));
    await fixtures?.apply(createDaemonClient(started.status.dataDir));
    const demo = flags.demo && started.wasRunning ? await loadDemoData(started.status.dataDir) : started.demo;
    // A daemon that was already running has its keys.
    const firstKey = started.firstKey ?? (started.wasRunning ? undefined : fixtures?.firstKey);
    await printStarted(context, config, { ...started, firstKey, demo, isForeground: false });
  },
});

type StartFlags = Interfaces.InferredFlags<typeof startFlags & (typeof daemonAccess)['flags']>;

/** The options of the daemon; flags that were not given are absent, so that file and environment apply. */
function toDaemonFlags(flags: StartFlags): DaemonFlags {
  // On a terminal the command prints its own messages, so only warnings and errors are logged.
  const defaultLevel = flags.foreground && process.stderr.isTTY ? 'warn' : undefined;
  return omitUndefined({
    dataDir: flags['data-dir'],
    port: flags.port,
    host: flags.host,
    insecure: flags.insecure,
    demo: flags.demo,
    ephemeral: flags.ephemeral,
    snapshot: flags.snapshot,
    record: flags.record,
    store: flags.store,
    testClock: flags['test-clock'],
    logLevel: flags['log-level'] ?? defaultLevel,
    webhookRetries: flags['webhook-retries'],
    publicUrl: flags['public-url'],
    cors: selectCors(flags.cors),
    contract: selectContract(flags.contract),
    allowRegistration: flags['allow-registration'],
    console: flags.console,
    trustProxy: flags['trust-proxy'],
    drainSeconds: flags['drain-seconds'],
    metricsPort: flags['metrics-port'],
    metricsHost: flags['metrics-host'],
    otlpEndpoint: flags['otlp-endpoint'],
    controlPort: flags['control-port'],
    controlHost: flags['control-host'],
    tiers: Object.fromEntries((flags.tier ?? []).map(parseTier)),
  });
}

/** Call only once the daemon handles signals itself: until then, these listeners would keep a signal from ending the process. */
function noteSlowStop({ session }: DaemonContext): void {
  const scheduleNote = () => setTimeout(() => session.reportWait(STOPPING), SLOW_STOP_MS).unref();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, scheduleNote);
}

/** Loads the demo tenants into a daemon that was already running. */
async function loadDemoData(dataDir: string): Promise<readonly LoadedDemoTenant[]> {
  return (await createDaemonClient(dataDir).call(loadDemo, { body: {} })).body.data;
}
