import { writeFlags } from '../../src/cli/body.ts';
import { paramArgs } from '../../src/cli/operation-flags.ts';
import { WebhookCommand } from '../../src/cli/webhook-command.ts';
import { ROTATION_OVERLAP_H } from '../../src/contract/limits.ts';
import { updateWebhook } from '../../src/contract/webhooks.ts';

export default class WebhooksRotateSecret extends WebhookCommand {
  static override summary = 'Make a new signing secret for an endpoint; it is shown this once';
  static override description = `For ${String(ROTATION_OVERLAP_H)} hours deliveries carry signatures of both secrets, so receivers can change over without a gap. \`webhooks end-overlap\` ends that early. Rotating again meanwhile drops the older secret at once.`;
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
