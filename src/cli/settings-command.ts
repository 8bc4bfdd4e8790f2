/** Commands of the settings plane: they speak to the daemon of a data directory through its owner-only socket, and need no key. */
import { Flags, type Interfaces } from '@oclif/core';
import { type Client, createClient } from '../client/client.ts';
import { adminTransport, expectDaemon } from '../client/daemon.ts';
import { type Target, findTarget } from '../client/target.ts';
import type { Operation } from '../contract/operation.ts';
import type { Setting } from './failure.ts';
import { dataDirFlag, notEmpty } from './flags.ts';
import { ServiceCommand } from './service-command.ts';
import { timeOf } from './since.ts';

const TENANT = 'tenant';

export abstract class SettingsCommand extends ServiceCommand {
  static override baseFlags: Interfaces.FlagInput = { ...ServiceCommand.baseFlags, 'data-dir': dataDirFlag };

  private found: Target | undefined;

  protected get target(): Target {
    const { profile, 'data-dir': dataDir } = this.globals as { profile?: string; 'data-dir'?: string };
    this.found ??= findTarget({ profile, dataDir }, process.env, process.cwd());
    return this.found;
  }

  protected async connect(): Promise<Client> {
    const { dataDir, daemon } = this.target;
    const transport = adminTransport(expectDaemon(daemon, dataDir.value), dataDir.value);
    return createClient({ transport, retry: this.retryPolicy(), ...this.tracer('') });
  }

  protected async serviceTime(): Promise<Date> {
    return timeOf(await this.connect());
  }

  protected override setting(): Setting {
    return { ...super.setting(), dataDir: this.dataDirToName(this.found) };
  }

  /** The tenant of the flag, else of the project file or the profile. */
  protected override surroundings(op: Operation): Record<string, string | undefined> {
    if (op.query?.properties[TENANT] === undefined) return {};
    return { [TENANT]: this.target.tenant?.value };
  }
}

/** For commands that are about one tenant. */
export const tenantFlag = {
  [TENANT]: Flags.string({
    ...notEmpty(TENANT),
    helpGroup: 'GLOBAL',
    helpValue: 'SLUG',
    description: 'Which tenant; may be left out while there is only one.',
  }),
};
