import { Args } from '@oclif/core';
import { readConfig, removeProfile } from '../../src/client/profiles.ts';
import { UnknownProfile } from '../../src/client/target.ts';
import { confirm } from '../../src/cli/input/confirm.ts';
import { StockroomCommand } from '../../src/cli/base-commands/stockroom-command.ts';
import { EXIT } from '../../src/cli/errors/exit-codes.ts';
import { Failure } from '../../src/cli/errors/failure.ts';
import { yesFlag } from '../../src/cli/base-commands/service-command.ts';

export default class ProfileRemove extends StockroomCommand {
  static override summary = 'Remove a profile and its key';
  static override args = { name: Args.string({ required: true, ignoreStdin: true, description: 'Name of a saved profile.' }) };
  static override flags = { ...yesFlag };
  static override examples = ['<%= config.bin %> profile remove staging', '<%= config.bin %> profile remove staging --yes'];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ProfileRemove);
    const { profiles } = readConfig(process.env);
    if (!profiles[args.name]) throw new UnknownProfile({ value: args.name, origin: 'the command line' }, Object.keys(profiles));
    if (!flags.yes && this.canPrompt && !(await confirm(`Remove profile ${args.name} and its key?`))) {
      throw new Failure('CANCELLED', 'Cancelled; the profile was not removed', { exit: EXIT.usage });
    }
    removeProfile(process.env, args.name);
    await this.printText(JSON.stringify({ data: { name: args.name } }), '');
    this.printNote(`Removed profile ${args.name}`);
  }
}
