import { Args, loadHelpClass } from '@oclif/core';
import { defineCommand } from '../src/cli/command/define-command.ts';
import { usageError } from '../src/cli/errors/failure.ts';
import { withProgramName } from '../src/cli/program-name.ts';
import { HELP_TOPICS } from '../src/cli/help/topics.ts';
import { findClosestMatch } from '../src/contract/schema/closest-match.ts';

export default defineCommand({
  summary: 'Show help for a command or a topic such as exit-codes',
  description: `Topics: ${Object.entries(HELP_TOPICS)
    .map(([name, { summary }]) => `${name} (${summary})`)
    .join('; ')}.`,
  takesMoreWords: true,
  args: {
    subject: Args.string({ description: 'Command, command topic or help topic' }),
  },
  examples: ['help exit-codes', 'help items create'],
  async run({ words, output, config }) {
    const [first = ''] = words;
    const topic = words.length === 1 && Object.hasOwn(HELP_TOPICS, first) ? HELP_TOPICS[first] : undefined;
    if (topic) return output.printText(JSON.stringify({ data: { topic: first, text: topic.text } }), withProgramName(`${topic.text}\n`));
    const ids = [...config.commandIDs, ...config.topics.map(({ name }) => name), ...Object.keys(HELP_TOPICS)];
    const known = ids.map((id) => id.replaceAll(':', ' '));
    const subject = words.join(' ');
    if (subject !== '' && !known.includes(subject)) {
      const closest = findClosestMatch(subject, known);
      const hint = closest === null ? `Topics: ${Object.keys(HELP_TOPICS).join(', ')}` : `Did you mean "${closest}"?`;
      throw usageError(`No help for "${subject}"`, hint);
    }
    const Help = await loadHelpClass(config);
    await new Help(config, config.pjson.oclif.helpOptions ?? {}).showHelp([...words]);
  },
});
