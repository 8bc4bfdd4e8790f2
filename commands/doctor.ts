import { EXIT } from '../src/cli/exit-codes.ts';
import { SettingsCommand, tenantFlag } from '../src/cli/settings-command.ts';
import { getDoctor } from '../src/contract/admin/daemon.ts';
import type { ResultOf } from '../src/contract/operation.ts';

const COLUMNS = ['name', 'ok', 'detail'];

export default class Doctor extends SettingsCommand {
  static override summary = 'Derive again what can be derived from the data, and compare; exit 9 when something differs';
  static override flags = { ...tenantFlag };
  static override examples = ['<%= config.bin %> doctor', '<%= config.bin %> doctor --tenant local --json'];

  async run(): Promise<void> {
    const parsed = await this.parse(Doctor);
    const view = this.checked({ fields: COLUMNS, columns: COLUMNS });
    const client = await this.connect();
    const reply = await this.awaiting(client.perform(getDoctor, this.partsOf(getDoctor, parsed)));
    // What `perform` promises by the contract; spelled out because the parts came untyped.
    const { ok, checks } = (reply.body satisfies ResultOf<typeof getDoctor>).data;
    await this.printList({ data: checks }, view, reply.text);
    if (!ok) this.exit(EXIT.checkFailed);
  }
}
