/** Starts and stops the live demo, which runs in this page until it is stopped or the page is closed. */
import { useState } from 'react';
import { create } from 'zustand';
import { LIVE_DEMO_OPERATIONS } from '../../cli/live-demo/operations.ts';
import { sharedClient, useAccess } from '../api/index.ts';
import { Button, Choice, Problem, Section } from '../ui/index.ts';

interface LiveDemo {
  readonly isRunning: boolean;
  /** Newest first. */
  readonly lines: readonly string[];
  readonly problem?: unknown;
}

const LINES_SHOWN = 8;
const RATES = ['6', '20', '60'] as const;
/** Other views do not end it. */
const useLiveDemo = create<LiveDemo>(() => ({ isRunning: false, lines: [] }));
let controller = new AbortController();

async function start(perMinute: number): Promise<void> {
  controller = new AbortController();
  useLiveDemo.setState({ isRunning: true, lines: [], problem: undefined });
  try {
    const { runLiveDemo, formatEvent } = await import('../../cli/live-demo/run.ts');
    await runLiveDemo({
      client: sharedClient,
      perMinute,
      seed: Math.floor(Math.random() * 2 ** 32),
      signal: controller.signal,
      onEvent: (event) =>
        useLiveDemo.setState(({ lines }) => ({ lines: [formatEvent(event, new Date()), ...lines].slice(0, LINES_SHOWN) })),
    });
  } catch (error) {
    useLiveDemo.setState({ problem: error });
  }
  useLiveDemo.setState({ isRunning: false });
}

export function LiveDemoCard() {
  const { isRunning, lines, problem } = useLiveDemo();
  const [perMinute, setPerMinute] = useState<string>('20');
  const { can } = useAccess();
  if (!LIVE_DEMO_OPERATIONS.every(can)) return null;
  return (
    <Section isCard title="Live demo">
      <p className="text-soft">
        Orders of this organization arrive, are packed and shipped, and purchases refill the stock, while this page is open. As a command:{' '}
        <code>npx stockroom demo --live</code>
      </p>
      <Problem error={problem} />
      <div className="actions mt-3">
        {isRunning ? (
          <Button onClick={() => controller.abort()}>Stop</Button>
        ) : (
          <>
            <Button kind="main" onClick={() => void start(Number(perMinute))}>
              Start
            </Button>
            <Choice label="Events a minute" none={false} value={perMinute} values={RATES} onChange={setPerMinute} />
          </>
        )}
      </div>
      {lines.length > 0 && (
        <pre role="log" aria-label="Events" tabIndex={0}>
          {lines.join('\n')}
        </pre>
      )}
    </Section>
  );
}
