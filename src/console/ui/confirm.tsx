/** Asks before a change, shows what it will do, and performs it. */
import { type ReactNode, useState } from 'react';
import type { Sample } from '../api/samples.ts';
import { callAny } from '../api/client.ts';
import { queryClient } from '../api/queries.ts';
import { Dialog } from './dialog.tsx';
import { Button, Problem } from './elements.tsx';
import { ShowAs } from './show-as.tsx';

interface ConfirmProps {
  readonly title: string;
  readonly action: string;
  /** The requests, one after another. */
  readonly samples: readonly Sample[];
  readonly isDangerous?: boolean;
  /** Whether there is something to do. */
  readonly isReady?: boolean;
  readonly size?: 'large';
  readonly children?: ReactNode;
  readonly onClose: () => void;
  readonly onDone?: () => void;
}

export function Confirm({ title, action, samples, isDangerous = false, isReady = true, size, children, onClose, onDone }: ConfirmProps) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const run = async (): Promise<void> => {
    setBusy(true);
    try {
      for (const { op, parts } of samples) await callAny(op, parts);
      onClose();
      onDone?.();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
      await queryClient.invalidateQueries();
    }
  };
  return (
    <Dialog title={title} onClose={onClose} {...(size && { size })}>
      <Problem error={error} />
      {children}
      <footer className="dialog-actions">
        <ShowAs samples={samples} />
        <Button onClick={onClose}>Cancel</Button>
        <Button kind={isDangerous ? 'danger' : 'main'} disabled={isBusy || !isReady} onClick={() => void run()}>
          {action}
        </Button>
      </footer>
    </Dialog>
  );
}

/** A button that asks first. */
export function ConfirmButton({
  label,
  kind,
  ...confirm
}: Omit<ConfirmProps, 'onClose'> & { readonly label: string; readonly kind?: 'main' | 'danger' }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button {...(kind && { kind })} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen && <Confirm {...confirm} onClose={() => setOpen(false)} />}
    </>
  );
}
