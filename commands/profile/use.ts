import { Args } from '@oclif/core';
import { chooseProfile, readConfig } from '../../src/client/saved.ts';
import { UnknownProfile, findTarget } from '../../src/client/target.ts';
import { StockroomCommand } from '../../src/cli/command.ts';

export default class ProfileUse extends StockroomCommand {
  static override summary = 'Use a profile from now on';
  static override args = { name: Args.string({ required: true, ignoreStdin: true, description: 'Name of a saved profile.' }) };
  static override examples = ['<%= config.bin %> profile use local', '<%= config.bin %> profile use staging'];

  async run(): Promise<void> {
    const { args } = await this.parse(ProfileUse);
    const { profiles } = readConfig(process.env);
    if (!profiles[args.name]) throw new UnknownProfile({ value: args.name, origin: 'the command line' }, Object.keys(profiles));
    chooseProfile(process.env, args.name);
    await this.printText(JSON.stringify({ data: { name: args.name } }), '');
    this.note(`now using profile ${args.name}${elsewhere(args.name)}`);
  }
}

/** What outranks the choice where the person is. */
function elsewhere(name: string): string {
  try {
    const { profile, profileSaved } = findTarget({}, process.env, process.cwd());
    return profileSaved && profile.value !== name ? `, but here ${profile.origin} names another: ${profile.value}` : '';
  } catch {
    // Of a profile that is not there the command that uses it will tell.
    return '';
  }
}
