/** The lists of keys, and of saved filters. */
import { HELP } from '../state/key-bindings.ts';
import type { SavedFilter } from '../../client/settings/saved-filters.ts';
import type { Span } from '../tables/table.ts';
import type { Part } from './parts.ts';

const KEYS_WIDTH = 10;
const ACTION_WIDTH = 46;
const COMMAND_WIDTH = 52;

/** A command is beside its action, or below it where there is no room. */
export function listHelp(width: number): readonly Part[] {
  const isWide = width >= KEYS_WIDTH + ACTION_WIDTH + COMMAND_WIDTH;
  return HELP.flatMap(({ keys, action, command }): Part[] => {
    const spans: readonly Span[] = [{ text: keys.padEnd(KEYS_WIDTH), bold: true }, { text: isWide ? action.padEnd(ACTION_WIDTH) : action }];
    if (command === undefined) return [{ spans }];
    const isBeside = isWide || KEYS_WIDTH + action.length + 2 + command.length <= width;
    return isBeside
      ? [{ spans: [...spans, { text: `  ${command}`, tone: 'dim' }] }]
      : [{ spans }, { text: command, tone: 'dim', indent: KEYS_WIDTH }];
  });
}

const NO_FILTERS =
  'None. Add them to config.json in the configuration directory: "dashboard": {"filters": [{"key": "w", "name": "Warehouse errors", "tab": "deliveries", "query": "endpoint:Warehouse http:5xx since:2h"}]}';
const NAME_WIDTH = 24;

export const listSavedFilters = (filters: readonly SavedFilter[]): readonly Part[] =>
  filters.length === 0
    ? [{ text: NO_FILTERS }]
    : filters.map(({ key, name, tab, query }) => ({
        spans: [{ text: key.padEnd(4), bold: true }, { text: name.padEnd(NAME_WIDTH) }, { text: `  ${tab}  /${query}`, tone: 'dim' }],
      }));
