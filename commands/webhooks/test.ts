import { EXIT } from '../../src/cli/exit-codes.ts';
import { paramArgs } from '../../src/cli/operation-flags.ts';
import { SettingsCommand, tenantFlag } from '../../src/cli/settings-command.ts';
import { testWebhook } from '../../src/contract/admin/webhooks.ts';
import type { ResultOf } from '../../src/contract/operation.ts';

export default class WebhooksTest extends SettingsCommand {
  static override summary = 'Send an endpoint the unsigned connectivity check and show what came back';
  static override description = 'Recorded nowhere and not repeated. Ends with exit code 9 when the endpoint did not answer with 2xx.';
  static override args = paramArgs(testWebhook);
  static override flags = { ...tenantFlag };
  static override examples = [
    '<%= config.bin %> webhooks test 5c1d2e3f-4a5b-4c6d-8e7f-901a2b3c4d5e',
    '<%= config.bin %> webhooks test 5c1d2e3f-4a5b-4c6d-8e7f-901a2b3c4d5e --json',
  ];

  async run(): Promise<void> {
    const reply = await this.write(testWebhook, await this.parse(WebhooksTest));
    const body = reply?.body as ResultOf<typeof testWebhook> | undefined;
    if (body?.data.ok === false) process.exitCode = EXIT.checkFailed;
  }
}
