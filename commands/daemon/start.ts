import { Flags } from '@oclif/core';
import { createClient } from '../../src/client/client.ts';
import { createAdminTransport, requireDaemonState } from '../../src/client/daemon-transport.ts';
import { UnwritableFile, UnreadableFile, saveDemoKeys, saveLocalKey } from '../../src/client/profiles.ts';
import { readDaemonState } from '../../src/client/local-daemons.ts';
import { resolveTarget } from '../../src/client/target.ts';
import { getProgramName } from '../../src/cli/program-name.ts';
import { DaemonCommand, daemonView } from '../../src/cli/base-commands/daemon-command.ts';
import { STOPPING, formatWelcome } from '../../src/cli/views/daemon-messages.ts';
import { type LoadedDemoTenant, loadDemo } from '../../src/contract/admin/demo.ts';
import { type DaemonStatus, DRAIN_MAX_S, LOG_LEVELS, PORT_MAX } from '../../src/contract/daemon-state.ts';
import { resolveDataDirectory } from '../../src/contract/local-paths.ts';
import { type DaemonConfig, parseTier, resolveConfig } from '../../src/daemon/config.ts';
import { startDaemon } from '../../src/daemon/control/start.ts';
import { runInForeground } from '../../src/daemon/lifecycle/foreground.ts';
import type { Daemon } from '../../src/daemon/lifecycle/run-daemon.ts';
import type { StartedDaemon } from '../../src/daemon/control/start-result.ts';
import { integerFlag } from '../../src/cli/input/integer-flag.ts';
import { maskKey } from '../../src/cli/input/secret.ts';

const SLOW_STOP_MS = 1_000;

export default class DaemonStart extends DaemonCommand {
  static override summary = 'Start the daemon in the background';
  static override hiddenAliases = ['start'];
  static override description = `Returns when the daemon is ready; succeeds without changes if it is already running. The first start of a data directory creates the tenant "local" and saves a key with all scopes in your profile.`;
  static override flags = {
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
    demo: Flags.boolean({ description: 'Load the demo data if missing.' }),
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
    'trust-proxy': Flags.string({
      multiple: true,
      multipleNonGreedy: true,
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
    'metrics-host': Flags.string({ helpValue: 'H', description: 'Address of --metrics-port. Default: 127.0.0.1.' }),
    'test-clock': Flags.boolean({ description: 'Use a test clock, controlled with `stockroom clock`.' }),
    tier: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'NAME=PER_MINUTE',
      description: 'Create or update a rate-limit tier. Repeatable.',
    }),
    'webhook-retries': Flags.string({
      helpValue: 'demo|S,S,…',
      description: 'Webhook retry schedule: delays in seconds, or demo for all retries within a minute.',
    }),
    'log-level': Flags.option({
      options: LOG_LEVELS,
      description: 'Minimum level to log; debug includes every request. Default: info, or warn in the foreground of a terminal.',
    })(),
  };
  static override examples = [
    '<%= config.bin %> daemon start',
    '<%= config.bin %> daemon start --ephemeral --port 0 --test-clock --json',
    '<%= config.bin %> daemon start --foreground --demo',
    '<%= config.bin %> daemon start --data-dir ./stock --tier bulk=6000',
  ];

  async run(): Promise<void> {
    const { flags } = await this.parse(DaemonStart);
    const {
      foreground,
      'test-clock': testClock,
      'log-level': logLevel,
      'webhook-retries': webhookRetries,
      'public-url': publicUrl,
      'trust-proxy': trustProxy,
      'drain-seconds': drainSeconds,
      'metrics-port': metricsPort,
      'metrics-host': metricsHost,
      'data-dir': dataDir,
      tier = [],
      port,
      host,
      insecure,
      demo,
      ephemeral,
      snapshot,
      store,
    } = flags as typeof flags & { 'data-dir'?: string };
    const tiers = Object.fromEntries(tier.map(parseTier));
    // On a terminal the command prints its own messages, so only warnings and errors are logged.
    const level = logLevel ?? (foreground && process.stderr.isTTY ? 'warn' : undefined);
    const given = Object.entries({
      dataDir,
      port,
      host,
      insecure,
      demo,
      ephemeral,
      snapshot,
      store,
      testClock,
      logLevel: level,
      webhookRetries,
      publicUrl,
      trustProxy,
      drainSeconds,
      metricsPort,
      metricsHost,
      tiers,
    }).filter(([, value]) => value !== undefined);
    const config = await resolveConfig(Object.fromEntries(given), process.env);
    if (foreground) {
      const printReady = (daemon: Daemon) => {
        this.noteSlowStop();
        return this.printResult(config, { ...daemon, wasRunning: false }, true);
      };
      await runInForeground(config, process.env, printReady, this.reportReplay);
      return;
    }
    const started = await this.withStartProgress('Starting', (observer) => startDaemon(config, process.env, observer));
    await this.printResult(
      config,
      demo && started.wasRunning ? { ...started, demo: await loadDemoData(started.status.dataDir) } : started,
      false,
    );
  }

  /** Call only once the daemon handles signals itself: until then, these listeners would keep a signal from ending the process. */
  private noteSlowStop(): void {
    const scheduleNote = () => setTimeout(() => this.reportWait(STOPPING), SLOW_STOP_MS).unref();
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, scheduleNote);
  }

  private async printResult({ dataDir, ephemeral }: DaemonConfig, started: StartedDaemon, foreground: boolean): Promise<void> {
    const { status, notices, firstKey, demo, wasRunning } = started;
    // In the foreground, notices are in the log on stderr.
    if (!foreground) for (const notice of notices) this.printNote(this.addDataDirFlag(dataDir, notice));
    const isSaved = !ephemeral && this.saveKeys(dataDir, started);
    // The process that was to save the first key may have been killed, or the saved key was removed.
    if (isSaved && !hasKey(dataDir))
      this.printNote(
        this.addDataDirFlag(dataDir, 'No key is saved for this data directory. Create one: `stockroom keys create --all-scopes --save`'),
      );
    const secret = demo[0] ? demo[0].secret : firstKey?.secret;
    // Output that no person reads, of a container or a service, is stored as a log. The key of an ephemeral daemon is saved nowhere else.
    const shown = ephemeral || process.stdout.isTTY ? secret : undefined;
    const result = isSaved || !shown ? status : { ...status, key: shown };
    if (this.format === 'json') return this.out.write(`${JSON.stringify({ data: result })}\n`);
    if (!foreground && this.format !== 'table') return this.printStart(result);
    const { profile, key } = isSaved ? resolveTarget({ dataDir }, process.env, process.cwd()) : {};
    const lines = formatWelcome(
      {
        status,
        wasRunning,
        foreground,
        program: getProgramName(),
        profile: key && profile?.value,
        key: shown ?? undefined,
        keyPrefix: secret && !shown ? maskKey(secret) : undefined,
        reached: { byCommands: isDefaultTarget(dataDir), byStop: resolveDataDirectory(process.env) === dataDir },
        tenants: demo.map(({ slug, plan }) => `${slug} (${plan})`),
      },
      this.getPaint(process.stdout),
    );
    await this.out.write(`${lines.join('\n')}\n`);
  }

  private async printStart(result: DaemonStatus & { readonly key?: string }): Promise<void> {
    const fields = [...daemonView.fields, ...('key' in result ? ['key'] : [])];
    await this.printOne({ data: result }, { fields, columns: fields });
  }

  /** Saves new keys. Failing to save is reported but is not an error, because the daemon is running. */
  private saveKeys(dataDir: string, { firstKey, demo }: StartedDaemon): boolean {
    try {
      if (firstKey) saveLocalKey(process.env, { dataDir, tenant: firstKey.tenant, apiKey: firstKey.secret });
      saveDemoKeys(process.env, dataDir, demo);
      return true;
    } catch (error) {
      if (!(error instanceof UnwritableFile) && !(error instanceof UnreadableFile)) throw error;
      this.printNote(`The key was not saved: ${error.message}. Create another: \`stockroom keys create --all-scopes\``);
      return false;
    }
  }
}

/** Whether commands without flags use the daemon of this data directory. */
function isDefaultTarget(dataDir: string): boolean {
  try {
    const { isLocal, dataDir: found } = resolveTarget({}, process.env, process.cwd());
    return isLocal && found.value === dataDir;
  } catch {
    // The profile does not exist; the command that uses it reports that.
    return false;
  }
}

/** Whether commands for this data directory have a key. */
function hasKey(dataDir: string): boolean {
  try {
    return resolveTarget({ dataDir }, process.env, process.cwd()).key !== undefined;
  } catch {
    // The profile does not exist; the command that uses it reports that.
    return true;
  }
}

/** Loads the demo tenants into a daemon that was already running. */
async function loadDemoData(dataDir: string): Promise<readonly LoadedDemoTenant[]> {
  const client = createClient({
    transport: createAdminTransport(requireDaemonState(readDaemonState(dataDir), dataDir), dataDir),
    retry: { maxWaitMs: 0, wait: () => Promise.resolve() },
  });
  return (await client.call(loadDemo, { body: {} })).body.data;
}
