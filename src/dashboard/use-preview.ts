/** Loads the details of the row that is selected beside them, once it has been selected for a moment. */
import { useEffect } from 'react';
import { needsLoading } from './actions/record-paths.ts';
import type { DataEffect } from './actions/effects.ts';
import type { Store } from './state/store.ts';
import { type Selected, type Size, getPreviewed } from './view/layout.ts';

/** Longer than a key repeats, so that moving through the list loads only the row at its end. */
const LOAD_AFTER_MS = 150;

export function usePreview(store: Store, now: number, size: Size, load: (effect: DataEffect) => void): void {
  const previewed = getPreviewed(store.get(), now, size);
  const key = previewed === null || !needsLoading(previewed.tab, previewed.row) ? null : getVersion(previewed);
  useEffect(() => {
    if (key === null || previewed === null) return undefined;
    const { tab, row } = previewed;
    const timer = setTimeout(() => {
      // What is shown of an earlier version stays until the new one is there.
      if (store.get().ui.preview?.id !== row.id) store.dispatch({ type: 'previewing', id: row.id });
      load({ type: 'load', tab, row, isBrief: true });
    }, LOAD_AFTER_MS);
    return () => clearTimeout(timer);
    // The key stands for the row.
  }, [key]);
}

const getVersion = ({ row }: Selected): string => `${row.id} ${'updatedAt' in row ? row.updatedAt : ''}`;
