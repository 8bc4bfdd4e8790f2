import { Args } from '@oclif/core';
import { exactNumber, isNumberText } from '../../src/cli/exact-json.ts';
import { usage } from '../../src/cli/failure.ts';
import { paramArgs } from '../../src/cli/operation-flags.ts';
import { SettingsCommand } from '../../src/cli/settings-command.ts';
import { setTier, tierName } from '../../src/contract/admin/tiers.ts';

export default class TiersSet extends SettingsCommand {
  static override summary = 'Make or change a rate-limit tier; it is in force at once';
  static override args = {
    ...paramArgs(setTier, { tier: 'Name of the tier.' }),
    // Called like its field, so that what the service says about that is told under this name.
    requests_per_minute: Args.string({ required: true, ignoreStdin: true, description: 'Requests per minute.' }),
  };
  static override examples = ['<%= config.bin %> tiers set elevated 1200', '<%= config.bin %> tiers set trickle 3 --json'];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(TiersSet);
    const { tier, requests_per_minute: requests } = args as Record<'tier' | 'requests_per_minute', string>;
    const { pattern = '', max = 0, hint = '' } = tierName();
    // In an address a name that cannot be is one that is not there, and this is about to make one.
    if (tier !== '' && (tier.length > max || !new RegExp(pattern, 'u').test(tier)))
      throw usage(`the name of a tier is ${hint}, at most ${String(max)} characters, not "${tier}"`);
    if (!isNumberText(requests)) throw usage(`REQUESTS_PER_MINUTE has to be a number, not "${requests}"`);
    const reply = await this.write(setTier, { args, flags }, { requestsPerMinute: exactNumber(requests) });
    if (reply) this.tellWhatComesBack(tier, Number(requests));
  }

  /** The flags of a start count more than what is stored, and a restart repeats them. */
  private tellWhatComesBack(tier: string, requests: number): void {
    const started = this.target.daemon?.options.tiers?.[tier];
    if (started === undefined || started === requests) return;
    const again = `\`stockroom daemon start --tier ${tier}=${String(requests)}\``;
    this.note(
      `the daemon was started with ${tier}=${String(started)}, which counts again after a restart; ${again} keeps what you have set`,
    );
  }
}
