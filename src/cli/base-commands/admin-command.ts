/** Base of the commands of the admin API. They call the daemon of a data directory over its owner-only socket, without a key. */
import { Flags, type Interfaces } from '@oclif/core';
import { type Client, createClient } from '../../client/client.ts';
import { createAdminTransport, requireDaemonState } from '../../client/daemon-transport.ts';
import { type Target, resolveTarget } from '../../client/target.ts';
import type { Operation } from '../../contract/operation.ts';
import type { HintContext } from '../errors/hints.ts';
import { dataDirFlag, requireValue } from '../input/common-flags.ts';
import { ServiceCommand } from './service-command.ts';
import { readServiceClock } from '../input/timestamp.ts';

const TENANT = 'tenant';

export abstract class AdminCommand extends ServiceCommand {
  static override baseFlags: Interfaces.FlagInput = { ...ServiceCommand.baseFlags, 'data-dir': dataDirFlag };

  private resolvedTarget: Target | undefined;

  protected get target(): Target {
    const { profile, 'data-dir': dataDir } = this.globals as { profile?: string; 'data-dir'?: string };
    if (!this.resolvedTarget) {
      this.resolvedTarget = resolveTarget({ profile, dataDir }, process.env, process.cwd());
      this.reportIgnoredFiles(this.resolvedTarget);
    }
    return this.resolvedTarget;
  }

  protected async connect(): Promise<Client> {
    const { dataDir, daemon } = this.target;
    const transport = createAdminTransport(requireDaemonState(daemon, dataDir.value), dataDir.value);
    return createClient({ transport, retry: this.retryPolicy(), ...this.getTraceOptions('') });
  }

  protected async getServiceTime(): Promise<Date> {
    return readServiceClock(await this.connect());
  }

  protected override getHintContext(): HintContext {
    return { ...super.getHintContext(), dataDir: this.getDataDirForHints(this.resolvedTarget) };
  }

  /** The tenant of the project file or the profile; the flag overrides it. */
  protected override getContextQuery(op: Operation): Record<string, string | undefined> {
    if (op.query?.properties[TENANT] === undefined) return {};
    return { [TENANT]: this.target.tenant?.value };
  }
}

/** For commands that act on one tenant. */
export const tenantFlag = {
  [TENANT]: Flags.string({
    ...requireValue(TENANT),
    helpGroup: 'GLOBAL',
    helpValue: 'SLUG',
    description: 'Slug of the tenant. Optional if there is only one.',
  }),
};
