/** Goes to the rows of a tab that match a filter. */
import type { State, Tab } from '../state/model.ts';
import { findFilterProblem } from '../tables/selectors.ts';
import { withUi } from './effects.ts';

export interface Target {
  readonly tab: Tab;
  readonly filter: string;
  readonly problemsOnly: boolean;
}

/** An invalid filter is not applied, but can be corrected. */
export function showTarget(state: State, { tab, filter, problemsOnly }: Target): State {
  const { ui } = state;
  if (findFilterProblem(state, tab, filter) !== null) return withUi(state, { tab, endpointId: null, filterInput: filter, recalledBack: 0 });
  return withUi(state, {
    tab,
    endpointId: null,
    filters: { ...ui.filters, [tab]: filter },
    problemsOnly: { ...ui.problemsOnly, [tab]: problemsOnly },
    positions: { ...ui.positions, [tab]: { selected: null, index: 0 } },
  });
}
