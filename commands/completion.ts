import { Args } from '@oclif/core';
import { StockroomCommand } from '../src/cli/base-commands/stockroom-command.ts';
import { SCRIPTS, SHELLS, type Shell } from '../src/completion/shell-scripts.ts';

/** How to install the script in each shell. */
const INSTALL: Readonly<Record<Shell, string>> = {
  bash: 'Add to ~/.bashrc:  source <(stockroom completion bash)',
  zsh: 'Add to ~/.zshrc, after compinit:  source <(stockroom completion zsh)',
  fish: 'stockroom completion fish > ~/.config/fish/completions/stockroom.fish',
  powershell: 'Add to $PROFILE:  stockroom completion powershell | Out-String | Invoke-Expression',
};

export default class Completion extends StockroomCommand {
  static override summary = 'Print the completion script for a shell';
  static override description = 'Completes commands, flags, flag values, profile names and ids of records.';
  static override args = { shell: Args.string({ required: true, ignoreStdin: true, options: [...SHELLS], description: 'Your shell' }) };
  static override examples = [
    '<%= config.bin %> completion bash > ~/.stockroom-completion',
    '<%= config.bin %> completion fish > stockroom.fish',
  ];

  async run(): Promise<void> {
    const { args } = await this.parse(Completion);
    const shell = args.shell as Shell;
    const script = SCRIPTS[shell];
    await this.printText(JSON.stringify({ data: { shell, script } }), script);
    if (process.stdout.isTTY && this.format !== 'json') this.printNote(this.getPaint(process.stderr)('dim', INSTALL[shell]));
  }
}
