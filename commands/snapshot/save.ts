import { defineCommand } from '../../src/cli/command/define-command.ts';
import { writeRecord } from '../../src/cli/records/write-record.ts';
import { adminAccess } from '../../src/cli/session/admin-session.ts';
import { saveSnapshot } from '../../src/contract/admin/snapshots.ts';
import { Args, Flags } from '@oclif/core';

export default defineCommand({
  access: adminAccess,
  summary: 'Save a snapshot of all data',
  description: 'The daemon keeps serving requests meanwhile. The snapshot is stored in the data directory, readable only by you.',
  args: { name: Args.string({ required: true, ignoreStdin: true, description: 'Name of the snapshot.' }) },
  flags: { replace: Flags.boolean({ description: 'Overwrite an existing snapshot with this name.' }) },
  examples: ['snapshot save before-migration', 'snapshot save base --replace --json'],
  async run(context) {
    const { args, flags } = context;
    await writeRecord(context, saveSnapshot, { name: args.name, replace: flags.replace });
  },
});
