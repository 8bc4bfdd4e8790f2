import { basename, relative, sep } from 'node:path';
import { Flags } from '@oclif/core';
import { createClient } from '../../src/client/client.ts';
import { adminTransport, expectDaemon } from '../../src/client/daemon.ts';
import { NotSaved, SavedFileBroken, saveDemoKeys, saveLocalKey } from '../../src/client/saved.ts';
import { findTarget, readDaemon } from '../../src/client/target.ts';
import { DaemonCommand } from '../../src/cli/daemon-command.ts';
import { STOPPING, welcomeLines } from '../../src/cli/daemon-words.ts';
import { type LoadedDemoTenant, loadDemo } from '../../src/contract/admin/demo.ts';
import { tellWhile } from '../../src/cli/waiting.ts';
import { LOG_LEVELS, dataDirectory } from '../../src/contract/places.ts';
import { type DaemonConfig, parseTier, resolveConfig } from '../../src/daemon/config.ts';
import { startDaemon } from '../../src/daemon/control.ts';
import { runInForeground } from '../../src/daemon/foreground.ts';
import type { Started } from '../../src/daemon/outcome.ts';

const SLOW_STOP_MS = 1_000;

export default class DaemonStart extends DaemonCommand {
  static override summary = 'Start the service of a data directory, in the background';
  static override description = `Returns when the service answers. A service that runs already is left as it is, and that is a success too.
The first start of an empty data directory makes the tenant "local" and a key with every scope, saved in your profile.
A port in use is passed over for the next free one, unless --port names it: then the command ends with exit code 7.`;
  static override flags = {
    foreground: Flags.boolean({
      description: 'Stay in this terminal; Ctrl-C stops it. With --json prints one line when ready; the log goes to stderr.',
    }),
    port: Flags.integer({
      min: 0,
      max: 65_535,
      helpValue: 'N',
      description: 'This port or none; 0 for any free one. Default: 8625, or the next free one.',
    }),
    host: Flags.string({ helpValue: 'H', description: 'Address to listen on. Default: 127.0.0.1. Others need --insecure.' }),
    insecure: Flags.boolean({ description: 'Allow an address that others can reach, over plain HTTP.' }),
    demo: Flags.boolean({ description: 'Load the demo data, if it is not there yet.' }),
    ephemeral: Flags.boolean({ description: 'Use a temporary data directory, removed at the stop. The key is not saved.' }),
    snapshot: Flags.string({ helpValue: 'NAME', description: 'Begin from this snapshot instead of the data that are there.' }),
    store: Flags.string({ helpValue: 'URL', description: 'PostgreSQL store; not available in this release.' }),
    'test-clock': Flags.boolean({ description: 'Use a clock that `clock advance` can move.' }),
    tier: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'NAME=PER_MINUTE',
      description: 'Add or change a rate tier; may be repeated.',
    }),
    'webhook-retries': Flags.string({
      helpValue: 'demo|S,S,…',
      description: 'Seconds before each retry of a webhook delivery; demo makes all retries within a minute.',
    }),
    'log-level': Flags.option({
      options: LOG_LEVELS,
      description: 'Least level that is logged; debug has every request. Default: info; in the foreground of a terminal warn.',
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
    // A person at the terminal reads our own lines; the log is for what goes wrong.
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
      tiers,
    }).filter(([, value]) => value !== undefined);
    const config = await resolveConfig(Object.fromEntries(given), process.env);
    if (foreground) {
      await runInForeground(config, process.env, (daemon) => {
        this.tellSlowStop();
        return this.tell(config, { ...daemon, already: false }, true);
      });
      return;
    }
    const started = await tellWhile(startDaemon(config, process.env, this.patience), 'starting');
    await this.tell(config, demo && started.already ? { ...started, demo: await loadInto(started.status.dataDir) } : started, false);
  }

  /** From when on the daemon itself heeds signals: before, this would keep one from ending the process. */
  private tellSlowStop(): void {
    const tell = () => setTimeout(() => this.patience(STOPPING), SLOW_STOP_MS).unref();
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, tell);
  }

  private async tell({ dataDir, ephemeral }: DaemonConfig, started: Started, foreground: boolean): Promise<void> {
    const { status, notices, firstKey, demo, already } = started;
    // In the foreground they are in the log, which is on stderr as well.
    if (!foreground) for (const notice of notices) this.note(this.naming(dataDir, notice));
    const isSaved = !ephemeral && this.saveKeys(dataDir, started);
    // Whoever was to save the key of the first start was ended before that, or somebody removed it.
    if (isSaved && !hasKey(dataDir))
      this.note(this.naming(dataDir, 'no key is saved for this data directory: `stockroom keys create --all-scopes --save` makes one'));
    if (this.format === 'json') return this.out.write(`${JSON.stringify({ data: status })}\n`);
    if (!foreground && this.format !== 'table') return this.printStatus(status);
    const { profile, key } = isSaved ? findTarget({ dataDir }, process.env, process.cwd()) : {};
    const shown = demo[0] ? demo[0].secret : firstKey?.secret;
    const lines = welcomeLines(
      {
        status,
        already,
        foreground,
        program: programName(),
        profile: key && profile?.value,
        key: shown ?? undefined,
        reached: { byCommands: isReached(dataDir), byStop: dataDirectory(process.env) === dataDir },
        tenants: demo.map(({ slug, plan }) => `${slug} (${plan})`),
      },
      this.paintFor(process.stdout),
    );
    await this.out.write(`${lines.join('\n')}\n`);
  }

  /** A key that cannot be saved is told, and no reason to call a service that runs a failure. */
  private saveKeys(dataDir: string, { firstKey, demo }: Started): boolean {
    try {
      if (firstKey) saveLocalKey(process.env, { dataDir, tenant: firstKey.tenant, apiKey: firstKey.secret });
      saveDemoKeys(process.env, dataDir, demo);
      return true;
    } catch (error) {
      if (!(error instanceof NotSaved) && !(error instanceof SavedFileBroken)) throw error;
      this.note(`the key is not saved, because ${error.message}; \`stockroom keys create --all-scopes\` makes another`);
      return false;
    }
  }
}

/** Whether commands that are told nothing go to the daemon of this data directory. */
function isReached(dataDir: string): boolean {
  try {
    const { local, dataDir: found } = findTarget({}, process.env, process.cwd());
    return local && found.value === dataDir;
  } catch {
    // A profile that is not there: the command that uses it will say so.
    return false;
  }
}

/** Whether commands about this data directory have a key to send. */
function hasKey(dataDir: string): boolean {
  try {
    return findTarget({ dataDir }, process.env, process.cwd()).key !== undefined;
  } catch {
    // A profile that is not there: the command that uses it will say so.
    return true;
  }
}

/** The demo tenants of a daemon that had been running before. */
async function loadInto(dataDir: string): Promise<readonly LoadedDemoTenant[]> {
  const client = createClient({
    transport: adminTransport(expectDaemon(readDaemon(dataDir), dataDir), dataDir),
    retry: { maxWaitMs: 0, wait: () => Promise.resolve() },
  });
  return (await client.call(loadDemo, { body: {} })).body.data;
}

/** How this program was called, so that what we advise can be typed as it stands. */
function programName(): string {
  const script = process.argv[1] ?? '';
  if (basename(script) !== 'run.js') return 'stockroom';
  const path = relative(process.cwd(), script);
  return path.startsWith('..') ? script : `.${sep}${path}`;
}
