import { Args, loadHelpClass } from '@oclif/core';
import { StockroomCommand } from '../src/cli/base-commands/stockroom-command.ts';
import { usageError } from '../src/cli/errors/failure.ts';
import { withProgramName } from '../src/cli/program-name.ts';
import { HELP_TOPICS } from '../src/cli/help/topics.ts';
import { findClosestMatch } from '../src/contract/schema/closest-match.ts';

export default class HelpCommand extends StockroomCommand {
  static override summary = 'Show help for a command or a topic such as exit-codes';
  static override description = `Topics: ${Object.entries(HELP_TOPICS)
    .map(([name, { summary }]) => `${name} (${summary})`)
    .join('; ')}.`;
  static override strict = false;
  static override args = {
    subject: Args.string({ ignoreStdin: true, description: 'Command, command topic or help topic' }),
  };
  static override examples = ['<%= config.bin %> help exit-codes', '<%= config.bin %> help items create'];

  async run(): Promise<void> {
    const { argv } = await this.parse(HelpCommand);
    const words = argv as string[];
    const [first = ''] = words;
    const topic = words.length === 1 && Object.hasOwn(HELP_TOPICS, first) ? HELP_TOPICS[first] : undefined;
    if (topic) {
      await this.printText(JSON.stringify({ data: { topic: first, text: topic.text } }), withProgramName(`${topic.text}\n`));
      return;
    }
    const known = [...this.config.commandIDs, ...this.config.topics.map(({ name }) => name), ...Object.keys(HELP_TOPICS)].map((id) =>
      id.replaceAll(':', ' '),
    );
    const subject = words.join(' ');
    if (subject !== '' && !known.includes(subject)) {
      const closest = findClosestMatch(subject, known);
      throw usageError(
        `No help for "${subject}"`,
        closest === null ? `Topics: ${Object.keys(HELP_TOPICS).join(', ')}` : `Did you mean "${closest}"?`,
      );
    }
    const Help = await loadHelpClass(this.config);
    await new Help(this.config, this.config.pjson.oclif.helpOptions ?? {}).showHelp(words);
  }
}
