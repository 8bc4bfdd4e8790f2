import { watchInterrupts } from '../src/cli/session/interrupt.ts';
import { defineCommand } from '../src/cli/command/define-command.ts';
import { EXIT } from '../src/cli/errors/exit-codes.ts';
import { Failure } from '../src/cli/errors/failure.ts';
import { formatKeyCommand } from '../src/cli/errors/hints.ts';
import { createDaemonClient } from '../src/cli/fixtures/started-fixtures.ts';
import { cancelled, confirm, mustConfirm } from '../src/cli/input/confirm.ts';
import { integerFlag } from '../src/cli/input/integer-flag.ts';
import { contractFlag, corsFlag, selectContract, selectCors } from '../src/cli/input/start-flags.ts';
import { withoutFlags } from '../src/cli/input/without-flags.ts';
import type { GlobalFlags } from '../src/cli/command-output.ts';
import { watchPipeReader } from '../src/cli/output/pipe-reader.ts';
import { truncate } from '../src/cli/output/text-width.ts';
import { waitWithCountdown } from '../src/cli/output/wait-indicator.ts';
import { daemonAccess, type DaemonContext, type DaemonSession } from '../src/cli/session/daemon-session.ts';
import { replaceFlag } from '../src/cli/settings/replace-data.ts';
import { checkSavedKeys, listInvalidKeyNotes } from '../src/cli/settings/saved-keys.ts';
import { createClient } from '../src/client/client.ts';
import { createDaemonTransport, requireDaemonState } from '../src/client/transport/daemon-transport.ts';
import { readDaemonState } from '../src/client/settings/local-daemons.ts';
import { readKey, saveResetKey } from '../src/client/settings/profiles.ts';
import type { ContractMode } from '../src/platform/daemon-state.ts';
import { MAIN_DEMO_TENANT } from '../src/contract/admin/demo.ts';
import { resetData as resetAllData } from '../src/contract/admin/snapshots.ts';
import { resolveConfig } from '../src/daemon/config.ts';
import { startDaemon } from '../src/daemon/control/start.ts';
import { LIVE_DEMO_PER_MIN_DEFAULT, LIVE_DEMO_PER_MIN_MAX, RATE_WINDOW_S } from '../src/contract/limits.ts';
import { Errors, Flags } from '@oclif/core';
import { randomInt } from 'node:crypto';

const SEED_MAX = 4_294_967_295;
const OWN_FLAGS = ['live', 'reset', 'yes'] as const;
const VALUE_FLAGS = ['per-minute', 'seed'] as const;

export default defineCommand({
  access: daemonAccess,
  summary: 'Load the demo data, starting the daemon if needed',
  description:
    'Existing demo tenants are unchanged; the receivers of their webhooks run in the daemon, on a second port of 127.0.0.1. With --live, orders of the tenant kestrel-coffee arrive, are packed and shipped, stock falls below reorder points and purchases arrive until Ctrl-C, which leaves the daemon running.',
  flags: {
    ephemeral: Flags.boolean({
      description: 'Use a temporary data directory, deleted on stop. The key is not saved.',
      exclusive: ['data-dir'],
    }),
    cors: corsFlag,
    reset: Flags.boolean({
      description: 'First replace all data with those of a new demo; snapshots are kept. Scripts must pass --yes.',
      exclusive: ['ephemeral'],
    }),
    yes: Flags.boolean({ ...replaceFlag.yes, dependsOn: ['reset'] }),
    live: Flags.boolean({
      description: 'Simulate business until Ctrl-C, one line per event; with --json, one object, after that of the daemon.',
      exclusive: ['ephemeral'],
    }),
    contract: contractFlag,
    'per-minute': integerFlag({
      min: 1,
      max: LIVE_DEMO_PER_MIN_MAX,
      helpValue: 'N',
      dependsOn: ['live'],
      description: `Events per minute. Default: ${String(LIVE_DEMO_PER_MIN_DEFAULT)}.`,
    }),
    seed: integerFlag({ min: 0, max: SEED_MAX, helpValue: 'N', dependsOn: ['live'], description: 'Seed of the random generator.' }),
  },
  examples: ['demo', 'demo --data-dir ./play', 'demo --ephemeral', 'demo --reset', 'demo --live', 'demo --live --per-minute 60'],
  async run(context) {
    const { flags, config, argv } = context;
    if (flags.reset) await resetData(context, flags);
    // `demo` is an alias of `daemon start --demo`.
    await config.runCommand('daemon:start', ['--demo', ...withoutFlags(argv, OWN_FLAGS, VALUE_FLAGS).filter((word) => word !== '-y')]);
    // Keys of its own tenants are new.
    if (flags.reset) for (const note of await listInvalidKeyNotes(context.session.dataDir)) context.output.printNote(note);
    if (flags.live) await runLive(context, flags['per-minute'] ?? LIVE_DEMO_PER_MIN_DEFAULT, flags.seed ?? randomInt(SEED_MAX));
  },
});

/** Replaces all data of the daemon with an empty tenant, as `reset` does, before the demo data are loaded. */
async function resetData(
  { output, session }: DaemonContext,
  { yes, cors, contract }: { readonly yes: boolean; readonly cors: string[] | undefined; readonly contract: ContractMode | undefined },
): Promise<void> {
  const { dataDir } = session;
  const mustAsk = mustConfirm({ flags: { yes }, output }, `This replaces all data in ${dataDir}`);
  if (mustAsk && !(await confirm(`Replace all data in ${dataDir} with the demo data?`))) throw cancelled('nothing was changed');
  // With all options, so that a running daemon with other ones is reported before its data are gone.
  const origins = selectCors(cors);
  const mode = selectContract(contract);
  const options = { dataDir, demo: true, ...(origins && { cors: origins }), ...(mode && { contract: mode }) };
  const config = await resolveConfig(options, process.env);
  await session.withStartProgress('Starting', (observer) => startDaemon(config, process.env, observer));
  const { firstKey } = (await createDaemonClient(dataDir).call(resetAllData, { body: {} })).body;
  if (firstKey) saveResetKey(process.env, { dataDir, tenant: firstKey.tenant, apiKey: firstKey.secret });
}

type LiveContext = DaemonContext & { readonly flags: Pick<GlobalFlags, 'output'>; readonly exitWhenDone: () => void };

async function runLive({ flags, output, session, exitWhenDone }: LiveContext, perMinute: number, seed: number): Promise<void> {
  const { runLiveDemo, formatEvent, formatSummary } = await import('../src/cli/live-demo/run.ts');
  const { dataDir } = session;
  const client = createClient({
    transport: createDaemonTransport(requireDaemonState(readDaemonState(dataDir), dataDir)),
    key: await findKey(session),
    retry: { maxWaitMs: RATE_WINDOW_S * 1_000, wait: (wait) => waitWithCountdown(wait) },
  });
  const interrupt = watchInterrupts();
  watchPipeReader();
  output.printDimNote(`Simulating ${String(perMinute)} events per minute; press Ctrl-C to stop`);
  const paint = output.getPaint(process.stdout);
  const stream = output.forStream();
  const counts = await runLiveDemo({
    client,
    perMinute,
    seed,
    signal: interrupt.signal,
    onEvent: async (event) => {
      const at = new Date();
      const isJson = output.wantsJson || flags.output === 'ndjson';
      if (isJson) return stream.write(`${JSON.stringify({ at: at.toISOString(), ...event })}\n`, 'json');
      const line = truncate(formatEvent(event, at), output.terminalWidth ?? Infinity);
      await output.write(`${event.kind === 'stock_low' || event.kind === 'order_waiting' ? paint('yellow', line) : line}\n`);
    },
  });
  output.printNote(`Stopped: ${formatSummary(counts)}`);
  output.printNote(session.addDataDirFlag('The daemon keeps running; `stockroom daemon stop` stops it'));
  // A request may still be in progress.
  exitWhenDone();
  Errors.exit(interrupt.exit ?? EXIT.ok);
}

/** The saved key of the demo tenant, whatever profile is active. */
async function findKey(session: DaemonSession): Promise<string> {
  const saved = (await checkSavedKeys(session.dataDir)).filter(({ tenant }) => tenant === MAIN_DEMO_TENANT);
  const valid = saved.find(({ isValid }) => isValid);
  const key = valid && readKey(process.env, valid.name);
  if (key !== undefined) return key;
  const which = `key of the demo tenant ${MAIN_DEMO_TENANT}`;
  throw new Failure('NO_KEY', saved.length === 0 ? `No ${which} is saved` : `The saved ${which} is not valid any more`, {
    hint: session.addDataDirFlag(`Create one: \`${formatKeyCommand({ tenant: MAIN_DEMO_TENANT })}\``),
  });
}
