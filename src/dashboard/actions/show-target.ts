/** Goes to the rows of a tab that match a filter. */
import type { AttentionRow, State } from '../state/model.ts';
import { withUi } from './effects.ts';

export function showTarget(state: State, { tab, filter, problemsOnly }: NonNullable<AttentionRow['target']>): State {
  const { ui } = state;
  return withUi(state, {
    tab,
    endpointId: null,
    filters: { ...ui.filters, [tab]: filter },
    problemsOnly: { ...ui.problemsOnly, [tab]: problemsOnly },
    positions: { ...ui.positions, [tab]: { selected: null, index: 0 } },
  });
}
