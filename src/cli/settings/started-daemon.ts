/** The output of a start: the status, the keys that it created, and what to try. */
import { UnreadableFile, UnwritableFile, saveDemoKeys, saveLocalKey } from '../../client/settings/profiles.ts';
import { type Target, type TargetFlags, resolveTarget } from '../../client/settings/target.ts';
import type { LoadedDemoTenant } from '../../contract/admin/demo.ts';
import { listTenants } from '../../contract/admin/tenants.ts';
import type { FirstKey } from '../../contract/admin/snapshots.ts';
import type { DaemonStatus } from '../../platform/daemon-state.ts';
import { resolveDataDirectory } from '../../platform/local-paths.ts';
import { createDaemonClient } from '../fixtures/started-fixtures.ts';
import { maskKey } from '../input/secret.ts';
import type { Output } from '../command-output.ts';
import { getFastProgram, getProgramName } from '../program-name.ts';
import { type DaemonContext, daemonView } from '../session/daemon-session.ts';
import { formatWelcome } from '../views/daemon-messages.ts';
import { checkSavedKeys, explainInvalidKeys } from './saved-keys.ts';

interface StartedDaemon {
  readonly status: DaemonStatus;
  /** Warnings for the user, one sentence each. */
  readonly notices: readonly string[];
  /** Set only by the first start of an empty data directory. */
  readonly firstKey: FirstKey | undefined;
  readonly demo: readonly LoadedDemoTenant[];
  readonly wasRunning: boolean;
  readonly isForeground: boolean;
}

/** Saves new keys and prints the result of a start. */
export async function printStarted(
  { output, session }: DaemonContext,
  { dataDir, ephemeral, console: hasConsole }: { readonly dataDir: string; readonly ephemeral: boolean; readonly console: boolean },
  started: StartedDaemon,
): Promise<void> {
  const { status, notices, firstKey, demo, wasRunning, isForeground } = started;
  // In the foreground, notices are in the log on stderr.
  if (!isForeground) for (const notice of notices) output.printNote(session.addDataDirFlag(notice, dataDir));
  const isSaved = !ephemeral && saveKeys(output, dataDir, started);
  // The process that was to save the first key may have been killed, or the saved key was removed.
  if (isSaved && !hasKey(dataDir)) output.printNote(session.addDataDirFlag(await explainMissingKey(dataDir), dataDir));
  // Demo tenants that existed already may come from a snapshot with other keys.
  if (isSaved && demo.some(({ secret }) => secret === null)) {
    const inData = (await checkSavedKeys(dataDir)).filter(({ hasTenant }) => hasTenant);
    for (const note of explainInvalidKeys(inData, {})) output.printNote(session.addDataDirFlag(note, dataDir));
  }
  if (isSaved && !wasRunning && !isForeground) session.noteProfileDirectory();
  const secret = demo[0] ? demo[0].secret : firstKey?.secret;
  // Output that no person reads, of a container or a service, is stored as a log. The key of an ephemeral daemon is saved nowhere else.
  const shown = ephemeral || process.stdout.isTTY ? secret : undefined;
  const result = isSaved || !shown ? status : { ...status, key: shown };
  // Its key may be printed only now.
  if (!wasRunning && !isForeground) output.markWritten();
  if (output.format === 'json') {
    await output.write(`${JSON.stringify({ data: result })}\n`);
    // The command goes on, so that this is its whole output.
    if (isForeground) await output.finish();
    return;
  }
  if (!isForeground && output.format !== 'table') {
    const fields = [...daemonView.fields, ...('key' in result ? ['key'] : [])];
    return output.printOne({ data: result }, { fields, columns: fields });
  }
  const { profile, key } = isSaved ? resolveTarget({ dataDir }, process.env, process.cwd()) : {};
  const lines = formatWelcome(
    {
      status,
      wasRunning,
      foreground: isForeground,
      program: getProgramName(),
      fastProgram: getFastProgram(),
      profile: key && profile?.value,
      key: shown ?? undefined,
      keyPrefix: secret && !shown ? maskKey(secret) : undefined,
      reached: { byCommands: isDefaultTarget(dataDir), byStop: resolveDataDirectory(process.env) === dataDir },
      hasConsole,
      tenants: demo.map(({ slug, plan }) => `${slug} (${plan})`),
    },
    output.getPaint(process.stdout),
  );
  await output.write(`${lines.join('\n')}\n`);
}

/** Saves new keys. Failing to save is reported but is not an error, because the daemon is running. */
function saveKeys(output: Output, dataDir: string, { firstKey, demo }: StartedDaemon): boolean {
  try {
    if (firstKey) saveLocalKey(process.env, { dataDir, tenant: firstKey.tenant, apiKey: firstKey.secret });
    saveDemoKeys(process.env, dataDir, demo);
    return true;
  } catch (error) {
    if (!(error instanceof UnwritableFile) && !(error instanceof UnreadableFile)) throw error;
    output.printNote(`The key was not saved: ${error.message}. Create another: \`stockroom keys create --all-scopes\``);
    return false;
  }
}

/** Whether commands without flags use the daemon of this data directory. */
function isDefaultTarget(dataDir: string): boolean {
  const target = findTarget({});
  return target?.isLocal === true && target.dataDir.value === dataDir;
}

/** Undefined if the profile does not exist; the command that uses it reports that. */
function findTarget(flags: TargetFlags): Target | undefined {
  try {
    return resolveTarget(flags, process.env, process.cwd());
  } catch {
    return undefined;
  }
}

async function explainMissingKey(dataDir: string): Promise<string> {
  const { data } = (await createDaemonClient(dataDir).call(listTenants, { query: {} })).body;
  const [tenant, ...others] = data.map(({ slug }) => slug);
  const choice = others.length === 0 ? '' : ` --tenant ${tenant ?? ''}`;
  const more = others.length === 0 ? '' : `; other tenants: ${others.join(', ')}`;
  return `No key is saved for this data directory. Create one: \`stockroom keys create --all-scopes --save${choice}\`${more}`;
}

/** Whether commands for this data directory have a key, as far as can be said. */
function hasKey(dataDir: string): boolean {
  const target = findTarget({ dataDir });
  return target === undefined || target.key !== undefined;
}
