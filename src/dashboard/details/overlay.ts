/** What an open overlay consists of. */
import type { AnyRow, Detail, OpenOverlay, Overlay, State } from '../state/model.ts';
import type { RenderContext } from '../tables/table.ts';
import { getTitle, listDetailParts } from './detail.ts';
import { listHelp, listSavedFilters } from './help.ts';
import type { Part } from './parts.ts';
import { listFoundParts } from './record.ts';
import { describeResend, listResendParts } from './resend-question.ts';
import { listStatusParts } from './status-question.ts';

/** The overlay that takes the place of the list. Others ask in the status line. */
export const getOpenOverlay = ({ ui: { overlay } }: State): OpenOverlay | null =>
  overlay !== null && 'scroll' in overlay ? overlay : null;

/** Whether an overlay has a record of the API, which `J` shows as JSON. */
export const showsRecord = (overlay: Overlay): boolean =>
  (overlay.kind === 'record' || (overlay.kind === 'detail' && overlay.tab !== 'deliveries')) && overlay.content?.state === 'ready';

export function listOverlayParts(state: State, overlay: OpenOverlay, context: RenderContext, width: number): readonly Part[] {
  switch (overlay.kind) {
    case 'help':
      return listHelp(width);
    case 'filters':
      return listSavedFilters(state.savedFilters);
    case 'record':
      return listFoundParts(overlay, context);
    case 'resend':
      return listResendParts(overlay, context);
    case 'status':
      return listStatusParts(overlay);
    case 'detail':
      return listDetailParts(withLatestRow(state, overlay), context);
  }
}

/** With the current version of the row; a removed row is shown as it was. */
function withLatestRow({ rows, ui }: State, overlay: Detail): Detail {
  const known: readonly AnyRow[] = (ui.paused?.rows ?? rows)[overlay.tab];
  return { ...overlay, row: known.findLast(({ id }) => id === overlay.row.id) ?? overlay.row };
}

export function getOverlayTitle(overlay: OpenOverlay): string {
  switch (overlay.kind) {
    case 'help':
      return 'Keys and equivalent commands';
    case 'filters':
      return 'Saved filters';
    case 'record':
      return overlay.id;
    case 'status':
      return `Change the status of ${overlay.order.orderNumber}`;
    case 'resend':
      return `Resend ${describeResend(overlay)}`;
    case 'detail':
      return getTitle(overlay);
  }
}
