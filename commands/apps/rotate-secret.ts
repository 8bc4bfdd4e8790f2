import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { writeAppWithSecret } from '../../src/cli/settings/app-commands.ts';
import { rotateAppSecret } from '../../src/contract/admin/apps.ts';
import { ROTATION_OVERLAP_H } from '../../src/contract/limits.ts';

export default operationCommand(rotateAppSecret, {
  summary: "Rotate a partner application's client secret",
  description: `The new secret is shown only once, as .clientSecret of the JSON. The previous one remains valid for ${String(ROTATION_OVERLAP_H)} hours, or until the next rotation.`,
  examples: ['apps rotate-secret app_4fJ2kQ9xZr7LmN3pT8vWcY', 'apps rotate-secret app_4fJ2kQ9xZr7LmN3pT8vWcY --json'],
  run: (context) => writeAppWithSecret(context, rotateAppSecret),
});
