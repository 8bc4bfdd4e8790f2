import { Args } from '@oclif/core';
import { readConfig, removeProfile } from '../../src/client/saved.ts';
import { UnknownProfile } from '../../src/client/target.ts';
import { confirm } from '../../src/cli/ask.ts';
import { StockroomCommand } from '../../src/cli/command.ts';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { Failure } from '../../src/cli/failure.ts';
import { yesFlag } from '../../src/cli/service-command.ts';

export default class ProfileRemove extends StockroomCommand {
  static override summary = 'Forget a profile and its key';
  static override args = { name: Args.string({ required: true, ignoreStdin: true, description: 'Name of a saved profile.' }) };
  static override flags = { ...yesFlag };
  static override examples = ['<%= config.bin %> profile remove staging', '<%= config.bin %> profile remove staging --yes'];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ProfileRemove);
    const { profiles } = readConfig(process.env);
    if (!profiles[args.name]) throw new UnknownProfile({ value: args.name, origin: 'the command line' }, Object.keys(profiles));
    if (!flags.yes && this.canAsk && !(await confirm(`Forget profile ${args.name} and its key?`))) {
      throw new Failure('cancelled', 'nothing was removed', { exit: EXIT.usage });
    }
    removeProfile(process.env, args.name);
    await this.printText(JSON.stringify({ data: { name: args.name } }), '');
    this.note(`removed profile ${args.name}`);
  }
}
