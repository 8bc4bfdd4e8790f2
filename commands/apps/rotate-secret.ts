import { defineCommand } from '../../src/cli/command/define-command.ts';
import { tenantFlag } from '../../src/cli/input/common-flags.ts';
import { paramArgs } from '../../src/cli/input/operation-flags.ts';
import { writeFlags } from '../../src/cli/input/request-body.ts';
import { adminAccess } from '../../src/cli/session/admin-session.ts';
import { writeAppWithSecret } from '../../src/cli/settings/app-commands.ts';
import { rotateAppSecret } from '../../src/contract/admin/apps.ts';
import { ROTATION_OVERLAP_H } from '../../src/contract/limits.ts';

export default defineCommand({
  access: adminAccess,
  summary: "Rotate a partner application's client secret",
  description: `The new secret is shown only once. The previous one remains valid for ${String(ROTATION_OVERLAP_H)} hours, or until the next rotation.`,
  args: paramArgs(rotateAppSecret),
  flags: { 'dry-run': writeFlags['dry-run'], tenant: tenantFlag },
  examples: ['apps rotate-secret app_4fJ2kQ9xZr7LmN3pT8vWcY', 'apps rotate-secret app_4fJ2kQ9xZr7LmN3pT8vWcY --json'],
  async run(context) {
    await writeAppWithSecret(context, rotateAppSecret);
  },
});
