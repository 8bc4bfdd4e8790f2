import { defineCommand } from '../../src/cli/command/define-command.ts';
import { yesFlag } from '../../src/cli/input/common-flags.ts';
import { paramArgs } from '../../src/cli/input/operation-flags.ts';
import { writeRecord } from '../../src/cli/records/write-record.ts';
import { adminAccess } from '../../src/cli/session/admin-session.ts';
import { confirmReplacement, warnAboutLostKey } from '../../src/cli/settings/replace-data.ts';
import { loadSnapshot } from '../../src/contract/admin/snapshots.ts';

export default defineCommand({
  access: adminAccess,
  summary: 'Restore a snapshot, replacing all data',
  description:
    'The snapshot is verified first; a damaged or incompatible one changes nothing. The daemon keeps running, deliveries that were pending in the snapshot are sent, and API keys are those of the snapshot, even if revoked since.',
  args: paramArgs(loadSnapshot),
  flags: { ...yesFlag },
  examples: ['snapshot load before-migration', 'snapshot load base --yes --json'],
  async run(context) {
    const { args, flags, output, session } = context;
    if (!flags.yes && output.canPrompt) await confirmReplacement(context, `snapshot ${String(args['name'])}`);
    await writeRecord(context, loadSnapshot);
    output.printNote(`Restored snapshot ${String(args['name'])}, which replaced all data of ${session.target.dataDir.value}`);
    output.printNote('API keys are those of the snapshot: a key revoked since then is valid again');
    await warnAboutLostKey(context);
  },
});
