import { AppCommand } from '../../src/cli/base-commands/app-command.ts';
import { writeFlags } from '../../src/cli/input/request-body.ts';
import { paramArgs } from '../../src/cli/input/operation-flags.ts';
import { tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { rotateAppSecret } from '../../src/contract/admin/apps.ts';
import { ROTATION_OVERLAP_H } from '../../src/contract/limits.ts';

export default class AppsRotateSecret extends AppCommand {
  static override summary = "Rotate a partner application's client secret";
  static override description = `The new secret is shown only once. The previous one remains valid for ${String(ROTATION_OVERLAP_H)} hours, or until the next rotation.`;
  static override args = paramArgs(rotateAppSecret);
  static override flags = { 'dry-run': writeFlags['dry-run'], ...tenantFlag };
  static override examples = [
    '<%= config.bin %> apps rotate-secret app_4fJ2kQ9xZr7LmN3pT8vWcY',
    '<%= config.bin %> apps rotate-secret app_4fJ2kQ9xZr7LmN3pT8vWcY --json',
  ];

  async run(): Promise<void> {
    await this.writeWithSecret(rotateAppSecret, await this.parse(AppsRotateSecret));
  }
}
