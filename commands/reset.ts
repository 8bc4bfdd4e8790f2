import { Flags } from '@oclif/core';
import type { Reply } from '../src/client/client.ts';
import { saveResetKey } from '../src/client/profiles.ts';
import { usageError } from '../src/cli/errors/failure.ts';
import { formatKeyCommand } from '../src/cli/errors/hints.ts';
import { ReplaceDataCommand } from '../src/cli/base-commands/replace-data-command.ts';
import { type FirstKey, resetData } from '../src/contract/admin/snapshots.ts';

export default class Reset extends ReplaceDataCommand {
  static override summary = 'Reset all data, or restore a snapshot';
  static override description = `Replaces all data of the running daemon with an empty tenant, and saves its new key in your profile; snapshots are kept. Scripts must pass --yes.`;
  static override flags = {
    to: Flags.string({ helpValue: 'NAME', description: 'Snapshot to restore. Default: an empty tenant with a new key.' }),
    yes: Flags.boolean({ char: 'y', description: 'Skip the confirmation prompt; required without a terminal.' }),
  };
  static override examples = ['<%= config.bin %> reset', '<%= config.bin %> reset --to base --yes'];

  async run(): Promise<void> {
    const { flags } = await this.parse(Reset);
    const { to } = flags;
    if (!flags.yes) {
      if (!this.canPrompt) throw usageError('Cannot prompt without a terminal; pass --yes', 'This replaces all data of the daemon');
      await this.confirmReplacement(to === undefined ? 'an empty tenant with a new key' : `the snapshot ${to}`);
    }
    const client = await this.connect();
    const body = to === undefined ? {} : { to };
    const reply = (await this.withWaitIndicator(client.call(resetData, { body }))) as Reply<{ data: unknown; firstKey: FirstKey | null }>;
    const { firstKey } = reply.body;
    await this.printText(reply.text, '');
    this.printNote(to === undefined ? 'Reset all data' : `Restored snapshot ${to}`);
    if (firstKey) this.saveKey(firstKey);
    else await this.warnAboutLostKey();
  }

  private saveKey({ tenant, secret }: FirstKey): void {
    const { dataDir, daemon } = this.target;
    if (daemon?.options.ephemeral === true) {
      this.printNote(
        `Created tenant ${tenant}. Its key is not saved, because the daemon is ephemeral; create one: \`${formatKeyCommand(this.getTargetHints(this.target))}\``,
      );
      return;
    }
    const name = saveResetKey(process.env, { dataDir: dataDir.value, tenant, apiKey: secret });
    this.printNote(`Created tenant ${tenant}; its key is saved in profile ${name}`);
  }
}
