import { operationCommand } from '../src/cli/command/operation-command.ts';
import { formatKeyCommand } from '../src/cli/errors/hints.ts';
import { submitRecord } from '../src/cli/records/write-record.ts';
import type { AdminContext } from '../src/cli/session/admin-session.ts';
import { confirmReplacement, replaceFlag, warnAboutLostKeys } from '../src/cli/settings/replace-data.ts';
import { listInvalidKeyNotes } from '../src/cli/settings/saved-keys.ts';
import { saveResetKey } from '../src/client/settings/profiles.ts';
import { type FirstKey, resetData } from '../src/contract/admin/snapshots.ts';
import { Flags } from '@oclif/core';

export default operationCommand(resetData, {
  description: `Replaces all data of the running daemon with an empty tenant, and saves its new key in your profile; snapshots are kept. Scripts must pass --yes.`,
  flags: {
    to: Flags.string({ helpValue: 'NAME', description: 'Snapshot to restore. Default: an empty tenant with a new key.' }),
    ...replaceFlag,
  },
  without: ['to'],
  examples: ['reset', 'reset --to base --yes'],
  async run(context) {
    const { output } = context;
    const { to } = context.flags;
    await confirmReplacement(context, to === undefined ? 'an empty tenant with a new key' : `snapshot ${to}`);
    const reply = await submitRecord(context, resetData, { to });
    if (!reply) return;
    const { firstKey } = reply.body as { firstKey: FirstKey | null };
    await output.printText(reply.text, '');
    output.printNote(to === undefined ? 'Reset all data' : `Restored snapshot ${to}`);
    if (!firstKey) return warnAboutLostKeys(context);
    saveKey(context, firstKey);
    for (const note of await listInvalidKeyNotes(context.session.target.dataDir.value)) output.printNote(note);
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
