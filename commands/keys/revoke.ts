import { confirm } from '../../src/cli/input/confirm.ts';
import { EXIT } from '../../src/cli/errors/exit-codes.ts';
import { Failure } from '../../src/cli/errors/failure.ts';
import { paramArgs } from '../../src/cli/input/operation-flags.ts';
import { yesFlag } from '../../src/cli/base-commands/service-command.ts';
import { AdminCommand, tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { revokeKey } from '../../src/contract/admin/keys.ts';

export default class KeysRevoke extends AdminCommand {
  static override summary = 'Revoke an API key permanently';
  static override args = paramArgs(revokeKey);
  static override flags = { ...yesFlag, ...tenantFlag };
  static override examples = [
    '<%= config.bin %> keys revoke pk_test_Ab12Cd34',
    '<%= config.bin %> keys revoke pk_test_Ab12Cd34 --yes --json',
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(KeysRevoke);
    // An unknown or ambiguous name is reported before the question.
    await this.toRequestParts(revokeKey, { args, flags });
    if (!flags.yes && this.canPrompt && !(await confirm(`Revoke ${String(args['key'])}? Programs that use it will stop working.`))) {
      throw new Failure('CANCELLED', 'Cancelled; the key was not revoked', { exit: EXIT.usage });
    }
    await this.write(revokeKey, { args, flags });
  }
}
