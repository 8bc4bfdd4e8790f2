/** The rows of a tab, what belongs to the selected one or to all of them below, and on a wide screen its details beside them. */
import { Box, Text } from 'ink';
import type { JSX } from 'react';
import { wrapText } from '../../cli/output/text-width.ts';
import { sanitize } from '../../platform/terminal-text.ts';
import { NO_COMMAND, getTitle, listDetailParts } from '../details/detail.ts';
import type { ItemRow, State } from '../state/model.ts';
import { formatNumber } from '../tables/format.ts';
import { getTable } from '../tables/index.ts';
import { type VisibleList, selectList } from '../tables/selectors.ts';
import { createRenderContext } from '../tables/table.ts';
import { MARK_WIDTH, getFirstVisible } from './columns.ts';
import { Document, listLines } from './document.tsx';
import { type Selected, type Size, countFooterLines, getPreviewed, getSplitListWidth } from './layout.ts';
import { Table } from './table.tsx';
import { T } from './text.tsx';

const DIVIDER = ' │ ';

interface PaneProps {
  readonly state: State;
  readonly now: number;
  readonly width: number;
  readonly height: number;
}

export function ListPane({ size, ...props }: PaneProps & { readonly size: Size }): JSX.Element {
  const { state, now, width, height } = props;
  const previewed = getPreviewed(state, now, size);
  if (previewed === null) return <List {...props} footerLines={countFooterLines(state, size)} />;
  const listWidth = getSplitListWidth(width);
  return (
    <Box>
      <List {...props} width={listWidth} footerLines={0} />
      <Box width={DIVIDER.length} flexShrink={0}>
        <Text dimColor>{Array.from({ length: height }, () => DIVIDER).join('\n')}</Text>
      </Box>
      <Preview {...props} selected={previewed} width={width - listWidth - DIVIDER.length} />
    </Box>
  );
}

function List({ state, now, width, height, footerLines }: PaneProps & { readonly footerLines: number }): JSX.Element {
  const { tab, views, marked } = state.ui;
  const list = selectList(state, now);
  const room = Math.max(1, height - 1 - footerLines);
  const start = getFirstVisible(list.selected, list.rows.length, room);
  const selected = list.rows[list.selected];
  return (
    <Box flexDirection="column" width={width} flexShrink={0}>
      <Box flexDirection="column" height={room + 1} flexShrink={0}>
        <Table
          columns={getTable(tab).columns}
          rows={list.rows.slice(start, start + room)}
          width={width}
          context={createRenderContext(state, now)}
          sorting={views[tab].sorting}
          isSelected={(row) => row === selected}
          isMarked={({ id }) => marked.has(id)}
        />
        {list.rows.length === 0 ? <Words text={explainEmpty(state, list)} width={width} height={room} /> : null}
      </Box>
      {footerLines === 0 ? null : tab === 'limits' ? (
        <Capabilities state={state} width={width} height={footerLines} />
      ) : (
        <Command row={selected as ItemRow | undefined} width={width} height={footerLines} />
      )}
    </Box>
  );
}

/** A text below the columns of a table. */
function Words({
  text,
  width,
  height,
  isDim = false,
}: {
  readonly text: string;
  readonly width: number;
  readonly height: number;
  readonly isDim?: boolean;
}) {
  // Commands in backticks are not broken.
  const lines = wrapText(sanitize(text), width - MARK_WIDTH);
  const shown = lines.slice(0, height);
  return (
    <Box flexDirection="column" paddingLeft={MARK_WIDTH}>
      {shown.map((line, at) => (
        <T key={at} tone={isDim ? 'dim' : 'plain'}>
          {at === height - 1 && lines.length > height ? line.replace(/ ·$/u, ' …') : line}
        </T>
      ))}
    </Box>
  );
}

function explainEmpty({ ui, about, connection, unavailable }: State, { total }: VisibleList): string {
  const { tab } = ui;
  const { filter, problemsOnly } = ui.views[tab];
  const isFiltered = filter !== '' || ui.filterInput !== null;
  if (total > 0 && problemsOnly && !isFiltered) return `No problems (0 of ${formatNumber(total)}). Esc shows all rows.`;
  if (total > 0) return `No matches (0 of ${formatNumber(total)}). Esc clears the filter.`;
  if (tab === 'requests' && !about.isLocal) return 'Requests are available only on the machine that runs the daemon.';
  const reason = tab === 'overview' ? undefined : unavailable[tab];
  if (reason !== undefined) return `Not available: ${reason}.`;
  if (tab === 'events' && !about.isLocal) return 'No events of the last 15 minutes.';
  return connection.state === 'connecting' ? 'Connecting…' : getTable(tab).emptyText;
}

interface FooterProps {
  readonly width: number;
  readonly height: number;
}

/** The command that replenishes the selected item, whole. */
function Command({ row, width, height }: FooterProps & { readonly row: ItemRow | undefined }): JSX.Element {
  if (row === undefined) return <Box height={height} />;
  return (
    <Box flexDirection="column" height={height} flexShrink={0}>
      <T>
        <T bold>{`  Reorder ${sanitize(row.sku ?? row.name)}`}</T>
        <T tone="dim">{'  y copies the command'}</T>
      </T>
      <Words text={row.command ?? NO_COMMAND} width={width} height={height - 1} isDim={row.command === null} />
    </Box>
  );
}

function Capabilities({ state: { capabilities }, width, height }: FooterProps & { readonly state: State }): JSX.Element {
  const sorted = capabilities.rows.toSorted((a, b) => b.count - a.count || (a.capability < b.capability ? -1 : 1));
  const text = sorted.map(({ capability, count }) => `${capability} ${formatNumber(count)}`).join(' · ');
  return (
    <Box flexDirection="column" height={height} flexShrink={0}>
      <T>
        <T bold>{'  Requests by capability'}</T>
        <T tone="dim">{`, ${capabilities.since}`}</T>
      </T>
      <Words text={text === '' ? 'none yet' : text} width={width} height={height - 1} />
    </Box>
  );
}

/** The details of the selected row, as many lines as fit. */
function Preview({ state, now, selected: { tab, row }, width, height }: PaneProps & { readonly selected: Selected }): JSX.Element {
  const { preview } = state.ui;
  const detail = { kind: 'detail', tab, row, content: preview?.id === row.id ? preview.content : null, scroll: 0 } as const;
  const context = createRenderContext(state, now);
  const lines = listLines(listDetailParts(detail, context), context, width);
  const hidden = lines.length - (height - 1);
  return (
    <Box flexDirection="column" width={width}>
      <T bold>{getTitle(detail)}</T>
      <Document lines={hidden <= 0 ? lines : lines.slice(0, height - 2)} />
      {hidden <= 0 ? null : <T tone="dim">{`${String(hidden + 1)} more lines: enter`}</T>}
    </Box>
  );
}
