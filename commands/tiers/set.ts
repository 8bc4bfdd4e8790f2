import { Args } from '@oclif/core';
import { exactNumber, isNumberText } from '../../src/cli/exact-json.ts';
import { usage } from '../../src/cli/failure.ts';
import { paramArgs } from '../../src/cli/operation-flags.ts';
import { SettingsCommand } from '../../src/cli/settings-command.ts';
import { setTier } from '../../src/contract/admin/tiers.ts';

export default class TiersSet extends SettingsCommand {
  static override summary = 'Make or change a rate-limit tier; it is in force at once';
  static override args = {
    ...paramArgs(setTier, { tier: 'Name of the tier.' }),
    requests: Args.string({ required: true, ignoreStdin: true, description: 'Requests per minute.' }),
  };
  static override examples = ['<%= config.bin %> tiers set elevated 1200', '<%= config.bin %> tiers set trickle 3 --json'];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(TiersSet);
    const { requests } = args;
    if (!isNumberText(requests)) throw usage(`requests per minute have to be a number, not "${requests}"`);
    await this.write(setTier, { args, flags }, { requestsPerMinute: exactNumber(requests) });
  }
}
