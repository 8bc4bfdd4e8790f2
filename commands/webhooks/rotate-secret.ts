import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { writeFlags } from '../../src/cli/input/request-body.ts';
import { writeWebhook } from '../../src/cli/webhooks/webhook-commands.ts';
import { ROTATION_OVERLAP_H } from '../../src/contract/limits.ts';
import { updateWebhook } from '../../src/contract/resources/webhooks.ts';

export default operationCommand(updateWebhook, {
  summary: "Rotate a webhook endpoint's signing secret",
  description: `The new secret is shown only once, as .signingSecret of the JSON. Deliveries are signed with both secrets for ${String(ROTATION_OVERLAP_H)} hours, until \`webhooks end-overlap\`, or until the next rotation.`,
  flags: { 'dry-run': writeFlags['dry-run'], 'idempotency-key': writeFlags['idempotency-key'] },
  without: Object.keys(updateWebhook.body.properties),
  examples: [
    'webhooks rotate-secret 5c1d2e3f-4a5b-4c6d-8e7f-901a2b3c4d5e',
    'webhooks rotate-secret 5c1d2e3f-4a5b-4c6d-8e7f-901a2b3c4d5e --json',
  ],
  run: (context) => writeWebhook(context, updateWebhook, { rotateSecret: true }),
});
