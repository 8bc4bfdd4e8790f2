import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { saveFlags, writeKey } from '../../src/cli/settings/key-commands.ts';
import { rotateKey } from '../../src/contract/admin/keys.ts';
import { ROTATION_OVERLAP_H } from '../../src/contract/limits.ts';

export default operationCommand(rotateKey, {
  description: `The secret of the new key is shown only once. The previous key remains valid for ${String(ROTATION_OVERLAP_H)} hours, or until it is revoked.`,
  flags: saveFlags,
  examples: ['keys rotate pk_test_Ab12Cd34', 'keys rotate pk_test_Ab12Cd34 --save --json'],
  run: (context) => writeKey(context, rotateKey),
});
