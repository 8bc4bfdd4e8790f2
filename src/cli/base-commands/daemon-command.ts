/** Base of the commands that manage the daemon process. */
import type { Interfaces } from '@oclif/core';
import type { DaemonStatus, StartObserver } from '../../contract/daemon-state.ts';
import { resolveDataDirectory } from '../../contract/local-paths.ts';
import type { Member } from '../../contract/admin/daemon.ts';
import type { Fault } from '../../contract/admin/faults.ts';
import { StockroomCommand } from './stockroom-command.ts';
import type { ExitCode } from '../errors/exit-codes.ts';
import { Failure } from '../errors/failure.ts';
import { formatDataDirFlag } from '../errors/hints.ts';
import { dataDirFlag, globalFlags } from '../input/common-flags.ts';
import type { View } from '../output/printer.ts';
import { withElapsedTime } from '../output/wait-indicator.ts';
import { formatReplay } from '../views/daemon-messages.ts';

const FIELDS: readonly (keyof DaemonStatus)[] = ['status', 'url', 'pid', 'dataDir', 'version', 'instanceId'];
export const daemonView: View = { fields: FIELDS, columns: FIELDS };

/** What only some daemons have. */
interface StatusDetails {
  /** The live daemons of the same database. */
  readonly daemons?: readonly Member[];
  readonly faults?: readonly Fault[];
}

/** An error of src/daemon, which src/cli must not import. */
interface ProcessError extends Error {
  readonly code: Uppercase<string>;
  readonly exit: ExitCode;
  readonly hint: string | undefined;
  readonly dataDir: string | undefined;
}

export abstract class DaemonCommand extends StockroomCommand {
  static override baseFlags: Interfaces.FlagInput = { ...globalFlags, 'data-dir': dataDirFlag };

  /** From `--data-dir`, STOCKROOM_DATA_DIR or the default; saved profiles are ignored. */
  protected get dataDir(): string {
    return resolveDataDirectory(process.env, (this.globals as { 'data-dir'?: string })['data-dir']);
  }

  /** Prints the status, with the daemons of the same database and the injected faults if there are any. */
  protected async printStatus(status: DaemonStatus, { daemons = [], faults = [] }: StatusDetails = {}): Promise<void> {
    const details = { ...(daemons.length > 0 && { daemons }), ...(faults.length > 0 && { faults }) };
    const fields = [...FIELDS, ...Object.keys(details)];
    await this.printOne({ data: { ...status, ...details } }, { fields, columns: fields });
    if (faults.length === 0) return;
    this.printNote(`${String(faults.length)} injected ${faults.length === 1 ? 'fault' : 'faults'}; list with \`stockroom faults list\``);
  }

  /** Reports what the command waits for, at a terminal only. */
  protected readonly reportWait = (text: string): void => {
    // Replaces the line with the elapsed time.
    if (!process.stderr.isTTY) return;
    process.stderr.write('\r\u001b[K');
    this.printNote(text);
  };

  /** Waits for a start. At a terminal, a line shows the elapsed time and how much of its journal the daemon has replayed. */
  protected withStartProgress<T>(label: string, start: (observer: StartObserver) => Promise<T>): Promise<T> {
    let text = label;
    const onReplay: StartObserver['onReplay'] = (progress) => (text = formatReplay(label, progress));
    return withElapsedTime(start({ onWait: this.reportWait, onReplay }), () => text);
  }

  /** The same for a daemon in this process, whose replay keeps timers from running. */
  protected readonly reportReplay: StartObserver['onReplay'] = (progress) => {
    if (!process.stderr.isTTY) return;
    const isDone = progress.replayedBytes === progress.totalBytes;
    process.stderr.write(isDone ? '\r\u001b[K' : `\r${formatReplay('Starting', progress)}\u001b[K`);
  };

  /** Adds `--data-dir` to the commands in a text, unless the data directory is their default. */
  protected addDataDirFlag(dataDir: string, text: string): string {
    const flag = dataDir === resolveDataDirectory(process.env) ? '' : formatDataDirFlag(dataDir);
    return text.replaceAll(/`stockroom (?:daemon|snapshot|tiers|keys)(?![^`]*--ephemeral)[^`]*(?=`)/gu, (command) => command + flag);
  }

  protected override catch(thrown: Error): Promise<void> {
    if (!isProcessError(thrown)) return super.catch(thrown);
    const { code, message, exit, hint, dataDir = this.dataDir } = thrown;
    return super.catch(
      new Failure(code, message, { exit, hint: hint === undefined ? null : this.addDataDirFlag(dataDir, hint), cause: thrown }),
    );
  }
}

const isProcessError = (thrown: Error): thrown is ProcessError => thrown.name === 'DaemonError';
