import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { yesFlag } from '../../src/cli/input/common-flags.ts';
import { confirmOrCancel } from '../../src/cli/input/confirm.ts';
import { toRequestParts } from '../../src/cli/records/request.ts';
import { writeRecord } from '../../src/cli/records/write-record.ts';
import { revokeKey } from '../../src/contract/admin/keys.ts';

export default operationCommand(revokeKey, {
  flags: yesFlag,
  examples: ['keys revoke pk_test_Ab12Cd34', 'keys revoke pk_test_Ab12Cd34 --yes --json'],
  async run(context) {
    const { args } = context;
    // An unknown or ambiguous name is reported before the question.
    await toRequestParts(context, revokeKey);
    await confirmOrCancel(context, `Revoke ${String(args['key'])}? Programs that use it will stop working.`, 'the key was not revoked');
    await writeRecord(context, revokeKey);
  },
});
