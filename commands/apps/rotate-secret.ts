import { AppCommand } from '../../src/cli/app-command.ts';
import { writeFlags } from '../../src/cli/body.ts';
import { paramArgs } from '../../src/cli/operation-flags.ts';
import { tenantFlag } from '../../src/cli/settings-command.ts';
import { rotateAppSecret } from '../../src/contract/admin/apps.ts';
import { ROTATION_OVERLAP_H } from '../../src/contract/limits.ts';

export default class AppsRotateSecret extends AppCommand {
  static override summary = 'Make a new client secret; it is shown this once';
  static override description = `The secret before it keeps working for ${String(ROTATION_OVERLAP_H)} hours; rotating again meanwhile ends it at once.`;
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
