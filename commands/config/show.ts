import { Flags } from '@oclif/core';
import { findTarget } from '../../src/client/target.ts';
import { StockroomCommand } from '../../src/cli/command.ts';
import { dataDirFlag, profileFlag, urlFlag } from '../../src/cli/flags.ts';
import { masked } from '../../src/cli/secret.ts';
import { settingLines } from '../../src/cli/setting-lines.ts';

const FIELDS = ['setting', 'value', 'origin'];

export default class ConfigShow extends StockroomCommand {
  static override summary = 'Show the settings in force, the key masked';
  static override description =
    'A flag wins over a variable, a variable over the project file .stockroom.json, that over the profile, that over the default.';
  static override flags = {
    origin: Flags.boolean({ description: 'Also where each value comes from.' }),
    profile: profileFlag,
    url: urlFlag,
    'data-dir': dataDirFlag,
  };
  static override examples = ['<%= config.bin %> config show --origin', '<%= config.bin %> config show --profile staging --json'];

  async run(): Promise<void> {
    const { flags } = await this.parse(ConfigShow);
    const view = this.checked({ fields: FIELDS, columns: flags.origin ? FIELDS : FIELDS.slice(0, 2) });
    const { profile, url, key, tenant, dataDir, keyWithheld, projectFile } = findTarget(
      { ...flags, dataDir: flags['data-dir'] },
      process.env,
      process.cwd(),
    );
    const data = [
      { setting: 'profile', ...profile },
      { setting: 'url', ...url },
      {
        setting: 'apiKey',
        value: key ? masked(key.value) : null,
        origin: key?.origin ?? (keyWithheld ? 'not sent: saved for another address' : null),
      },
      { setting: 'tenant', value: tenant?.value ?? null, origin: tenant?.origin ?? null },
      { setting: 'dataDir', ...dataDir },
      ...(projectFile === undefined ? [] : [{ setting: 'projectFile', value: projectFile, origin: 'found upward from here' }]),
    ];
    if (this.format !== 'table' || flags['columns'] !== undefined) {
      await this.printList({ data }, view);
      return;
    }
    const home = process.env['HOME'];
    const short = (text: string | null) => (home === undefined ? text : (text?.replaceAll(`${home}/`, '~/') ?? null));
    const rows = data.map((row) => ({ ...row, value: short(row.value), origin: short(row.origin) }));
    await this.out.write(`${settingLines(rows, flags.origin, this.screen ?? Infinity, this.paintFor(process.stdout)).join('\n')}\n`);
  }
}
