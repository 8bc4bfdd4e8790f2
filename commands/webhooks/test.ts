import { EXIT } from '../../src/cli/errors/exit-codes.ts';
import { paramArgs } from '../../src/cli/input/operation-flags.ts';
import { AdminCommand, tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { testWebhook } from '../../src/contract/admin/webhooks.ts';
import type { ResultOf } from '../../src/contract/operation.ts';

export default class WebhooksTest extends AdminCommand {
  static override summary = 'Send the connectivity check to a webhook endpoint';
  static override description =
    'The check is unsigned, not recorded and not retried. Exits with 9 if the endpoint does not respond with 2xx.';
  static override args = paramArgs(testWebhook);
  static override flags = { ...tenantFlag };
  static override examples = [
    '<%= config.bin %> webhooks test 5c1d2e3f-4a5b-4c6d-8e7f-901a2b3c4d5e',
    '<%= config.bin %> webhooks test 5c1d2e3f-4a5b-4c6d-8e7f-901a2b3c4d5e --json',
  ];

  async run(): Promise<void> {
    const reply = await this.write(testWebhook, await this.parse(WebhooksTest));
    const body = reply?.body as ResultOf<typeof testWebhook> | undefined;
    if (body?.data.ok !== false) return;
    process.exitCode = EXIT.checkFailed;
    if (body.data.httpStatus !== null && this.format === 'table')
      this.printNote(
        'The check is unsigned, so a receiver that verifies signatures rejects it; `stockroom webhooks trigger` sends signed events',
      );
  }
}
