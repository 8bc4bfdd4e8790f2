import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { writeRecord } from '../../src/cli/records/write-record.ts';
import { saveSnapshot } from '../../src/contract/admin/snapshots.ts';
import { Args, Flags } from '@oclif/core';

export default operationCommand(saveSnapshot, {
  description: 'The daemon keeps serving requests meanwhile. The snapshot is stored in the data directory, readable only by you.',
  args: { name: Args.string({ required: true, description: 'Name of the snapshot.' }) },
  flags: { replace: Flags.boolean({ description: 'Overwrite an existing snapshot with this name.' }) },
  without: ['name', 'replace'],
  examples: ['snapshot save before-migration', 'snapshot save base --replace --json'],
  run: (context) => writeRecord(context, saveSnapshot, { name: context.args.name, replace: context.flags.replace }),
});
