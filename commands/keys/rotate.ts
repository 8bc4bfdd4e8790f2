import { tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { KeyCommand, saveFlags } from '../../src/cli/base-commands/key-command.ts';
import { paramArgs } from '../../src/cli/input/operation-flags.ts';
import { writeFlags } from '../../src/cli/input/request-body.ts';
import { rotateKey } from '../../src/contract/admin/keys.ts';
import { ROTATION_OVERLAP_H } from '../../src/contract/limits.ts';

export default class KeysRotate extends KeyCommand {
  static override summary = 'Rotate an API key';
  static override description = `The secret of the new key is shown only once. The previous key remains valid for ${String(ROTATION_OVERLAP_H)} hours, or until it is revoked.`;
  static override args = paramArgs(rotateKey);
  static override flags = { ...saveFlags, 'dry-run': writeFlags['dry-run'], ...tenantFlag };
  static override examples = [
    '<%= config.bin %> keys rotate pk_test_Ab12Cd34',
    '<%= config.bin %> keys rotate pk_test_Ab12Cd34 --save --json',
  ];

  async run(): Promise<void> {
    await this.writeKey(rotateKey, await this.parse(KeysRotate));
  }
}
