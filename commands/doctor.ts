import { EXIT } from '../src/cli/errors/exit-codes.ts';
import { AdminCommand, tenantFlag } from '../src/cli/base-commands/admin-command.ts';
import { getDoctor } from '../src/contract/admin/daemon.ts';
import type { ResultOf } from '../src/contract/operation.ts';

const COLUMNS = ['name', 'ok', 'detail'];

export default class Doctor extends AdminCommand {
  static override summary = 'Check data integrity';
  static override description = 'Recomputes derived data and compares it with the stored data. Exits with 9 if a check fails.';
  static override flags = { ...tenantFlag };
  static override examples = ['<%= config.bin %> doctor', '<%= config.bin %> doctor --tenant local --json'];

  async run(): Promise<void> {
    const parsed = await this.parse(Doctor);
    const view = this.validateOutput({ fields: COLUMNS, columns: COLUMNS });
    const client = await this.connect();
    const reply = await this.withWaitIndicator(client.perform(getDoctor, await this.toRequestParts(getDoctor, parsed)));
    // Guaranteed by the contract; stated here because the parts are untyped.
    const { ok, checks } = (reply.body satisfies ResultOf<typeof getDoctor>).data;
    await this.printList({ data: checks }, view, reply.text);
    if (!ok) this.exit(EXIT.checkFailed);
  }
}
