import { writeFlags } from '../../src/cli/input/request-body.ts';
import { paramArgs } from '../../src/cli/input/operation-flags.ts';
import { WebhookCommand } from '../../src/cli/base-commands/webhook-command.ts';
import { ROTATION_OVERLAP_H } from '../../src/contract/limits.ts';
import { updateWebhook } from '../../src/contract/resources/webhooks.ts';

export default class WebhooksRotateSecret extends WebhookCommand {
  static override summary = "Rotate a webhook endpoint's signing secret";
  static override description = `The new secret is shown only once. Deliveries are signed with both secrets for ${String(ROTATION_OVERLAP_H)} hours, until \`webhooks end-overlap\`, or until the next rotation.`;
  static override args = paramArgs(updateWebhook);
  static override flags = { 'dry-run': writeFlags['dry-run'], 'idempotency-key': writeFlags['idempotency-key'] };
  static override examples = [
    '<%= config.bin %> webhooks rotate-secret 5c1d2e3f-4a5b-4c6d-8e7f-901a2b3c4d5e',
    '<%= config.bin %> webhooks rotate-secret 5c1d2e3f-4a5b-4c6d-8e7f-901a2b3c4d5e --json',
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhooksRotateSecret);
    await this.writeWithSecret(updateWebhook, { args, flags }, { rotateSecret: true });
  }
}
