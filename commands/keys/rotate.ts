import { defineCommand } from '../../src/cli/command/define-command.ts';
import { tenantFlag } from '../../src/cli/input/common-flags.ts';
import { paramArgs } from '../../src/cli/input/operation-flags.ts';
import { writeFlags } from '../../src/cli/input/request-body.ts';
import { adminAccess } from '../../src/cli/session/admin-session.ts';
import { saveFlags, writeKey } from '../../src/cli/settings/key-commands.ts';
import { rotateKey } from '../../src/contract/admin/keys.ts';
import { ROTATION_OVERLAP_H } from '../../src/contract/limits.ts';

export default defineCommand({
  access: adminAccess,
  summary: 'Rotate an API key',
  description: `The secret of the new key is shown only once. The previous key remains valid for ${String(ROTATION_OVERLAP_H)} hours, or until it is revoked.`,
  args: paramArgs(rotateKey),
  flags: { ...saveFlags, 'dry-run': writeFlags['dry-run'], tenant: tenantFlag },
  examples: ['keys rotate pk_test_Ab12Cd34', 'keys rotate pk_test_Ab12Cd34 --save --json'],
  async run(context) {
    await writeKey(context, rotateKey);
  },
});
