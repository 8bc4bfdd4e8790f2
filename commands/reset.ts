import { defineCommand } from '../src/cli/command/define-command.ts';
import { formatKeyCommand } from '../src/cli/errors/hints.ts';
import { withWaitIndicator } from '../src/cli/output/wait-indicator.ts';
import { adminAccess, type AdminContext } from '../src/cli/session/admin-session.ts';
import { confirmReplacement, warnAboutLostKey } from '../src/cli/settings/replace-data.ts';
import type { Reply } from '../src/client/client.ts';
import { saveResetKey } from '../src/client/profiles.ts';
import { type FirstKey, resetData } from '../src/contract/admin/snapshots.ts';
import { Flags } from '@oclif/core';

export default defineCommand({
  access: adminAccess,
  summary: 'Reset all data, or restore a snapshot',
  description: `Replaces all data of the running daemon with an empty tenant, and saves its new key in your profile; snapshots are kept. Scripts must pass --yes.`,
  flags: {
    to: Flags.string({ helpValue: 'NAME', description: 'Snapshot to restore. Default: an empty tenant with a new key.' }),
    yes: Flags.boolean({ char: 'y', description: 'Skip the confirmation prompt; required without a terminal.' }),
  },
  examples: ['reset', 'reset --to base --yes'],
  async run(context) {
    const { flags, output, session } = context;
    const { to } = flags;
    await confirmReplacement(context, to === undefined ? 'an empty tenant with a new key' : `snapshot ${to}`);
    const client = await session.connect();
    const body = to === undefined ? {} : { to };
    const reply = (await withWaitIndicator(client.call(resetData, { body }))) as Reply<{ data: unknown; firstKey: FirstKey | null }>;
    const { firstKey } = reply.body;
    await output.printText(reply.text, '');
    output.printNote(to === undefined ? 'Reset all data' : `Restored snapshot ${to}`);
    if (firstKey) saveKey(context, firstKey);
    else await warnAboutLostKey(context);
  },
});

function saveKey({ output, session }: AdminContext, { tenant, secret }: FirstKey): void {
  const { dataDir, daemon } = session.target;
  if (daemon?.options.ephemeral === true) {
    output.printNote(
      `Created tenant ${tenant}. Its key is not saved, because the daemon is ephemeral; create one: \`${formatKeyCommand(session.getHintContext())}\``,
    );
    return;
  }
  const name = saveResetKey(process.env, { dataDir: dataDir.value, tenant, apiKey: secret });
  output.printNote(`Created tenant ${tenant}; its key is saved in profile ${name}`);
}
