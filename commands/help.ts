import { Args, loadHelpClass } from '@oclif/core';
import { StockroomCommand } from '../src/cli/command.ts';
import { usage } from '../src/cli/failure.ts';
import { HELP_TOPICS } from '../src/cli/help-topics.ts';
import { nearest } from '../src/cli/nearest.ts';

export default class HelpCommand extends StockroomCommand {
  static override summary = 'Explain a command, or a topic such as exit-codes';
  static override description = `Topics: ${Object.entries(HELP_TOPICS)
    .map(([name, { summary }]) => `${name} (${summary})`)
    .join('; ')}.`;
  static override strict = false;
  static override args = {
    subject: Args.string({ ignoreStdin: true, description: 'A command, a topic of commands, or one of those above' }),
  };
  static override examples = ['<%= config.bin %> help exit-codes', '<%= config.bin %> help items create'];

  async run(): Promise<void> {
    const { argv } = await this.parse(HelpCommand);
    const words = argv as string[];
    const [first = ''] = words;
    const topic = words.length === 1 && Object.hasOwn(HELP_TOPICS, first) ? HELP_TOPICS[first] : undefined;
    if (topic) {
      await this.printText(JSON.stringify({ data: { topic: first, text: topic.text } }), `${topic.text}\n`);
      return;
    }
    const known = [...this.config.commandIDs, ...this.config.topics.map(({ name }) => name), ...Object.keys(HELP_TOPICS)].map((id) =>
      id.replaceAll(':', ' '),
    );
    const asked = words.join(' ');
    if (asked !== '' && !known.includes(asked)) {
      const near = nearest(asked, known);
      throw usage(
        `there is no help about "${asked}"`,
        near === null ? `topics: ${Object.keys(HELP_TOPICS).join(', ')}` : `did you mean "${near}"?`,
      );
    }
    const Help = await loadHelpClass(this.config);
    await new Help(this.config, this.config.pjson.oclif.helpOptions ?? {}).showHelp(words);
  }
}
