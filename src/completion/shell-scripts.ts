/** Completion scripts for shells: they pass the words of the command line to `stockroom __complete` and show its suggestions. */

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];

const BASH = String.raw`# stockroom completion for bash: add to ~/.bashrc   source <(stockroom completion bash)
_stockroom() {
  local current words=() word at space rest="$COMP_LINE" last="\${COMP_WORDS[COMP_CWORD]}" files='' line value about shown=()
  COMPREPLY=()
  # bash also splits at = : @ and others; join what no space separates.
  for ((at = 0; at <= COMP_CWORD; at++)); do
    word="\${COMP_WORDS[at]}"
    space="\${rest%%[![:space:]]*}"
    rest="\${rest#"$space"}"
    rest="\${rest#"$word"}"
    if [[ $at -eq 0 ]]; then continue; fi
    if [[ -z "$space" && \${#words[@]} -gt 0 ]]; then words[-1]+="$word"; else words+=("$word"); fi
  done
  current="\${words[-1]-}"
  # For bash the word starts after the last of these characters.
  if [[ "$last" != *[!"$COMP_WORDBREAKS"]* ]]; then last=''; fi
  while IFS= read -r line; do
    if [[ "$line" == ':files' ]]; then files=1; continue; fi
    value="\${line%%$'\t'*}"
    value="\${value#"\${current%"$last"}"}"
    if [[ "$value" == */ ]]; then compopt -o nospace 2>/dev/null; fi
    COMPREPLY+=("$(printf '%q' "$value")")
    about="\${line#*$'\t'}"
    shown+=("$value\${about:+  ($about)}")
  done < <("\${COMP_WORDS[0]}" __complete -- "\${words[@]}" 2>/dev/null)
  # Readline lists the candidates and inserts none of them (TAB twice): names beside ids help to choose.
  if [[ \${#COMPREPLY[@]} -gt 1 && "$COMP_TYPE" -eq 63 ]]; then COMPREPLY=("\${shown[@]}"); fi
  if [[ -n "$files" ]]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$last"))
  fi
}
complete -F _stockroom stockroom
`;

const ZSH = String.raw`#compdef stockroom
# stockroom completion for zsh: add to ~/.zshrc (after compinit)   source <(stockroom completion zsh)
_stockroom() {
  local line value about files
  local -a shown
  while IFS= read -r line; do
    if [[ "$line" == ':files' ]]; then files=1; continue; fi
    value="\${line%%$'\t'*}"
    about="\${line#*$'\t'}"
    shown+=("\${value//:/\\:}\${about:+:$about}")
  done < <("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if [[ -n "$files" ]]; then _files; return; fi
  (( \${#shown} )) && _describe -V stockroom shown
}
if [[ "$funcstack[1]" == '_stockroom' ]]; then _stockroom "$@"; else compdef _stockroom stockroom; fi
`;

const FISH = String.raw`# stockroom completion for fish: save as ~/.config/fish/completions/stockroom.fish
function __stockroom_complete
    set -l words (commandline -opc)
    set -l program $words[1]
    set -e words[1]
    for line in ($program __complete -- $words (commandline -ct) 2>/dev/null)
        if test "$line" = ':files'
            __fish_complete_path (commandline -ct)
        else
            printf '%s\n' $line
        end
    end
end
complete -c stockroom -f -a '(__stockroom_complete)'
`;

const POWERSHELL = String.raw`# stockroom completion for PowerShell: add to $PROFILE   stockroom completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName stockroom -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -le $cursorPosition } | ForEach-Object { $_.ToString() })
    $before = @($words | Select-Object -Skip 1)
    if ($wordToComplete -ne '' -and $before.Count -gt 0) { $before = @($before | Select-Object -SkipLast 1) }
    & $words[0] __complete -- @before "$wordToComplete" 2>$null | ForEach-Object {
        if ($_ -eq ':files') { return }
        $value, $about = $_ -split [char]9, 2
        if (-not $about) { $about = $value }
        $shown = if ($about -eq $value) { $value } else { "$value  ($about)" }
        [System.Management.Automation.CompletionResult]::new($value, $shown, 'ParameterValue', $about)
    }
}
`;

// A raw template keeps the backslash that escapes a placeholder.
const unescapePlaceholders = (script: string): string => script.replaceAll('\\${', '${');

export const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: unescapePlaceholders(BASH),
  zsh: unescapePlaceholders(ZSH),
  fish: FISH,
  powershell: POWERSHELL,
};
