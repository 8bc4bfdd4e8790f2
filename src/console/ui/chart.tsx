/** A line or bar chart over time, drawn by uPlot, which is loaded with the first chart. */
import { useEffect, useRef, useState } from 'react';
import type uPlot from 'uplot';
import { type Format, useFormat } from '../api/index.ts';

interface ChartProps {
  readonly label: string;
  /** Epoch seconds. */
  readonly times: readonly number[];
  readonly values: readonly (number | null)[];
  readonly kind: 'steps' | 'bars';
}

const HEIGHT = 140;

export function Chart({ label, times, values, kind }: ChartProps) {
  const format = useFormat();
  const element = useRef<HTMLDivElement>(null);
  const [plot, setPlot] = useState<typeof uPlot>();
  useEffect(() => void import('uplot').then(({ default: loaded }) => setPlot(() => loaded)), []);
  useEffect(() => {
    const parent = element.current;
    if (!plot || !parent) return undefined;
    const chart = new plot(getOptions(plot, parent, kind, format), [[...times], [...values]], parent);
    const observer = new ResizeObserver(() => chart.setSize({ width: parent.clientWidth, height: HEIGHT }));
    observer.observe(parent);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [plot, times, values, kind, format]);
  return (
    <div
      ref={element}
      className="min-h-35 overflow-hidden border-line text-brand outline-soft"
      role="img"
      aria-label={`${label}. Latest value: ${String(values.at(-1) ?? 'none')}`}
    />
  );
}

function getOptions(plot: typeof uPlot, parent: HTMLElement, kind: ChartProps['kind'], { ticks, timeZone }: Format): uPlot.Options {
  const style = getComputedStyle(parent);
  // The style sheet assigns the colors of the theme to these.
  const { color: line, outlineColor: soft, borderTopColor: grid } = style;
  const path = kind === 'steps' ? plot.paths.stepped?.({ align: 1 }) : plot.paths.bars?.({ size: [0.7, 20] });
  const axis = { stroke: soft, grid: { stroke: grid, width: 1 }, ticks: { show: false }, font: '11px system-ui' };
  return {
    width: parent.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    tzDate: (seconds) => plot.tzDate(new Date(seconds * 1_000), timeZone),
    series: [
      {},
      {
        stroke: line,
        fill: line.replace(/^rgb\((.*)\)$/u, 'rgba($1, 0.15)'),
        width: 1.5,
        points: { show: false },
        ...(path && { paths: path }),
      },
    ],
    axes: [
      { ...axis, values: (_chart, times, _axis, _space, step) => ticks(times, step) },
      { ...axis, size: 44 },
    ],
    scales: { y: { range: (_chart, low, high) => [Math.min(0, low), high <= 0 ? 1 : high * 1.1] } },
  };
}
