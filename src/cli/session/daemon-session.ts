/** The session of commands that manage the daemon process of a data directory. */
import { Flags } from '@oclif/core';
import type { Member } from '../../contract/admin/daemon.ts';
import type { Fault } from '../../contract/admin/faults.ts';
import type { DaemonHealth, DaemonStatus, StartObserver } from '../../platform/daemon-state.ts';
import { readConfig } from '../../client/settings/profiles.ts';
import { resolveDataDirectory } from '../../platform/local-paths.ts';
import type { ExitCode } from '../errors/exit-codes.ts';
import { Failure } from '../errors/failure.ts';
import { formatDataDirFlag, quoteForShell } from '../errors/hints.ts';
import { dataDirFlag } from '../input/common-flags.ts';
import { integerFlag } from '../input/integer-flag.ts';
import type { Output } from '../command-output.ts';
import type { View } from '../output/printer.ts';
import { withElapsedTime } from '../output/wait-indicator.ts';
import type { DaemonDetails } from '../views/daemon-status.ts';
import { formatReplay } from '../views/daemon-messages.ts';

const FIELDS: readonly (keyof DaemonStatus)[] = ['status', 'url', 'pid', 'dataDir', 'version', 'instanceId'];
export const daemonView: View = { fields: FIELDS, columns: FIELDS };
const HEALTH_FIELDS: readonly (keyof DaemonHealth)[] = [...FIELDS, 'ready', 'reason'];
export const daemonHealthView: View = { fields: HEALTH_FIELDS, columns: HEALTH_FIELDS };

/** What only some daemons have. */
export interface StatusDetails {
  /** The live daemons of the same database. */
  readonly daemons?: readonly Member[];
  readonly faults?: readonly Fault[];
  /** Commits that the database has lost, by tenant. */
  readonly lostCommits?: DaemonDetails['lostCommits'];
}

/** An error of src/daemon, which src/cli must not import. */
interface ProcessError extends Error {
  readonly code: Uppercase<string>;
  readonly exit: ExitCode;
  readonly hint: string | undefined;
  readonly dataDir: string | undefined;
}

export class DaemonSession {
  /** From `--data-dir`, STOCKROOM_DATA_DIR or the default; saved profiles are ignored. */
  readonly dataDir: string;
  readonly #output: Output;

  constructor(dataDir: string | undefined, output: Output) {
    this.dataDir = resolveDataDirectory(process.env, dataDir);
    this.#output = output;
  }

  /** Prints the status, with the details that there are. */
  async printStatus(
    status: DaemonStatus | DaemonHealth,
    { daemons = [], faults = [], lostCommits = [] }: StatusDetails = {},
  ): Promise<void> {
    const lists = Object.entries({ daemons, faults, lostCommits });
    const details = Object.fromEntries(lists.filter(([, list]) => list.length > 0));
    const fields = [...('ready' in status ? HEALTH_FIELDS : FIELDS), ...Object.keys(details)];
    await this.#output.printOne({ data: { ...status, ...details } }, { fields, columns: fields });
    if (faults.length === 0) return;
    this.#output.printNote(
      `${String(faults.length)} injected ${faults.length === 1 ? 'fault' : 'faults'}; list with \`stockroom faults list\``,
    );
  }

  /** Reports what the command waits for, at a terminal only. */
  readonly reportWait = (text: string): void => {
    // Replaces the line with the elapsed time.
    if (!process.stderr.isTTY) return;
    process.stderr.write('\r\u001b[K');
    this.#output.printNote(text);
  };

  /** Waits for a start. At a terminal, a line shows the elapsed time and how much of its journal the daemon has replayed. */
  withStartProgress<T>(label: string, start: (observer: StartObserver) => Promise<T>): Promise<T> {
    let text = label;
    const onReplay: StartObserver['onReplay'] = (progress) => (text = formatReplay(label, progress));
    return withElapsedTime(start({ onWait: this.reportWait, onReplay }), () => text);
  }

  /** Adds `--data-dir` to the commands in a text, unless the data directory is their default. */
  addDataDirFlag(text: string, dataDir = this.dataDir): string {
    const flag = dataDir === resolveDataDirectory(process.env) ? '' : formatDataDirFlag(dataDir);
    return text.replaceAll(/`stockroom (?:daemon|snapshot|tiers|keys)(?![^`]*--ephemeral)[^`]*(?=`)/gu, (command) => command + flag);
  }

  /** Notes that the active profile is for another data directory than the default one, which commands of the daemon use. */
  noteProfileDirectory(): void {
    const config = readConfig(process.env);
    const { profile = '' } = config;
    const { dataDir, url } = config.profiles[profile] ?? {};
    const isDefault = this.dataDir === resolveDataDirectory(process.env);
    if (!isDefault || url !== undefined || dataDir === undefined || dataDir === this.dataDir) return;
    this.#output.printNote(`The active profile ${profile} uses ${dataDir}; its daemon is that of --data-dir ${quoteForShell(dataDir)}`);
  }

  /** Converts the errors of the daemon's own code. */
  toFailure(thrown: Error): Error {
    if (!isProcessError(thrown)) return thrown;
    const { code, message, exit, hint, dataDir } = thrown;
    return new Failure(code, message, { exit, hint: hint === undefined ? null : this.addDataDirFlag(hint, dataDir), cause: thrown });
  }
}

/** Reports the replay of the journal by a daemon in this process, whose replay keeps timers from running. */
export const reportReplay: StartObserver['onReplay'] = (progress) => {
  if (!process.stderr.isTTY) return;
  const isDone = progress.replayedBytes === progress.totalBytes;
  process.stderr.write(isDone ? '\r\u001b[K' : `\r${formatReplay('Starting', progress)}\u001b[K`);
};

const isProcessError = (thrown: Error): thrown is ProcessError => thrown.name === 'DaemonError';

export const daemonAccess = {
  flags: { 'data-dir': dataDirFlag },
  open: (flags: { readonly 'data-dir': string | undefined }, output: Output): DaemonSession => new DaemonSession(flags['data-dir'], output),
};

const STOP_TIMEOUT_S = 30;

/** Of commands that stop a daemon. */
export const stopFlags = {
  timeout: integerFlag({
    min: 1,
    default: STOP_TIMEOUT_S,
    helpValue: 'SECONDS',
    description: 'Maximum time to wait for the daemon to stop, after its --drain-seconds.',
  }),
  force: Flags.boolean({ description: 'Kill the daemon if it does not stop in time.' }),
};

/** What commands that manage a daemon work with. */
export interface DaemonContext {
  readonly output: Output;
  readonly session: DaemonSession;
}

/** For commands that choose the data directory themselves. */
export const processAccess = { flags: {}, open: (_flags: object, output: Output): DaemonSession => new DaemonSession(undefined, output) };
