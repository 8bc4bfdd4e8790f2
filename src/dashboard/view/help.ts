/** The lists of keys, and of saved filters. */
import type { SavedFilter } from '../../client/saved-filters.ts';
import { sanitize } from '../../platform/terminal-text.ts';
import { HELP } from './key-bindings.ts';
import { type Line, breakText, plain } from './lines.ts';

const HELP_KEYS = 10;
const HELP_ACTION = 46;

export function renderHelp(width: number): readonly Line[] {
  const isWide = width >= HELP_KEYS + HELP_ACTION + 52;
  return HELP.flatMap(({ keys, action: does, command }): Line[] => {
    const action = isWide ? does.padEnd(HELP_ACTION) : does;
    const line: Line = [{ text: keys.padEnd(HELP_KEYS), bold: true }, { text: action }];
    if (command === null) return [line];
    if (HELP_KEYS + action.length + 2 + command.length <= width) return [[...line, { text: `  ${command}`, tone: 'dim' }]];
    return [line, [{ text: ' '.repeat(HELP_KEYS) }, { text: command, tone: 'dim' }]];
  });
}

const NO_FILTERS =
  'None. Add them to config.json in the configuration directory: "dashboard": {"filters": [{"key": "w", "name": "Warehouse errors", "tab": "deliveries", "query": "endpoint:Warehouse http:5xx since:2h"}]}';
const NAME_WIDTH = 24;

export function renderSavedFilters(filters: readonly SavedFilter[], width: number): readonly Line[] {
  if (filters.length === 0) return breakText(NO_FILTERS, width).map((line) => plain(line));
  return filters.map(({ key, name, tab, query }): Line => [
    { text: sanitize(key).padEnd(4), bold: true },
    { text: sanitize(name).padEnd(NAME_WIDTH) },
    { text: `  ${tab}  /${sanitize(query)}`, tone: 'dim' },
  ]);
}
