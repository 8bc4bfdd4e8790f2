import { Args } from '@oclif/core';
import { StockroomCommand } from '../src/cli/command.ts';
import { SCRIPTS, SHELLS, type Shell } from '../src/completion/scripts.ts';

/** How each shell takes the script. */
const INSTALL: Readonly<Record<Shell, string>> = {
  bash: 'add to ~/.bashrc:  source <(stockroom completion bash)',
  zsh: 'add to ~/.zshrc, after compinit:  source <(stockroom completion zsh)',
  fish: 'stockroom completion fish > ~/.config/fish/completions/stockroom.fish',
  powershell: 'add to $PROFILE:  stockroom completion powershell | Out-String | Invoke-Expression',
};

export default class Completion extends StockroomCommand {
  static override summary = 'Print the completion script for a shell';
  static override description = 'Completes commands, flags, allowed values, saved profiles, and ids of what the service has.';
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
    if (process.stdout.isTTY && this.format !== 'json') this.note(this.paintFor(process.stderr)('dim', INSTALL[shell]));
  }
}
