/** What needs attention, as the rows of the overview. */
import type { AttentionRow } from '../../state/model.ts';
import type { Table } from '../table-types.ts';

export const attention: Table<AttentionRow> = {
  title: 'Overview',
  short: 'Home',
  isFollowable: false,
  columns: [{ title: 'NEEDS ATTENTION', width: 40, rank: 1, text: ({ text }) => text, tone: ({ tone }) => tone }],
  search: ({ text }) => text,
  queryFields: () => ({}),
  emptyText: 'Nothing needs attention.',
};
