/** Goes to the rows of a tab that match a filter. */
import { type State, type Target, withUi, withView } from '../state/model.ts';
import { findFilterProblem } from '../tables/selectors.ts';

/** An invalid filter is not applied, but can be corrected. */
export function showTarget(state: State, { tab, filter, problemsOnly }: Target): State {
  const shown = withUi(state, { tab, endpointId: null });
  if (findFilterProblem(state, tab, filter) !== null) return withUi(shown, { filterInput: filter, recalledBack: 0 });
  return withView(shown, tab, { filter, problemsOnly, selected: null });
}
