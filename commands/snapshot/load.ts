import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { writeRecord } from '../../src/cli/records/write-record.ts';
import { confirmReplacement, replaceFlag, warnAboutLostKeys } from '../../src/cli/settings/replace-data.ts';
import { loadSnapshot } from '../../src/contract/admin/snapshots.ts';

export default operationCommand(loadSnapshot, {
  description:
    'The snapshot is verified first; a damaged or incompatible one changes nothing. The daemon keeps running, deliveries that were pending in the snapshot are sent, and API keys are those of the snapshot, even if revoked since.',
  flags: replaceFlag,
  examples: ['snapshot load before-migration', 'snapshot load base --yes --json'],
  async run(context) {
    const { args, output, session } = context;
    await confirmReplacement(context, `snapshot ${String(args['name'])}`);
    if (!(await writeRecord(context, loadSnapshot))) return;
    output.printNote(`Restored snapshot ${String(args['name'])}, which replaced all data of ${session.target.dataDir.value}`);
    output.printNote('API keys are those of the snapshot: a key revoked since then is valid again');
    await warnAboutLostKeys(context);
  },
});
