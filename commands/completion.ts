import { defineCommand } from '../src/cli/command/define-command.ts';
import { SCRIPTS, type Shell, SHELLS } from '../src/completion/shell-scripts.ts';
import { Args } from '@oclif/core';

/** How to install the script in each shell. */
const INSTALL: Readonly<Record<Shell, string>> = {
  bash: 'Add to ~/.bashrc:  source <(stockroom completion bash)',
  zsh: 'Add to ~/.zshrc, after compinit:  source <(stockroom completion zsh)',
  fish: 'stockroom completion fish > ~/.config/fish/completions/stockroom.fish',
  powershell: 'Add to $PROFILE:  stockroom completion powershell | Out-String | Invoke-Expression',
};

export default defineCommand({
  summary: 'Print the completion script for a shell',
  description: 'Completes commands, flags, flag values, profile names and ids of records.',
  args: { shell: Args.string({ required: true, options: [...SHELLS], description: 'Your shell' }) },
  examples: ['completion bash > ~/.stockroom-completion', 'completion fish > stockroom.fish'],
  async run({ args, output }) {
    const shell = args.shell as Shell;
    const script = SCRIPTS[shell];
    await output.printText(JSON.stringify({ data: { shell, script } }), script);
    if (process.stdout.isTTY && output.format !== 'json') output.printDimNote(INSTALL[shell]);
  },
});
