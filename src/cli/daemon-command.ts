/** Commands about the daemon as a process. What can go wrong with it comes as an error that knows its own exit code. */
import type { Interfaces } from '@oclif/core';
import { type DaemonStatus, dataDirectory } from '../contract/places.ts';
import type { Fault } from '../contract/admin/faults.ts';
import { StockroomCommand } from './command.ts';
import type { ExitCode } from './exit-codes.ts';
import { Failure, dataDirWords } from './failure.ts';
import { dataDirFlag, globalFlags } from './flags.ts';
import type { View } from './printer.ts';

const FIELDS: readonly (keyof DaemonStatus)[] = ['status', 'url', 'pid', 'dataDir', 'version', 'instanceId'];
export const daemonView: View = { fields: FIELDS, columns: FIELDS };

/** An error of src/daemon, which this side may not import. */
interface ProcessError extends Error {
  readonly code: string;
  readonly exit: ExitCode;
  readonly hint: string | undefined;
  readonly dataDir: string | undefined;
}

export abstract class DaemonCommand extends StockroomCommand {
  static override baseFlags: Interfaces.FlagInput = { ...globalFlags, 'data-dir': dataDirFlag };

  /** The flag's, else STOCKROOM_DATA_DIR, else the user's own; a saved profile does not count here. */
  protected get dataDir(): string {
    return dataDirectory(process.env, (this.globals as { 'data-dir'?: string })['data-dir']);
  }

  /** `faults` are shown when there are any: without them the status has the form that every command gives it. */
  protected async printStatus(status: DaemonStatus, faults: readonly Fault[] = []): Promise<void> {
    if (faults.length === 0) return this.printOne({ data: status }, daemonView);
    const fields = [...FIELDS, 'faults'];
    await this.printOne({ data: { ...status, faults } }, { fields, columns: fields });
    this.note(`${String(faults.length)} ${faults.length === 1 ? 'fault is' : 'faults are'} set on purpose: \`stockroom faults list\``);
  }

  /** A person at a terminal is told what a command waits for; a script can wait. */
  protected readonly patience = (text: string): void => {
    // On the line that counts how long it takes.
    if (process.stderr.isTTY) this.note(`\r\u001b[K${text}`);
  };

  /** Commands to type about the daemon of a data directory name it, unless they find it by themselves. */
  protected naming(dataDir: string, text: string): string {
    const words = dataDir === dataDirectory(process.env) ? '' : dataDirWords(dataDir);
    return text.replaceAll(/`stockroom (?:daemon|snapshot|tiers|keys)(?![^`]*--ephemeral)[^`]*(?=`)/gu, (command) => command + words);
  }

  protected override catch(thrown: Error): Promise<void> {
    if (!isProcessError(thrown)) return super.catch(thrown);
    const { code, message, exit, hint, dataDir = this.dataDir } = thrown;
    return super.catch(new Failure(code, message, { exit, hint: hint === undefined ? null : this.naming(dataDir, hint), cause: thrown }));
  }
}

const isProcessError = (thrown: Error): thrown is ProcessError => thrown.name === 'DaemonError';
