import { Flags } from '@oclif/core';
import type { Reply } from '../src/client/client.ts';
import { saveFreshKey } from '../src/client/saved.ts';
import { usage } from '../src/cli/failure.ts';
import { ReplacingCommand } from '../src/cli/replacing-command.ts';
import { type FirstKey, resetData } from '../src/contract/admin/snapshots.ts';

export default class Reset extends ReplacingCommand {
  static override summary = 'Begin anew, with nothing but a tenant and a key, or from a snapshot';
  static override description = `Everything the daemon holds is replaced, while it goes on running; snapshots stay.
The fresh key is saved in your profile. In a script --yes has to be there.`;
  static override flags = {
    to: Flags.string({ helpValue: 'NAME', description: 'The snapshot to begin from. Default: nothing but a tenant.' }),
    yes: Flags.boolean({ char: 'y', description: 'Do not ask. Needed where nobody can be asked.' }),
  };
  static override examples = ['<%= config.bin %> reset', '<%= config.bin %> reset --to base --yes'];

  async run(): Promise<void> {
    const { flags } = await this.parse(Reset);
    const { to } = flags;
    if (!flags.yes) {
      if (!this.canAsk) throw usage('reset removes everything, and nobody is here to be asked', 'add --yes if that is what you want');
      await this.askToReplace(to === undefined ? 'nothing but a tenant and a fresh key' : `the snapshot ${to}`);
    }
    const client = await this.connect();
    const body = to === undefined ? {} : { to };
    const reply = (await this.awaiting(client.call(resetData, { body }))) as Reply<{ data: unknown; firstKey: FirstKey | null }>;
    const { firstKey } = reply.body;
    await this.printText(reply.text, '');
    this.note(to === undefined ? 'everything was reset' : `reset to the snapshot ${to}`);
    if (firstKey) this.save(firstKey);
    else await this.tellLostKey();
  }

  private save({ tenant, secret }: FirstKey): void {
    const { dataDir, daemon } = this.target;
    if (daemon?.options.ephemeral === true) {
      this.note(`tenant ${tenant}; the daemon is ephemeral, so its key is not saved: \`stockroom keys create\` makes one`);
      return;
    }
    const name = saveFreshKey(process.env, { dataDir: dataDir.value, tenant, apiKey: secret });
    this.note(`tenant ${tenant}; its fresh key is saved in the profile ${name}`);
  }
}
