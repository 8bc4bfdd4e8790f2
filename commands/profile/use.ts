import { Args } from '@oclif/core';
import { setActiveProfile, readConfig } from '../../src/client/profiles.ts';
import { UnknownProfile, resolveTarget } from '../../src/client/target.ts';
import { StockroomCommand } from '../../src/cli/base-commands/stockroom-command.ts';

export default class ProfileUse extends StockroomCommand {
  static override summary = 'Switch the active profile';
  static override args = { name: Args.string({ required: true, ignoreStdin: true, description: 'Name of a saved profile.' }) };
  static override examples = ['<%= config.bin %> profile use local', '<%= config.bin %> profile use staging'];

  async run(): Promise<void> {
    const { args } = await this.parse(ProfileUse);
    const { profiles } = readConfig(process.env);
    if (!profiles[args.name]) throw new UnknownProfile({ value: args.name, origin: 'the command line' }, Object.keys(profiles));
    setActiveProfile(process.env, args.name);
    await this.printText(JSON.stringify({ data: { name: args.name } }), '');
    this.printNote(`Now using profile ${args.name}${describeOverride(args.name)}`);
  }
}

/** Describes a setting that overrides the chosen profile in the current directory; empty if there is none. */
function describeOverride(name: string): string {
  try {
    const { profile, isProfileSaved } = resolveTarget({}, process.env, process.cwd());
    return isProfileSaved && profile.value !== name ? `, but ${profile.origin} selects ${profile.value} here` : '';
  } catch {
    // The selected profile does not exist; the command that uses it reports that.
    return '';
  }
}
