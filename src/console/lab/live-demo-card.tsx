/** Starts and stops the live demo. */
import { useState } from 'react';
import { Button, Problem, Section } from '../ui/elements.tsx';
import { Choice } from '../ui/choice.tsx';
import { startLiveDemo, stopLiveDemo, useLiveDemo } from './live-demo.ts';

const RATES = ['6', '20', '60'] as const;

export function LiveDemoCard() {
  const { isRunning, lines, problem } = useLiveDemo();
  const [perMinute, setPerMinute] = useState<string>('20');
  return (
    <Section isCard title="Live demo">
      <p className="soft">
        Orders of this organization arrive, are packed and shipped, and purchases refill the stock, while this page is open. As a command:{' '}
        <code>npx stockroom demo --live</code>
      </p>
      <Problem error={problem} />
      <div className="actions card-actions">
        {isRunning ? (
          <Button onClick={stopLiveDemo}>Stop</Button>
        ) : (
          <>
            <Button kind="main" onClick={() => void startLiveDemo(Number(perMinute))}>
              Start
            </Button>
            <Choice label="Events a minute" none={false} value={perMinute} values={RATES} onChange={setPerMinute} />
          </>
        )}
      </div>
      {lines.length > 0 && (
        <pre className="payload" role="log" aria-label="Events" tabIndex={0}>
          {lines.join('\n')}
        </pre>
      )}
    </Section>
  );
}
