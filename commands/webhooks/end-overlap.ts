import { paramArgs } from '../../src/cli/input/operation-flags.ts';
import { AdminCommand, tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { endOverlap } from '../../src/contract/admin/webhooks.ts';

export default class WebhooksEndOverlap extends AdminCommand {
  static override summary = 'Stop signing with the previous secret';
  static override args = paramArgs(endOverlap);
  static override flags = { ...tenantFlag };
  static override examples = [
    '<%= config.bin %> webhooks end-overlap 5c1d2e3f-4a5b-4c6d-8e7f-901a2b3c4d5e',
    '<%= config.bin %> webhooks end-overlap 5c1d2e3f-4a5b-4c6d-8e7f-901a2b3c4d5e --json',
  ];

  async run(): Promise<void> {
    await this.write(endOverlap, await this.parse(WebhooksEndOverlap), {});
  }
}
