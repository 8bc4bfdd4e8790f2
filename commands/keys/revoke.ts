import { confirm } from '../../src/cli/ask.ts';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { Failure } from '../../src/cli/failure.ts';
import { paramArgs } from '../../src/cli/operation-flags.ts';
import { yesFlag } from '../../src/cli/service-command.ts';
import { SettingsCommand, tenantFlag } from '../../src/cli/settings-command.ts';
import { revokeKey } from '../../src/contract/admin/keys.ts';

export default class KeysRevoke extends SettingsCommand {
  static override summary = 'Revoke an API key at once and for good';
  static override args = paramArgs(revokeKey);
  static override flags = { ...yesFlag, ...tenantFlag };
  static override examples = [
    '<%= config.bin %> keys revoke pk_test_Ab12Cd34',
    '<%= config.bin %> keys revoke pk_test_Ab12Cd34 --yes --json',
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(KeysRevoke);
    if (!flags.yes && this.canAsk && !(await confirm(`Revoke ${String(args['key'])}? Programs that use it stop working.`))) {
      throw new Failure('cancelled', 'nothing was revoked', { exit: EXIT.usage });
    }
    await this.write(revokeKey, { args, flags });
  }
}
